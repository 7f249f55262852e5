import Project
import Storage
import Testing

@Suite("Repositories", .teardown, .timeLimit(.minutes(15)))
struct RepositoryTests {
    static let scope = Scope(projectID: "demo", tenantID: nil)
    static let tenant = Scope(projectID: "demo", tenantID: "acme")
    static let time = Timestamp(milliseconds: 1_700_000_000_123)
    static let later = Timestamp(milliseconds: 1_700_000_060_456)

    private static let secondFactors: [SecondFactor] = {
        var totp = SecondFactor(
            enrollmentID: "two",
            displayName: nil,
            enrolledAt: later,
            kind: .totp(sealedSecret: "sealed")
        )
        totp.lastTimeStep = 56_666_668
        let earlier = UsedSecondFactor(kind: "phone", enrollmentID: "one")
        totp.enrolledBeside = SecondFactor.Earlier(factor: earlier, sessionID: "session")
        let phone = SecondFactor(
            enrollmentID: "one",
            displayName: "My \"phone\"",
            enrolledAt: time,
            kind: .phone(number: "+15550101")
        )
        return [phone, totp]
    }()

    private func account(_ localID: String, email: String? = nil, phoneNumber: String? = nil) -> AccountRecord {
        var account = AccountRecord(localID: localID, createdAt: Self.time)
        account.email = email
        account.phoneNumber = phoneNumber
        return account
    }

