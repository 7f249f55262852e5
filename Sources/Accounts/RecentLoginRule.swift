package import Project
import Storage
package import Tokens

/// Sensitive changes demand a recent sign-in (`contract/client-accounts.md` §0.4); development never does.
package struct RecentLoginRule: Sendable {
    private let window: Duration
    private let mode: ServerMode

    /// - Parameters:
    ///   - window: `limits.recentLoginSeconds`.
    ///   - mode: Development skips the rule, as the emulator does.
    package init(window: Duration, mode: ServerMode) {
        self.window = window
        self.mode = mode
    }

    /// Checks the sign-in behind a token.
    ///
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    package func check(_ token: VerifiedIDToken, at time: Timestamp) throws {
        guard mode == .production else { return }
        if time >= Timestamp(seconds: token.authTime).advanced(by: window + .seconds(1)) {
            throw APIError(.credentialTooOldLoginAgain)
        }
    }

    /// Checks the sign-in behind a token to whose account a new way in is to be added (threat case LNK-06).
    ///
    /// An anonymous account is exempt: it has no way to sign in again, and becoming permanent is what it is for.
    ///
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    package func checkLink(_ token: VerifiedIDToken, at time: Timestamp) throws {
        if token.signInProvider != "anonymous" { try check(token, at: time) }
    }

    /// Checks the sign-in behind a token to whose account a password and its address are to be added: they may take the place of
    /// others, so it is as hard as to change those (`contract/client-accounts.md` §9.2, row 7c).
    ///
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`, `EMAIL_CHANGE_NEEDS_VERIFICATION`.
    func checkPassword(_ token: VerifiedIDToken, of account: AccountRecord, at time: Timestamp) throws {
        try checkLink(token, at: time)
        guard mode == .production, account.email != nil, !account.secondFactors.isEmpty else { return }
        throw APIError(.emailChangeNeedsVerification)
    }
}
