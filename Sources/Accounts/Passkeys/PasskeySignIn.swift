package import Project
import Storage
import Tenancy
package import WebAuthn

/// Signs in with a passkey (`Docs/Contract/phone-and-mfa.md` §9, WebAuthn §7.2).
package struct PasskeySignIn: UsesRuntime {
    let runtime: Runtime
    let challenges: PasskeyChallenges
    let pipeline: SignInPipeline

    /// - Returns: The parameters with which the client asks an authenticator.
    package func start(context: CallContext) async throws -> (relyingPartyID: String, challenge: [UInt8]) {
        (challenges.party().id, try challenges.make(for: .signIn, scope: context.scope))
    }

    /// Completes a sign-in.
    ///
    /// - Throws: `APIError` `INVALID_AUTHENTICATOR_RESPONSE`.
    package func finalize(_ response: AuthenticatorResponse?, context: CallContext) async throws -> AcceptedSignIn.Session {
        try await context.refusalFacts.following("passkey") { try await complete(response, context) }
    }

    private func complete(_ response: AuthenticatorResponse?, _ context: CallContext) async throws -> AcceptedSignIn.Session {
        let policy = try await configurations.configuration(of: context.scope).policy
        let response = try require(response, .missingAuthenticatorResponse)
        let id =
            if mode.verifiesPasskeys {
                Base64URL.encode(try response.credentialID())
            } else {
                try require(response.id, .invalidCredentialID)
            }
        let stored = try await database.read { try $0.passkey(context.scope, credentialID: id) }
        let passkey = try require(stored, .passkeyCredentialNotFound)
        context.refusalFacts.pass(.accountFound)
        context.refusalFacts.note(localID: passkey.localID)
        let checked = SignInProof.CheckedPasskey(
            credentialID: passkey.credentialID,
            localID: passkey.localID,
            publicKey: passkey.publicKey,
            assertion: mode.verifiesPasskeys
                ? try challenges.assertion(
                    response,
                    for: .signIn,
                    scope: context.scope,
                    holder: passkey.localID,
                    publicKey: passkey.publicKey
                ) : nil
        )
        context.refusalFacts.pass(.credentialVerified)
        let proof = SignInProof(method: .passkey(checked))
        return try await pipeline.complete(proof, policy: policy, context: context).session()
    }
}
