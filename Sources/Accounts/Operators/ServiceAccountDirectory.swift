import Project
import Storage
import Tokens

/// Finds the keys of service accounts and caches them for a second. The deletion of an account on any node takes effect here a
/// second later.
package final class ServiceAccountDirectory: Sendable {
    let database: any Database
    let environment: ServerEnvironment

    private struct Account: Sendable {
        /// The stored texts that the keys were read from.
        let source: ServiceAccountRegistry.StoredKeys
        /// The account's own key; `nil` when the stored key cannot be used.
        let key: (id: String, key: VerificationKey)?
        /// The key whose private half Postern holds: the account's own, or one beside the key file's.
        let held: HeldKey?
    }

    private struct Snapshot: Sendable {
        /// The accounts by project and e-mail.
        let accounts: [String: [String: Account]]
        let loadedAt: Timestamp
    }

    /// The result of a look-up.
    enum Finding: Sendable {
        /// A service account of the project: its own key, and the key that Postern signs custom tokens with, if there is one.
        case registered(VerificationKey, keyID: String, held: VerificationKey?)
        /// A service account of another project.
        case foreign
        /// No known service account.
        case unknown
    }

    private static let lifetime = Duration.seconds(1)
    private static let domain = ".iam.gserviceaccount.com"

    private let snapshot = LockedState<Snapshot?>(nil)

    init(database: any Database, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// Looks an account up.
    ///
    /// - Parameter email: The `iss` of a token that is not yet verified.
    /// - Returns: The result, at most a second old.
    func find(_ email: String, projectID: String) async throws -> Finding {
        let accounts = try await current()
        if let account = accounts[projectID]?[email] {
            guard let key = account.key else { return .unknown }
            return .registered(key.key, keyID: key.id, held: account.held?.publicKey)
        }
        if accounts.values.contains(where: { $0[email] != nil }) { return .foreign }
        return Self.namesAnotherProject(email, than: projectID) ? .foreign : .unknown
    }

    /// Looks up the id of an account's own key.
    ///
    /// - Returns: The id, at most a second old; `nil` when there is no such account.
    func keyID(of email: String, projectID: String) async throws -> String? {
        try await current()[projectID]?[email]?.key?.id
    }

    /// An account's key pair whose private half Postern holds.
    struct HeldKey: Sendable {
        let keyID: String
        /// Verifies what the private key signs.
        let publicKey: VerificationKey
        /// The private key, sealed for ``TokenSealer/Purpose/serviceAccountKey``.
        let sealedPrivateKey: String
    }

    /// Looks up the key that Postern signs with for an account.
    ///
    /// - Returns: The key, at most a second old; `nil` when Postern holds none. What is not known yet is looked for in the store
    ///   first.
    /// - Throws: `APIError` `SERVICE_ACCOUNT_NOT_FOUND`.
    func heldKey(of email: String, projectID: String) async throws -> HeldKey? {
        if let held = try await current()[projectID]?[email]?.held { return held }
        return try require(try await current(within: .zero)[projectID]?[email], .serviceAccountNotFound).held
    }

    /// The service account whose key this server holds, the first by its e-mail; `nil` without one.
    func firstWithHeldKey(projectID: String) async throws -> String? {
        try await current()[projectID]?.filter { $0.value.held != nil }.keys.min()
    }

    // Google's form of the e-mail names the project: `NAME@PROJECT.iam.gserviceaccount.com`.
    private static func namesAnotherProject(_ email: String, than projectID: String) -> Bool {
        guard email.hasSuffix(domain), let at = email.firstIndex(of: "@") else { return false }
        return email[email.index(after: at)...].dropLast(domain.count) != projectID
    }

    private func current(within age: Duration = lifetime) async throws -> [String: [String: Account]] {
        let now = environment.now()
        let old = snapshot.withLock { $0 }
        if let old, now < old.loadedAt.advanced(by: age), now >= old.loadedAt { return old.accounts }
        let stored = try await database.read { try $0.projectResources(kind: .serviceAccount) }
        var accounts: [String: [String: Account]] = [:]
        for (projectID, resource) in stored {
            let source = ServiceAccountRegistry.StoredKeys(resource.document)
            let known = old?.accounts[projectID]?[resource.resourceID]
            // Parsing a key costs far more than comparing its text.
            accounts[projectID, default: [:]][resource.resourceID] =
                if let known, known.source == source { known } else { await Self.account(source) }
        }
        let fresh = Snapshot(accounts: accounts, loadedAt: now)
        snapshot.withLock { $0 = fresh }
        return accounts
    }

    private static func account(_ source: ServiceAccountRegistry.StoredKeys) async -> Account {
        let own = await key(source.publicKey)
        var held: HeldKey?
        if let sealed = source.heldKey, let pair = source.heldPublicKey == nil ? own : await key(source.heldPublicKey) {
            held = HeldKey(keyID: pair.id, publicKey: pair.key, sealedPrivateKey: sealed)
        }
        return Account(source: source, key: own, held: held)
    }

    private static func key(_ pem: String?) async -> (id: String, key: VerificationKey)? {
        guard let key = pem.flatMap(ServiceAccountPublicKey.init), let verifier = await key.verificationKey() else { return nil }
        return (key.keyID, verifier)
    }
}
