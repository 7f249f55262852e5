import Accounts
import Project
import Storage

/// The members of an answer that replace tokens while a second factor is demanded (`Docs/Contract/phone-and-mfa.md` §6).
struct PendingJSON {
    let mfaPendingCredential: String
    let mfaInfo: [MFAInfoJSON]

    init(_ pending: AcceptedSignIn.Pending) {
        mfaPendingCredential = pending.credential
        mfaInfo = pending.account.secondFactors.map { MFAInfoJSON($0, isObfuscated: true) }
    }
}

extension AcceptedSignIn {
    /// The tokens; `nil` when a second factor is demanded.
    var issuedTokens: IssuedTokens? { if case .signedIn(let session) = self { session.tokens } else { nil } }

    /// The pending second factor; `nil` when a session began.
    var pendingJSON: PendingJSON? { if case .secondFactorPending(let pending) = self { PendingJSON(pending) } else { nil } }
}
