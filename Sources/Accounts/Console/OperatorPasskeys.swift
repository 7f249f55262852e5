import Project
import Storage
import WebAuthn

/// The passkeys of operators: what a browser needs for a ceremony, and the check of what it sends.
struct OperatorPasskeys: Sendable {
    let base: OperatorGround

    private var challenges: OperatorChallenges { OperatorChallenges(base: base) }

    private static let mostPasskeys = 20
    private static let maximumName = 64

    /// The parameters of a ceremony.
    func options(
        for purpose: OperatorChallenges.Purpose,
        user: OperatorCeremony.User? = nil,
        known: [String] = []
    ) throws -> OperatorCeremony {
        OperatorCeremony(
            relyingPartyID: base.party().id,
            challenge: try challenges.make(for: purpose),
            user: user,
            credentialIDs: known
        )
    }

    /// Verifies a registration.
    func registration(
        _ response: AuthenticatorResponse,
        for purpose: OperatorChallenges.Purpose
    ) throws -> (registration: PasskeyRegistration, challenge: OperatorChallenges.Accepted) {
        do {
            let (challenge, clientData) = try challenges.accept(response, .create, for: purpose)
            return (try PasskeyRegistration(response, clientData: clientData, party: base.party()), challenge)
        } catch is APIError {
            throw OperatorError.passkeyRefused
        }
    }

    /// An assertion whose signature was verified, and which the transaction still has to accept.
    struct Verified: Sendable {
        let credentialID: String
        let operatorID: String
        let signCount: Int64
        let challenge: OperatorChallenges.Accepted
    }

    /// Verifies an assertion. Whose passkey it names is noted as the client's claim.
    func assertion(
        _ response: AuthenticatorResponse,
        for purpose: OperatorChallenges.Purpose,
        from client: ConsoleClient
    ) async throws -> Verified {
        do {
            let id = Base64URL.encode(try response.credentialID())
            let found = try await base.database.read { transaction in
                try transaction.operatorPasskey(base.projectID, credentialID: id).map { passkey in
                    (passkey, try transaction.consoleOperator(base.projectID, id: passkey.operatorID))
                }
            }
            guard let (stored, holder) = found else { throw OperatorError.passkeyRefused }
            if let holder { client.claims(holder.email) }
            let (challenge, clientData) = try challenges.accept(response, .get, for: purpose)
            let assertion = try PasskeyAssertion(
                response,
                clientData: clientData,
                userHandle: Array(stored.operatorID.utf8),
                namedNobody: purpose.namesNobody,
                publicKey: stored.publicKey,
                party: base.party()
            )
            return Verified(
                credentialID: id,
                operatorID: stored.operatorID,
                signCount: assertion.signCount,
                challenge: challenge
            )
        } catch is APIError {
            throw OperatorError.passkeyRefused
        }
    }

    /// Stores a passkey of an operator.
    ///
    /// - Throws: ``OperatorError/passkeyRefused`` when an operator has it already, ``OperatorError/tooMany``.
    func insert(
        _ registration: PasskeyRegistration,
        of operatorID: String,
        named name: String,
        at time: Timestamp,
        in transaction: any Transaction
    ) throws {
        guard try transaction.operatorPasskeys(base.projectID, operatorID: operatorID).count < Self.mostPasskeys else {
            throw OperatorError.tooMany
        }
        let record = OperatorPasskeyRecord(
            credentialID: Base64URL.encode(registration.credentialID),
            operatorID: operatorID,
            name: name.cut(toBytes: Self.maximumName),
            publicKey: registration.publicKey,
            signCount: registration.signCount,
            createdAt: time
        )
        guard try transaction.insertOperatorPasskey(base.projectID, record) else { throw OperatorError.passkeyRefused }
    }

    /// Accepts a verified assertion: its challenge is used up, and its counter has grown (WebAuthn §7.2, step 22).
    func accept(_ verified: Verified, at time: Timestamp, in transaction: any Transaction) throws {
        try transaction.use(verified.challenge, base.scope)
        guard let stored = try transaction.operatorPasskey(base.projectID, credentialID: verified.credentialID),
            stored.operatorID == verified.operatorID
        else { throw OperatorError.passkeyRefused }
        if verified.signCount != 0 || stored.signCount != 0 {
            guard verified.signCount > stored.signCount else { throw OperatorError.passkeyRefused }
        }
        try transaction.updateOperatorPasskey(
            base.projectID,
            credentialID: stored.credentialID,
            signCount: verified.signCount,
            at: time
        )
    }
}

/// What a browser needs for a ceremony with an operator's passkey (WebAuthn §5.4, §5.5).
package struct OperatorCeremony: Sendable {
    package let relyingPartyID: String
    package let challenge: [UInt8]
    /// Whom a new passkey is for; `nil` where one is used.
    package let user: User?
    /// The passkeys that the operator has, in base64url: a new one must be another, and one of them must be used.
    package let credentialIDs: [String]

    /// The holder of a new passkey.
    package struct User: Sendable {
        package let operatorID: String
        package let email: String
    }
}
