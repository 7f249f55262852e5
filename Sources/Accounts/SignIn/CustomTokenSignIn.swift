package import Project
import Storage
import Tenancy
import Tokens

/// Signs in the user named by a custom token of a service account of the project (`Docs/Contract/client-accounts.md` §4).
package struct CustomTokenSignIn: UsesRuntime {
    let runtime: Runtime
    let serviceAccounts: ServiceAccountDirectory
    let pipeline: SignInPipeline

    /// Signs in.
    ///
    /// - Parameter token: The custom token; in development also plain JSON.
    package func signIn(_ token: String, context: CallContext) async throws -> AcceptedSignIn.Session {
        try await context.refusalFacts.following("custom") { try await complete(token, context: context) }
    }

    private func complete(_ token: String, context: CallContext) async throws -> AcceptedSignIn.Session {
        let policy = try await configurations.configuration(of: context.scope).policy
        let payload =
            if mode.verifiesCustomTokens {
                try await verified(token, scope: context.scope)
            } else {
                try unverified(token, scope: context.scope)
            }
        context.refusalFacts.pass(.credentialVerified)
        let proof = SignInProof(method: .customToken(try identity(payload)))
        return try await pipeline.complete(proof, policy: policy, context: context).session()
    }

    private func verified(_ text: String, scope: Scope) async throws -> JSONValue {
        let token = Result { try CustomToken(text) }
        try checkTenant(of: try? token.get().payload, scope: scope)
        let custom = try token.get()
        try custom.checkAudience()
        let keys: [VerificationKey]
        switch try await serviceAccounts.find(try custom.account(), projectID: scope.projectID) {
        case .registered(let own, _, let held): keys = [own] + (held.map { [$0] } ?? [])
        case .foreign: throw APIError(.credentialMismatch)
        case .unknown: keys = []
        }
        try custom.verify(with: keys, at: environment.now().seconds)
        return custom.payload
    }

    // The contract checks the tenant before it checks whether the text is a token.
    func checkTenant(of payload: JSONValue?, scope: Scope) throws {
        var named = payload?["tenant_id"]
        if named == .null { named = nil }
        guard named == scope.tenantID.map(JSONValue.string) else { throw APIError(.tenantIDMismatch) }
    }

    private func identity(_ payload: JSONValue) throws -> SignInProof.CustomIdentity {
        let localID = try require(CustomToken.uid(in: payload), .missingIdentifier)
        guard !localID.isEmpty else { throw APIError(.missingIdentifier) }
        guard LocalID.isAcceptable(localID) else {
            throw APIError(.invalidCustomToken, "The uid must have 1 to \(LocalID.maximumLength) characters, in NFC.")
        }
        let claims = try CustomClaims.validated(ofToken: payload["claims"], isBounded: mode.boundsClaimsOfCustomTokens)
        return SignInProof.CustomIdentity(localID: localID, claims: claims)
    }
}
