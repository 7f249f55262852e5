package import Project
package import Storage

/// The keys that sign tokens, as this node has them in memory.
///
/// The store holds them, sealed. There are three kinds at a time: one that signs, one successor that is already published, and
/// those that no longer sign but whose tokens are still valid. A rotation promotes the successor at once, because verifiers
/// already know it. ``refresh()`` reads what another node or the command line changed.
package final class KeyRing: Sendable {
    /// What a set of keys signs. Development has its own set, so that no token of one mode is accepted in the other.
    package enum Purpose: String, Sendable {
        case idToken
        case developmentIDToken

        package static func idTokens(of mode: ServerMode) -> Purpose { mode == .development ? .developmentIDToken : .idToken }
    }

    /// The store belongs to the other mode. A store made in development never serves in production (threat case EMU-01).
    package struct OtherMode: Error, CustomStringConvertible {
        let purpose: Purpose

        package var description: String {
            switch purpose {
            case .idToken:
                """
                the database was made in development mode, and production does not start on it: give production a database of its \
                own, and move users with `postern users export --format postern --with-passwords` and `postern users import`
                """
            case .developmentIDToken: "the database is of a production server; give development mode a database of its own"
            }
        }
    }

    /// The store's keys cannot be decrypted.
    package struct CannotUnseal: Error, CustomStringConvertible {
        package var description: String {
            """
            the signing keys in the database do not open with this secrets.masterKey; restore the master key they were made with, or give \
            it as secrets.previousMasterKey
            """
        }
    }

    struct Loaded: Sendable {
        var records: [SigningKeyRecord]
        var pairs: [String: SigningKeyPair]
        var current: SigningKeyPair
        var verificationKeys: [String: VerificationKey]
        /// The keys that verify ID tokens. The other keys are kept for session cookies, which live longer.
        var idTokenKeys: Set<String>
        /// The number of the read that loaded these keys.
        var read: Int

        var entries: [(record: SigningKeyRecord, pair: SigningKeyPair)] {
            records.compactMap { record in pairs[record.kid].map { (record, $0) } }
        }

        /// The record of the key that signs.
        var signing: SigningKeyRecord? { records.last(where: \.isSigning) }
    }

    let database: any Database
    private let sealer: TokenSealer
    let environment: ServerEnvironment
    let purpose: Purpose
    private let retention: Duration
    let cookieRetention: Duration
    let loaded = LockedState<Loaded?>(nil)
    private let reads = LockedState(0)

    /// Makes an empty ring; ``load()`` fills it.
    ///
    /// - Parameters:
    ///   - tokenLifetime: A key verifies for that long, and one more hour, after it ceased to sign.
    ///   - cookieLifetime: At most. A key is published for that long, and one more hour, so that cookies can be verified.
    package init(
        database: any Database,
        sealer: TokenSealer,
        environment: ServerEnvironment,
        purpose: Purpose,
        tokenLifetime: Duration,
        cookieLifetime: Duration = TokenIssuer.longestCookie
    ) {
        self.database = database
        self.sealer = sealer
        self.environment = environment
        self.purpose = purpose
        retention = tokenLifetime + .seconds(3600)
        cookieRetention = max(tokenLifetime, cookieLifetime) + .seconds(3600)
    }

    /// Makes the first keys if the store has none, then loads all keys. The keys show to which mode a store belongs.
    ///
    /// - Throws: ``OtherMode``, ``CannotUnseal``.
    package func load() async throws {
        let purposes = try await database.read { try $0.tokenKeyPurposes() }
        if purposes.isEmpty { try await makeKeys() }
        if purposes.contains(where: { $0 != purpose.rawValue }) { throw OtherMode(purpose: purpose) }
        try await refresh()
    }

    /// Checks a store that may have no schema yet, before anything is changed in it.
    package static func checkMode(of database: any Database, purpose: Purpose) async throws {
        // A read that fails is repeated by ``load()``, when there is a schema.
        let purposes = (try? await database.read { try $0.tokenKeyPurposes() }) ?? []
        if purposes.contains(where: { $0 != purpose.rawValue }) { throw OtherMode(purpose: purpose) }
    }

    /// Checks that the keys of a store open with the master key, before anything is changed in it. The store may have no schema yet.
    package func checkOpens() async throws {
        let purpose = purpose.rawValue
        // A read that fails is repeated by ``load()``, when there is a schema.
        let records = (try? await database.read { try $0.signingKeys(purpose: purpose) }) ?? []
        for record in records where record.retiredAt == nil { _ = try unseal(record) }
    }

    /// Loads the keys for a command, which may work on a store of either mode. On a store of the other mode the ring stays empty.
    ///
    /// - Parameter makesKeys: Whether a store without keys gets its first ones, and with them its mode.
    package func loadForCommand(makesKeys: Bool) async throws {
        let purposes = try await database.read { try $0.tokenKeyPurposes() }
        if purposes == [purpose.rawValue] || purposes.isEmpty && makesKeys { try await load() }
    }

    private func makeKeys() async throws {
        var first = try await newKey()
        first.activatedAt = first.createdAt
        let keys = [first, try await newKey()]
        let purpose = purpose
        // If another node made the keys in the meantime, ours are discarded.
        do {
            try await database.write { transaction in
                switch try transaction.tokenKeyPurposes() {
                case []: for key in keys { try transaction.insertSigningKey(key) }
                case [purpose.rawValue]: break
                default: throw OtherMode(purpose: purpose)
                }
            }
        } catch StorageError.uniqueViolation {
            return
        }
    }

    /// Reads what changed in the store since the last read.
    ///
    /// - Throws: ``CannotUnseal``; the ring then stays as it was.
    package func refresh() async throws {
        let purpose = purpose.rawValue
        let now = environment.now()
        let (expiry, cookieExpiry) = (now - retention, now - cookieRetention)
        let read = reads.withLock { reads in
            reads += 1
            return reads
        }
        let records = try await database.read { try $0.signingKeys(purpose: purpose) }
            .filter { $0.retiredAt.map { $0 >= cookieExpiry } ?? true }
        let idTokenKeys = Set(records.filter { $0.retiredAt.map { $0 >= expiry } ?? true }.map(\.kid))
        let known = loaded.withLock { $0 }
        guard records != known?.records || idTokenKeys != known?.idTokenKeys else { return }
        var pairs: [String: SigningKeyPair] = [:]
        var verificationKeys: [String: VerificationKey] = [:]
        for record in records {
            let pair = try known?.pairs[record.kid] ?? unseal(record)
            pairs[record.kid] = pair
            verificationKeys[record.kid] = await VerificationKey.keys(jwk: pair.jwk).first
        }
        let signing = records.last(where: \.isSigning)
        guard let current = signing.flatMap({ pairs[$0.kid] }) else { throw CannotUnseal() }
        let fresh = Loaded(
            records: records,
            pairs: pairs,
            current: current,
            verificationKeys: verificationKeys,
            idTokenKeys: idTokenKeys,
            read: read
        )
        // A read that began earlier may end later. Its older result must not undo a rotation.
        loaded.withLock { loaded in
            if loaded.map({ $0.read < read }) ?? true { loaded = fresh }
        }
    }

    /// Whether the ring can sign.
    package var isLoaded: Bool { loaded.withLock { $0 != nil } }

    /// The key that signs.
    ///
    /// - Throws: ``NotLoaded`` before ``load()``.
    package func current() throws -> SigningKeyPair {
        guard let current = loaded.withLock({ $0?.current }) else { throw NotLoaded() }
        return current
    }

    /// The ring was asked for keys before it was loaded.
    package struct NotLoaded: Error {}

    /// The key of that id that may verify our ID tokens, or `nil`.
    package func verificationKey(_ kid: String) -> VerificationKey? {
        loaded.withLock { $0?.idTokenKeys.contains(kid) == true ? $0?.verificationKeys[kid] : nil }
    }

    /// Every key that is published for ID tokens, oldest first, each with its record.
    package var published: [(record: SigningKeyRecord, pair: SigningKeyPair)] {
        loaded.withLock { loaded in loaded?.entries.filter { loaded?.idTokenKeys.contains($0.record.kid) == true } ?? [] }
    }

    /// Every key that is published for session cookies, oldest first.
    package var publishedForCookies: [(record: SigningKeyRecord, pair: SigningKeyPair)] {
        loaded.withLock { $0?.entries ?? [] }
    }

    func newKey() async throws -> SigningKeyRecord {
        // The search for primes takes a while and must not block this task's executor.
        let environment = environment
        let made = try await Task.detached(priority: .utility) { try SigningKeyPair.generate(environment) }.value
        return SigningKeyRecord(
            kid: made.kid,
            purpose: purpose.rawValue,
            sealedPrivateKey: try sealer.seal(made.privateKey, for: .signingKey),
            certificate: made.certificate,
            createdAt: environment.now()
        )
    }

    private func unseal(_ record: SigningKeyRecord) throws -> SigningKeyPair {
        do {
            let privateKey = try sealer.open(record.sealedPrivateKey, for: .signingKey)
            return try SigningKeyPair.restore(kid: record.kid, privateKey: privateKey, certificate: record.certificate)
        } catch {
            throw CannotUnseal()
        }
    }
}

extension Transaction {
    /// The purposes that have keys and show the mode of a store. A service provider's keys are alike in both modes.
    fileprivate func tokenKeyPurposes() throws -> [String] {
        try signingKeyPurposes().filter { $0 != ServiceProviderKeys.purpose }
    }
}
