package import Project
import Tenancy

/// Creates anonymous accounts (`Docs/Contract/client-accounts.md` §1).
package struct AnonymousSignUp: UsesRuntime {
    let runtime: Runtime
    let throttle: Throttle
    let pipeline: SignInPipeline

    /// Creates an account and signs it in.
    ///
    /// - Parameter email: The `email` of the request. Any value is refused, an empty one too.
    /// - Throws: `APIError` `ADMIN_ONLY_OPERATION` when anonymous sign-up or all sign-up is off, `INVALID_EMAIL`,
    ///   `INVALID_MFA_PHONE_NUMBER`, `TOO_MANY_ATTEMPTS_TRY_LATER` after too many sign-ups from the client's address.
    package func signUp(
        email: String? = nil,
        enrollments: [AdminEnrollment] = [],
        context: CallContext
    ) async throws -> AcceptedSignIn.Session {
        let policy = try await configurations.configuration(of: context.scope).policy
        guard policy.allowsAnonymous, !policy.disablesUserSignUp else { throw APIError(.adminOnlyOperation) }
        if email != nil { throw APIError(.invalidEmail) }
        var proof = SignInProof(method: .anonymous)
        proof.secondFactors = try AdminEnrollments.ofNewAccount(enrollments, environment: environment, mode: mode)
        try await throttle.signUp(context: context)
        return try await pipeline.complete(proof, policy: policy, context: context).session()
    }
}
