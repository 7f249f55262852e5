package import Project
package import Storage

/// `accounts:signUp`, as a client or an administrator asks for it (`Docs/Contract/client-accounts.md` §1,
/// `Docs/Contract/admin-accounts.md` §4).
package struct RequestedSignUp: Sendable {
    let anonymous: AnonymousSignUp
    let password: PasswordSignUp
    let creation: AccountCreation

    /// Creates an account, or adds a password to the one of an ID token.
    ///
    /// - Parameter request: Many of the properties count for administrators only; in development the enrolments count for all.
    /// - Returns: The account, with tokens when its user has signed up.
    package func signUp(
        _ request: AccountCreation.Request,
        captcha: RecaptchaAnswer,
        context: CallContext
    ) async throws -> (account: AccountRecord, tokens: IssuedTokens?) {
        if context.isPrivileged { return (try await creation.create(request, context: context), nil) }
        if request.localID != nil { throw APIError(.unexpectedParameter, "User ID") }
        let session =
            try await request.wantsPassword
            ? password.signUp(request, captcha: captcha, context: context)
            : anonymous.signUp(email: request.email, enrollments: request.enrollments, context: context)
        return (session.account, session.tokens)
    }
}

extension AccountCreation.Request {
    // A password account needs an e-mail and a password.
    fileprivate var wantsPassword: Bool { idToken != nil || password != nil || email?.isEmpty == false }
}
