package import Project
import Storage
import Tenancy
import Tokens

/// Sign-in and linking with a link sent to an address (`Docs/Contract/client-accounts.md` §3).
package struct EmailLinkSignIn: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules
    let pipeline: SignInPipeline

    /// Signs in, or links the address to an account.
    package func signIn(
        email: String?,
        code: String?,
        idToken: String?,
        context: CallContext
    ) async throws -> AcceptedSignIn {
        try await context.refusalFacts.following("emailLink") { try await signIn(email, code, idToken, context) }
    }

    private func signIn(
        _ email: String?,
        _ code: String?,
        _ idToken: String?,
        _ context: CallContext
    ) async throws -> AcceptedSignIn {
        var context = context
        let linkTo = idTokens.select(idToken, in: &context)
        let configuration = try await configurations.configuration(of: context.scope)
        guard configuration.policy.allowsEmailLink else { throw APIError(.operationNotAllowed) }
        context.refusalFacts.pass(.methodEnabled)
        let token = try linkTo?.get()
        if let token { _ = try await database.read { try IDTokenRules.authorizedAccount(of: token, in: $0) } }
        let named = try require(email.flatMap { $0.isEmpty ? nil : $0 }, .missingEmail)
        // A text that is not an address matches no code.
        let unread = mode.looksAtLinkBeforeAddress ? named : nil
        let email = try require(EmailAddress.canonical(named, mode: mode) ?? unread, .invalidEmail)
        let code = try require(code, .missingOOBCode)
        let link = SignInProof.EmailLink(email: email, codeHash: sha256(code.utf8))
        let proof = SignInProof(method: .emailLink(link), linkTo: token)
        return try await pipeline.complete(proof, configuration: configuration, context: context).accepted()
    }
}
