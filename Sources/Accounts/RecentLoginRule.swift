package import Project
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
}