    @Test("an account comes back as it was stored, by each of its names, and only in its scope", arguments: TestBackend.available)
    func accounts(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        var full = account("full", email: "ada@example.com", phoneNumber: "+15550100")
        full.emailVerified = true
        full.initialEmail = "first@example.com"
        full.passwordHash = "hash"
        full.passwordUpdatedAt = Self.time
        full.displayName = "Ada 👩‍💻 Lovelace"
        full.photoURL = "https://example.com/ada.png"
        full.screenName = "ada"
        full.language = "en"
        full.dateOfBirth = "1815-12-10"
        full.timeZone = "Europe/London"
        full.isDisabled = true
        full.validSince = 1_700_000_000
        full.customAttributes = #"{"role":"admin"}"#
        full.hasCustomAuth = true
        full.hasEmailLinkSignIn = true
        full.lastLoginAt = Self.time
        full.lastRefreshAt = Self.later
        full.secondFactors = Self.secondFactors
        let records = [full, account("bare")]
        try await database.write { for record in records { try $0.insertAccount(Self.scope, record) } }
        try await database.read { (transaction: Transaction) throws in
            for record in records { #expect(try transaction.account(Self.scope, localID: record.localID) == record) }
            #expect(try transaction.account(Self.scope, email: "ada@example.com") == records[0])
            #expect(try transaction.account(Self.scope, phoneNumber: "+15550100") == records[0])
            #expect(try transaction.account(Self.tenant, localID: "full") == nil)
        }
        // Absent values are set, and set values become absent.
        var (bare, emptied) = (account("bare", email: "new@example.com"), account("full"))
        bare.validSince = 5
        emptied.isDisabled = true
        let changed = [bare, emptied]
        try await database.write { for record in changed { try $0.updateAccount(Self.scope, record) } }
        try await database.read { (transaction: Transaction) throws in
            for record in changed { #expect(try transaction.account(Self.scope, localID: record.localID) == record) }
        }
        let touched = try await database.write { transaction in
            try transaction.touchLogin(Self.scope, localID: "bare", at: Self.time)
            return try transaction.touchRefresh(Self.scope, localID: "bare", at: Self.later)
        }
        #expect(touched?.lastLoginAt == Self.time)
        #expect(touched?.lastRefreshAt == Self.later)
        #expect(try await database.write { try $0.deleteAccount(Self.scope, localID: "bare") })
        #expect(try await !database.write { try $0.deleteAccount(Self.scope, localID: "bare") })
    }

    @Test("an address, a number and a provider's user belong to one account of a scope", arguments: TestBackend.available)
    func uniqueness(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let google = IdentityRecord(providerID: "google.com", rawID: "g1", displayName: "Ada")
        let first = account("first", email: "a@b.c", phoneNumber: "+1")
        try await database.write { transaction in
            try transaction.insertAccount(Self.scope, first)
            try transaction.insertAccount(Self.scope, AccountRecord(localID: "second", createdAt: Self.time))
            try transaction.insertAccount(Self.tenant, first)
            try transaction.upsertIdentity(Self.scope, localID: "first", google, at: Self.time)
        }
        for (index, record) in [
            ("accounts_email", account("x", email: "a@b.c")), ("accounts_phone_number", account("x", phoneNumber: "+1")),
            ("accounts_pkey", account("first")),
        ] {
            await #expect(throws: StorageError.uniqueViolation(index: index)) {
                try await database.write { try $0.insertAccount(Self.scope, record) }
            }
        }
        await #expect(throws: StorageError.uniqueViolation(index: "identities_raw_id")) {
            try await database.write { try $0.upsertIdentity(Self.scope, localID: "second", google, at: Self.time) }
        }
        await #expect(throws: StorageError.foreignKeyViolation) {
            let other = IdentityRecord(providerID: "google.com", rawID: "g2")
            try await database.write { try $0.upsertIdentity(Self.scope, localID: "nobody", other, at: Self.time) }
        }
    }

    @Test("identities keep their order, are refreshed in place, and go with their account", arguments: TestBackend.available)
    func identities(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let (apple, google) = (
            IdentityRecord(providerID: "apple.com", rawID: "a1", email: "a@b.c"),
            IdentityRecord(providerID: "google.com", rawID: "g1")
        )
        let fresh = IdentityRecord(providerID: "google.com", rawID: "g1", displayName: "Ada")
        let owner = account("owner")
        func linked(_ identity: IdentityRecord, _ time: Timestamp) -> IdentityRecord {
            var identity = identity
            identity.linkedAt = time
            return identity
        }
        try await database.write { transaction in
            try transaction.insertAccount(Self.scope, owner)
            try transaction.upsertIdentity(Self.scope, localID: "owner", google, at: Self.time)
            try transaction.upsertIdentity(Self.scope, localID: "owner", apple, at: Self.later)
            try transaction.upsertIdentity(Self.scope, localID: "owner", fresh, at: Self.later)
        }
        #expect(
            try await database.read { try $0.identities(Self.scope, localID: "owner") } == [
                linked(fresh, Self.time), linked(apple, Self.later),
            ]
        )
        let found = try await database.read { try $0.account(Self.scope, providerID: "google.com", rawID: "g1") }
        #expect(found?.localID == "owner")
        try await database.write {
            try $0.deleteIdentities(Self.scope, localID: "owner", providerIDs: ["google.com", "not.linked"])
        }
        #expect(try await database.read { try $0.identities(Self.scope, localID: "owner") } == [linked(apple, Self.later)])
        #expect(try await database.write { try $0.deleteAccount(Self.scope, localID: "owner") })
        #expect(try await database.count("identities") == 0)
    }

    @Test("sessions are found by their hash, the least recently used one ends first", arguments: TestBackend.available)
    func sessions(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let sessions = (0..<3).map { number in
            var session = SessionRecord(
                tokenHash: [UInt8](repeating: UInt8(number), count: 32),
                scope: Self.tenant,
                localID: "owner",
                sessionID: "s\(number)",
                signInProvider: "google.com",
                authTime: Self.time.seconds,
                createdAt: Timestamp(milliseconds: Int64(1000 + number))
            )
            if number == 2 { session.secondFactor = UsedSecondFactor(kind: "totp", enrollmentID: "two") }
            return session
        }
        try await database.write { transaction in
            for session in sessions { try transaction.insertSession(session) }
            try transaction.touchSession(tokenHash: sessions[0].tokenHash, at: Self.time)
            try transaction.endSurplusSessions(Self.tenant, localID: "owner", keep: 2, at: Self.later)
        }
        let found = try await database.read { (transaction: Transaction) throws in
            try sessions.map { try transaction.session(tokenHash: $0.tokenHash) }
        }
        #expect(found.map { $0?.revokedAt } == [nil, Self.later, nil])
        #expect(found[0]?.lastUsedAt == Self.time)
        #expect(found[2] == sessions[2])
        try await database.write { try $0.revokeSessions(Self.tenant, localID: "owner", at: Self.time) }
        #expect(try await database.query("SELECT 1 AS one FROM sessions WHERE revoked_at IS NULL").isEmpty)
    }

    @Test("a credential passes once, also when many bring it at once, until it has expired", arguments: TestBackend.available)
    func usedCredentials(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let accepted = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<20 {
                tasks.addTask {
                    try await database.write { try $0.useCredential(Self.scope, hash: [0, 1], expiresAt: Self.time) }
                }
            }
            return try await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 1)
        #expect(try await database.write { try $0.useCredential(Self.tenant, hash: [0, 1], expiresAt: Self.later) })
        #expect(try await database.write { try $0.deleteExpired(.usedCredentials, before: Self.later, limit: 10) } == 1)
        #expect(try await database.write { try $0.useCredential(Self.scope, hash: [0, 1], expiresAt: Self.later) })
    }

    @Test("a tenant takes everything with it but what counts and proves", arguments: TestBackend.available)
    func tenantDeletion(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let project = Self.scope.project
        let gone = Scope(projectID: project.projectID, tenantID: "gone")
        let other = Scope(projectID: project.projectID, tenantID: "other")
        let event = { @Sendable (scope: Scope) in
            AuditEvent(
                eventID: scope.tenantKey + "-e",
                occurredAt: Self.time,
                event: .signIn,
                localID: nil,
                actor: "user",
                address: nil
            )
        }
        try await database.write { transaction in
            for scope in [gone, other] {
                let tenant = ResourceRecord(kind: .tenant, resourceID: scope.tenantKey, document: [:])
                try transaction.putResource(project, tenant, at: Self.time)
                let provider = ResourceRecord(kind: .oauthIdpConfig, resourceID: "oidc.x", document: [:])
                try transaction.putResource(scope, provider, at: Self.time)
                try transaction.execute(
                    """
                    INSERT INTO accounts (project_id, tenant_id, local_id, disabled, custom_auth, email_link_sign_in, created_at)
                    VALUES (\(scope.projectID), \(scope.tenantKey), 'u', 0, 0, 0, 0)
                    """
                )
                try transaction.execute(
                    """
                    INSERT INTO identities (project_id, tenant_id, local_id, provider_id, raw_id, linked_at)
                    VALUES (\(scope.projectID), \(scope.tenantKey), 'u', 'oidc.x', 'r', 0)
                    """
                )
                try transaction.insertAuditEvent(scope, event(scope))
            }
        }
        try await database.write { try $0.deleteTenant(gone) }
        // At project level there is no tenant to delete.
        try await database.write { try $0.deleteTenant(project) }
        for (table, left) in [("accounts", 1), ("identities", 1), ("resources", 2), ("audit_events", 2)] as [(String, Int64)] {
            #expect(try await database.count(table) == left, "\(table)")
        }
        #expect(try await database.read { try $0.resource(project, kind: .tenant, resourceID: "gone") } == nil)
        #expect(try await database.read { try $0.account(other, localID: "u") } != nil)
    }
}
