import Project
import Storage
import Tokens
import WebAuthn

/// The passkeys of operators: what a browser needs for a ceremony, and the check of what it sends.
struct OperatorPasskeys: Sendable {
    let base: OperatorServices
    /// The ceremonies at the console's own address, which is another relying party than that of users' passkeys.
    let ceremonies: PasskeyChallenges

    private static let mostPasskeys = 20
    private static let maximumName = 64

    func options(
        for purpose: PasskeyChallenges.Purpose,
        user: OperatorCeremony.User? = nil,
        known operatorID: String? = nil
    ) async throws -> OperatorCeremony {
        var known: [OperatorPasskeyRecord] = []
        if let operatorID {
            known = try await base.database.read { try $0.operatorPasskeys(base.projectID, operatorID: operatorID) }
        }
        return OperatorCeremony(
            relyingPartyID: ceremonies.party().id,
            challenge: try ceremonies.make(for: purpose, scope: base.scope),
            user: user,
            credentialIDs: known.map(\.credentialID)
        )
    }

    func registration(
        _ response: AuthenticatorResponse,
        for purpose: PasskeyChallenges.Purpose
    ) throws -> (registration: PasskeyRegistration, challenge: PasskeyChallenges.Accepted) {
        do {
            return try ceremonies.registration(response, for: purpose, scope: base.scope)
        } catch is APIError {
            throw OperatorError.passkeyRefused
        }
    }

    /// An assertion whose signature was verified, and which the transaction still has to accept.
    struct Verified: Sendable {
        let passkey: OperatorPasskeyRecord
        let holder: OperatorRecord
        let assertion: PasskeyChallenges.Assertion
    }

    /// Verifies an assertion. Whose passkey it names is noted as the client's claim.
    func assertion(
        _ response: AuthenticatorResponse,
        for purpose: PasskeyChallenges.Purpose,
        from client: CallContext
    ) async throws -> Verified {
        do {
            let id = Base64URL.encode(try response.credentialID())
            let found = try await base.database.read { try base.passkey(id, in: $0) }
            guard let (passkey, holder) = found else { throw OperatorError.passkeyRefused }
            client.refusalFacts.note(claimedOperator: holder.email)
            let assertion = try ceremonies.assertion(
                response,
                for: purpose,
                scope: base.scope,
                holder: passkey.operatorID,
                publicKey: passkey.publicKey
            )
            return Verified(passkey: passkey, holder: holder, assertion: assertion)
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
        in transaction: Transaction
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

    /// Accepts a verified assertion, and notes the use of its passkey.
    func accept(_ verified: Verified, at time: Timestamp, in transaction: Transaction) throws -> OperatorRecord {
        guard let (passkey, holder) = try base.passkey(verified.passkey.credentialID, in: transaction),
            holder.operatorID == verified.holder.operatorID
        else { throw OperatorError.passkeyRefused }
        do {
            try verified.assertion.accept(after: passkey.signCount, in: transaction)
        } catch is APIError {
            throw OperatorError.passkeyRefused
        }
        try transaction.updateOperatorPasskey(
            base.projectID,
            credentialID: passkey.credentialID,
            signCount: verified.assertion.signCount,
            at: time
        )
        return holder
    }
}

extension OperatorServices {
    fileprivate func passkey(_ id: String, in transaction: Transaction) throws -> (OperatorPasskeyRecord, OperatorRecord)? {
        guard let passkey = try transaction.operatorPasskey(projectID, credentialID: id),
            let holder = try transaction.consoleOperator(projectID, id: passkey.operatorID)
        else { return nil }
        return (passkey, holder)
    }
}

extension PasskeyChallenges.Purpose {
    /// The sign-in of an operator, who is known by nothing but the passkey.
    static let operatorSignIn = Self(sealed: .operatorCeremony, subject: "signIn", namesNobody: true)

    /// Proof of a factor in the session with a hash.
    static func confirmation(_ session: [UInt8]) -> Self {
        Self(sealed: .operatorCeremony, subject: "confirmation:\(hexadecimal(session))")
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
