import Project

/// Creates anonymous accounts (`contract/client-accounts.md` §1).
package struct AnonymousSignUp: Sendable {
    private let configurations: ConfigurationStore
    private let pipeline: SignInPipeline

    package init(configurations: ConfigurationStore, pipeline: SignInPipeline) {
        self.configurations = configurations
        self.pipeline = pipeline
    }

    /// Creates an account and signs it in.
    ///
    /// - Parameter context: The call.
    /// - Returns: The new session.
    /// - Throws: `APIError` `ADMIN_ONLY_OPERATION` when anonymous sign-up or all sign-up is off; `StorageError`.
    package func run(context: CallContext) async throws -> SignInOutcome.SignedIn {
        let policy = try await configurations.configuration(of: context.scope).policy
        guard policy.allowsAnonymous, !policy.disablesUserSignUp else { throw APIError(.adminOnlyOperation) }
        switch try await pipeline.complete(SignInProof(method: .anonymous), policy: policy, context: context) {
        case .signedIn(let session): return session
        case .needsConfirmation: throw APIError(.adminOnlyOperation)
        case .refused(let code): throw APIError(code)
        }
    }
}
