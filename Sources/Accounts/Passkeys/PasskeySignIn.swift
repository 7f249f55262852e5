package import Project
import Storage
import Tenancy
package import WebAuthn

/// Signs in with a passkey (`Docs/Contract/phone-and-mfa.md` §9, WebAuthn §7.2).
package struct PasskeySignIn: UsesRuntime {
    let runtime: Runtime
    let challenges: PasskeyChallenges
    let pipeline: SignInPipeline

    /// The parameters with which the client asks an authenticator.
    package struct Options: Sendable {
        package let relyingPartyID: String
        package let challenge: [UInt8]
    }

    /// Begins a sign-in.
    package func start(context: CallContext) async throws -> Options {
        Options(relyingPartyID: challenges.party().id, challenge: try challenges.make(for: .signIn, scope: context.scope))
    }

    /// Completes a sign-in.
    ///
    /// - Throws: `APIError` `INVALID_AUTHENTICATOR_RESPONSE`.
    package func finalize(_ response: AuthenticatorResponse?, context: CallContext) async throws -> AcceptedSignIn.Session {
        try await context.refusal.following("passkey") { try await complete(response, context) }
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
        context.refusal.pass(.accountFound)
        context.refusal.note(localID: passkey.localID)
        let checked = SignInProof.CheckedPasskey(
            credentialID: passkey.credentialID,
            localID: passkey.localID,
            publicKey: passkey.publicKey,
            assertion: mode.verifiesPasskeys ? try verified(response, by: passkey, context.scope) : nil
        )
        context.refusal.pass(.credentialVerified)
        let proof = SignInProof(method: .passkey(checked))
        return try await pipeline.complete(proof, policy: policy, context: context).session()
    }

    private func verified(
        _ response: AuthenticatorResponse,
        by passkey: PasskeyRecord,
        _ scope: Scope
    ) throws -> SignInProof.CheckedPasskey.Assertion {
        let party = challenges.party()
        let clientData = try AuthenticatorResponse.member(response.clientData, "clientDataJSON")
        let challenge = try party.challenge(inClientData: clientData, of: .get)
        let accepted = try challenges.accept(challenge, for: .signIn, scope: scope)
        // Development stores passkeys without a key. Production accepts none of them.
        let assertion = try PasskeyAssertion(
            response,
            clientData: clientData,
            userHandle: Array(passkey.localID.utf8),
            // Clients of the API leave it out.
            namedNobody: false,
            publicKey: passkey.publicKey,
            party: party
        )
        return .init(challengeHash: accepted.hash, expiresAt: accepted.expiresAt, signCount: assertion.signCount)
    }
}
