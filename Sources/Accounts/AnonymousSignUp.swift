import Project

/// Creates anonymous accounts (`contract/client-accounts.md` §1).
package struct AnonymousSignUp: Sendable {
    private let configurations: ConfigurationStore
    private let pipeline: SignInPipeline
    private let throttle: Throttle

    package init(configurations: ConfigurationStore, pipeline: SignInPipeline, throttle: Throttle) {
        self.configurations = configurations
        self.pipeline = pipeline
        self.throttle = throttle
    }

    /// Creates an account and signs it in.
    ///
    /// - Parameters:
    ///   - email: What the request has of an e-mail: an empty one is none, and no e-mail either.
    ///   - context: The call.
    /// - Returns: The new session.
    /// - Throws: `APIError` `ADMIN_ONLY_OPERATION` when anonymous sign-up or all sign-up is off, `INVALID_EMAIL`,
    ///   `TOO_MANY_ATTEMPTS_TRY_LATER` after too many sign-ups from the client's address; `StorageError`.
    package func run(email: String? = nil, context: CallContext) async throws -> SignInOutcome.SignedIn {
        let policy = try await configurations.configuration(of: context.scope).policy
        guard policy.allowsAnonymous, !policy.disablesUserSignUp else { throw APIError(.adminOnlyOperation) }
        if email != nil { throw APIError(.invalidEmail) }
        try await throttle.signUp(context: context)
        return try await pipeline.complete(SignInProof(method: .anonymous), policy: policy, context: context).session(
            or: .adminOnlyOperation
        )
    }
}
