package import Project
package import Storage

/// How a sign-in ended.
package enum SignInOutcome: Sendable {
    /// A session began.
    case signedIn(SignedIn)
    /// Nothing was stored: the e-mail belongs to this account, whose user must first sign in by one of `providers`.
    case needsConfirmation(localID: String, providers: [String])
    /// The account decision went against the request; nothing was stored.
    case refused(ErrorCode)

    /// A session that began.
    package struct SignedIn: Sendable {
        package let account: AccountRecord
        package let isNewUser: Bool
        /// The account had another identity of the same provider, which was replaced.
        package let isEmailRecycled: Bool
        package let tokens: IssuedTokens
    }
}
