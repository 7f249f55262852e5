import Foundation
package import Project
package import Storage
import SwiftASN1

/// The keys of this server as a SAML service provider. They sign requests, and decrypt what providers encrypt.
///
/// They are made when they are first needed, and rest in the store beside those that sign tokens, sealed alike. Two are published at
/// a time: the one that signs, and its successor. Providers that know both go on working when an operator rotates. A key that ceased
/// to sign decrypts for a while, because providers take over certificates at their own time. Nothing is cached: sign-ins that need
/// the keys are few, and a change on one node is in force on all of them at once.
package final class ServiceProviderKeys: Sendable {
    static let purpose = "serviceProvider"

    /// A key pair.
    package struct Key: Sendable {
        package let record: SigningKeyRecord
        /// PKCS #8, as PEM.
        package let privateKey: String

        /// The self-signed certificate, as PEM.
        package var certificate: String { record.certificate }
    }

    /// There is no key of that id.
    package struct UnknownKey: Error {}

    private let database: any Database
    private let sealer: TokenSealer
    private let environment: ServerEnvironment
    private let making: SingleFlight<String, Void>

    // How long a key decrypts after it ceased to sign.
    private static let retention = Duration.seconds(86_400 * 90)

    package init(database: any Database, sealer: TokenSealer, environment: ServerEnvironment) {
        self.database = database
        self.sealer = sealer
        self.environment = environment
        making = SingleFlight(environment: environment)
    }

    /// The stored keys: the one that signs, its successor, and those that only decrypt. Empty before the first ones are made.
    package func stored() async throws -> [Key] {
        let expiry = environment.now() - Self.retention
        let records = try await database.read { try $0.signingKeys(purpose: Self.purpose) }
            .filter { $0.retiredAt.map { $0 >= expiry } ?? true }
        return try (records.filter(\.isSigning) + records.filter { !$0.isSigning }.reversed()).map(key)
    }

    /// The keys as ``stored()``; the first ones are made if there are none.
    package func keys() async throws -> [Key] {
        let known = try await stored()
        if !known.isEmpty { return known }
        // Making keys takes a while. Many callers at once, as of the metadata, wait for one attempt.
        try await Deadline.running {
            try await making.value(of: Self.purpose) { try await Deadline.ofOneCall { try await self.make() } }
        }
        return try await stored()
    }

    /// The certificates to give to providers.
    ///
    /// - Returns: The certificates as PEM, the current one first.
    package func certificates(makesKeys: Bool) async throws -> [String] {
        let keys = try await makesKeys ? keys() : stored()
        return keys.filter { $0.record.retiredAt == nil }.map(\.certificate)
    }

    private func make() async throws {
        var first = try await newKey()
        first.activatedAt = first.createdAt
        let keys = [first, try await newKey()]
        // If another node made the keys in the meantime, ours are discarded.
        do {
            try await database.write { transaction in
                guard try transaction.signingKeys(purpose: Self.purpose).isEmpty else { return }
                for key in keys { try transaction.insertSigningKey(key) }
            }
        } catch StorageError.uniqueViolation {
            return
        }
    }

    /// Signs with the published successor from now on, and publishes a new one. The old key decrypts for three months.
    ///
    /// - Returns: The id of the key that signs now.
    package func rotate(context: CallContext) async throws -> String {
        let current = try await keys().first
        let successor = try await newKey()
        let now = environment.now()
        let expiry = now - Self.retention
        let event = event(.signingKeyRotated, current?.record.kid, context, at: now)
        return try await database.write { transaction in
            try transaction.retireSigningKey(purpose: Self.purpose, at: now)
            _ = try transaction.activateNextSigningKey(purpose: Self.purpose, at: now)
            try transaction.insertSigningKey(successor)
            try transaction.deleteSigningKeys(purpose: Self.purpose, retiredBefore: expiry)
            try transaction.insertAuditEvent(context.scope, event)
            return try transaction.signingKeys(purpose: Self.purpose).last(where: \.isSigning)?.kid ?? ""
        }
    }

    /// Forgets a key that others may know. Its successor signs if it was the signing key.
    ///
    /// - Returns: The id of the key that signs now.
    /// - Throws: ``UnknownKey``.
    package func revoke(_ kid: String, context: CallContext) async throws -> String {
        let successor = try await newKey()
        let now = environment.now()
        let event = event(.signingKeyRevoked, kid, context, at: now)
        return try await database.write { transaction in
            guard try transaction.deleteSigningKey(kid, purpose: Self.purpose) else { throw UnknownKey() }
            var keys = try transaction.signingKeys(purpose: Self.purpose)
            if !keys.contains(where: \.isSigning) {
                _ = try transaction.activateNextSigningKey(purpose: Self.purpose, at: now)
                keys = try transaction.signingKeys(purpose: Self.purpose)
            }
            if !keys.contains(where: { $0.activatedAt == nil }) { try transaction.insertSigningKey(successor) }
            try transaction.insertAuditEvent(context.scope, event)
            return keys.last(where: \.isSigning)?.kid ?? ""
        }
    }

    private func newKey() async throws -> SigningKeyRecord {
        // The search for primes takes a while and must not block this task's executor.
        let environment = environment
        let made = try await Task.detached(priority: .utility) {
            try SigningKeyPair.generate(for: .serviceProvider, environment)
        }.value
        return SigningKeyRecord(
            kid: made.kid,
            purpose: Self.purpose,
            sealedPrivateKey: try sealer.seal(made.privateKey, for: .signingKey),
            certificate: made.certificate,
            createdAt: environment.now()
        )
    }

    private func key(_ record: SigningKeyRecord) throws -> Key {
        guard let bytes = try? sealer.open(record.sealedPrivateKey, for: .signingKey) else { throw KeyRing.CannotUnseal() }
        return Key(record: record, privateKey: PEMDocument(type: "PRIVATE KEY", derBytes: Array(bytes)).pemString)
    }

    private func event(_ kind: AuditEvent.Kind, _ kid: String?, _ context: CallContext, at time: Timestamp) -> AuditEvent {
        AuditEvent(
            eventID: environment.newEventID(),
            occurredAt: time,
            event: kind,
            localID: nil,
            actor: context.actor,
            address: context.address,
            detail: ["kid": kid.map(JSONValue.string) ?? .null, "purpose": .string(Self.purpose)]
        )
    }
}
