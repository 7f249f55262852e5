import Accounts
import Project
import Storage

/// What takes the place of tokens while a second factor is due (`contract/phone-and-mfa.md` §6).
struct PendingJSON {
    let mfaPendingCredential: String
    let mfaInfo: [MFAInfoJSON]

    init(_ pending: SignInOutcome.SecondFactorPending) {
        mfaPendingCredential = pending.credential
        mfaInfo = pending.account.secondFactors.map { MFAInfoJSON($0, isObfuscated: true) }
    }
}

extension SignInOutcome.Accepted {
    /// The tokens, if a session began.
    var tokensJSON: TokensJSON? { if case .signedIn(let session) = self { TokensJSON(session.tokens) } else { nil } }

    /// What is to be shown next, if a second factor is due.
    var pendingJSON: PendingJSON? { if case .secondFactorPending(let pending) = self { PendingJSON(pending) } else { nil } }
}
