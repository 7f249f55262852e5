import Foundation
import Messaging
package import Project
package import Storage
import Tenancy
import Tokens
package import WebAuthn

/// Adds passkeys to accounts (`Docs/Contract/phone-and-mfa.md` §9).
package struct PasskeyEnrollment: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules
    let challenges: PasskeyChallenges
    let notices: OOBNotices
    let renewal: SessionRenewal

    private static let mostPasskeys = 20

    /// The parameters with which the client creates a credential.
    package struct Options: Sendable {
        package let relyingPartyID: String
        package let relyingPartyName: String
        package let account: AccountRecord
        package let challenge: [UInt8]
        /// Whether the credential must be discoverable and its user verified; not demanded in development.
        package let demandsDiscoverableCredential: Bool
    }

    /// Begins an enrolment.
    ///
    /// - Throws: `APIError` `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    package func start(idToken: String?, context: CallContext) async throws -> Options {
        let token = try idTokens.verify(try require(idToken, .missingIDToken), scope: context.scope)
        try await configurations.requireServed(token.scope, namedIn: context)
        let account = try await database.read { try IDTokenRules.authorizedAccount(of: token, in: $0) }
        try idTokens.recentLogin.check(token, at: environment.now())
        try idTokens.recentLogin.checkUnguarded(token, account)
        return Options(
            relyingPartyID: challenges.party().id,
            relyingPartyName: token.scope.projectID,
            account: account,
            challenge: try challenges.make(for: .enrollment(of: account), scope: token.scope),
            demandsDiscoverableCredential: mode.verifiesPasskeys
        )
    }

    /// Ends an enrolment.
    ///
    /// - Throws: `APIError` `INVALID_AUTHENTICATOR_RESPONSE`.
    package func finalize(
        _ response: AuthenticatorResponse?,
        idToken: String?,
        name: String,
        context: CallContext
    ) async throws -> (localID: String, tokens: IssuedTokens) {
        let idToken = try require(idToken, .missingIDToken)
        let response = try require(response, .missingAuthenticatorResponse)
        let token = try idTokens.verify(idToken, scope: context.scope)
        let context = context.inScope(token.scope)
        let configuration = try await configurations.configuration(of: token.scope)
        let begun = try await database.read { try IDTokenRules.authorizedAccount(of: token, in: $0) }
        let made = try verified(response, of: begun, scope: token.scope)
        let (draft, renewal, recentLogin) = (renewal.draft(context), renewal, idTokens.recentLogin)
        let reporter = notices.reporter(configuration, context: context)
        let subject = try await database.write { transaction in
            let account = try IDTokenRules.authorizedAccount(of: token, in: transaction)
            // A proof of ownership since the start invalidates the challenge.
            guard account.proofGeneration == begun.proofGeneration else {
                throw RelyingParty.refusal("The challenge is not one of ours, or has expired.")
            }
            // A second factor may have been enrolled since the start.
            try recentLogin.checkUnguarded(token, account)
            try made.add(to: account, name: name, token.scope, at: draft.time, in: transaction)
            try reporter?.report([.passkeyAdded], of: account, token.scope, at: draft.time, in: transaction)
            var change = SessionRenewal.SignInMethodChange(token: token, account: account, kind: .passkeyEnrollment)
            change.provider = "passkey"
            change.secondFactor = token.secondFactor
            return try renewal.store(change, draft, in: transaction)
        }
        reporter?.announce()
        return (begun.localID, try renewal.complete(subject, draft))
    }

    // A passkey that the authenticator has made.
    private struct Made: Sendable {
        let credentialID: String
        var publicKey: [UInt8]?
        var signCount: Int64 = 0
        var challenge: PasskeyChallenges.Accepted?

        /// Uses the challenge up and stores the passkey.
        func add(
            to account: AccountRecord,
            name: String,
            _ scope: Scope,
            at time: Timestamp,
            in transaction: Transaction
        ) throws {
            let passkey = PasskeyRecord(
                credentialID: credentialID,
                localID: account.localID,
                name: name,
                publicKey: publicKey,
                signCount: signCount,
                createdAt: account.timeOfAddition(time)
            )
            try challenge?.use(in: transaction)
            guard try transaction.insertPasskey(scope, passkey) else { throw APIError(.credentialAlreadyInUse) }
            guard try transaction.passkeys(scope, localID: account.localID).count <= PasskeyEnrollment.mostPasskeys else {
                throw APIError(.operationNotAllowed, "The account has \(PasskeyEnrollment.mostPasskeys) passkeys.")
            }
        }
    }

    private func verified(_ response: AuthenticatorResponse, of account: AccountRecord, scope: Scope) throws -> Made {
        guard mode.verifiesPasskeys else { return Made(credentialID: try require(response.id, .invalidCredentialID)) }
        _ = try response.credentialID()
        let (made, challenge) = try challenges.registration(response, for: .enrollment(of: account), scope: scope)
        return Made(
            credentialID: Base64URL.encode(made.credentialID),
            publicKey: made.publicKey,
            signCount: made.signCount,
            challenge: challenge
        )
    }
}
