import Project
import Storage
import Testing

@Suite("Repositories", .timeLimit(.minutes(1)))
struct RepositoryTests {
    private static let project = Scope(projectID: "p")
    private static let tenant = Scope(projectID: "p", tenantID: "t")
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)

    private func full(_ localID: String) -> AccountRecord {
        var account = AccountRecord(localID: localID, createdAt: Self.time)
        account.email = "\(localID)@example.com"
        account.emailVerified = true
        account.initialEmail = "first@example.com"
        account.phoneNumber = "+1650555\(localID)"
        account.passwordHash = "hash"
        account.passwordUpdatedAt = Self.time
        account.displayName = "Ada 😀 Lovelace"
        account.photoURL = "https://example.com/a.png"
        account.screenName = "ada"
        account.language = "en"
        account.dateOfBirth = "1815-12-10"
        account.timeZone = "Europe/London"
        account.isDisabled = true
        account.validSince = 1_700_000_000
        account.customAttributes = #"{"role":"editor"}"#
        account.hasCustomAuth = true
        account.hasEmailLinkSignIn = true
        account.lastLoginAt = Self.time
        account.lastRefreshAt = Self.time
        return account
    }

    @Test(
        "accounts come back as they were stored, and are found by every key, in their scope only",
        arguments: TestBackend.available
    )
    func accounts(backend: TestBackend) async throws {
        try await backend.withSchema { database in
            let plain = AccountRecord(localID: "plain", createdAt: Self.time)
            let rich = full("1234")
            try await database.write { transaction throws in
                for scope in [Self.project, Self.tenant] {
                    try transaction.insertAccount(scope, plain)
                    try transaction.insertAccount(scope, rich)
                }
                try transaction.upsertIdentity(
                    Self.project,
                    localID: "1234",
                    IdentityRecord(providerID: "google.com", rawID: "g"),
                    at: Self.time
                )
            }
            try await database.read { transaction throws in
                #expect(try transaction.account(Self.project, localID: "plain") == plain)
                #expect(try transaction.account(Self.tenant, localID: "1234") == rich)
                #expect(try transaction.account(Self.project, email: "1234@example.com") == rich)
                #expect(try transaction.account(Self.project, phoneNumber: "+16505551234") == rich)
                #expect(try transaction.account(Self.project, providerID: "google.com", rawID: "g") == rich)
                #expect(try transaction.account(Self.tenant, providerID: "google.com", rawID: "g") == nil)
                #expect(try transaction.account(Scope(projectID: "q"), localID: "plain") == nil)
            }
        }
    }

    @Test("an e-mail, a number, an id and an identity belong to one account of a scope", arguments: TestBackend.available)
    func uniqueness(backend: TestBackend) async throws {
        try await backend.withSchema { database in
            let first = full("1234")
            let identity = IdentityRecord(providerID: "google.com", rawID: "g")
            try await database.write { transaction throws in
                try transaction.insertAccount(Self.project, first)
                try transaction.upsertIdentity(Self.project, localID: "1234", identity, at: Self.time)
            }
            let clashes: [(String, @Sendable (any Transaction) throws -> Void)] = [
                ("accounts_pkey", { try $0.insertAccount(Self.project, AccountRecord(localID: "1234", createdAt: Self.time)) }),
                (
                    "accounts_email",
                    { transaction in
                        var other = AccountRecord(localID: "2", createdAt: Self.time)
                        other.email = "1234@example.com"
                        try transaction.insertAccount(Self.project, other)
                    }
                ),
                (
                    "accounts_phone_number",
                    { transaction in
                        var other = AccountRecord(localID: "2", createdAt: Self.time)
                        other.phoneNumber = "+16505551234"
                        try transaction.insertAccount(Self.project, other)
                    }
                ),
                (
                    "identities_raw_id",
                    { transaction in
                        try transaction.insertAccount(Self.project, AccountRecord(localID: "2", createdAt: Self.time))
                        try transaction.upsertIdentity(Self.project, localID: "2", identity, at: Self.time)
                    }
                ),
            ]
            for (index, clash) in clashes {
                await #expect(throws: StorageError.uniqueViolation(index: index)) { try await database.write { try clash($0) } }
            }
            #expect(try await database.count("accounts") == 1)
        }
    }

    @Test("accounts change, are touched, and go with their identities", arguments: TestBackend.available)
    func changes(backend: TestBackend) async throws {
        try await backend.withSchema { database in
            let later = Self.time.advanced(by: .seconds(60))
            try await database.write { transaction throws in
                try transaction.insertAccount(Self.project, full("1234"))
                for (provider, raw) in [("google.com", "g"), ("apple.com", "a"), ("google.com", "g2")] {
                    let identity = IdentityRecord(providerID: provider, rawID: raw, email: "x@y.z")
                    try transaction.upsertIdentity(Self.project, localID: "1234", identity, at: Self.time)
                }
                let identities = try transaction.identities(Self.project, localID: "1234")
                #expect(Set(identities.map(\.rawID)) == ["g2", "a"])
                var account = full("1234")
                account.email = nil
                account.passwordHash = nil
                account.isDisabled = false
                try transaction.updateAccount(Self.project, account)
                #expect(try transaction.account(Self.project, localID: "1234") == account)
                try transaction.touchLogin(Self.project, localID: "1234", at: later)
                let touched = try transaction.touchRefresh(Self.project, localID: "1234", at: later)
                #expect(touched?.lastRefreshAt == later)
                #expect(touched?.lastLoginAt == later)
                #expect(try transaction.touchRefresh(Self.project, localID: "nobody", at: later) == nil)
                try transaction.deleteIdentities(Self.project, localID: "1234", providerIDs: ["apple.com", "unknown.com"])
                #expect(try transaction.identities(Self.project, localID: "1234").map(\.rawID) == ["g2"])
                #expect(try transaction.deleteAccount(Self.project, localID: "1234"))
                #expect(try !transaction.deleteAccount(Self.project, localID: "1234"))
            }
            #expect(try await database.count("identities") == 0)
        }
    }

    @Test("sessions end when told to, the least used first, and are forgotten in batches", arguments: TestBackend.available)
    func sessions(backend: TestBackend) async throws {
        try await backend.withSchema { database in
            try await database.write { transaction throws in
                for number in 0..<5 {
                    let created = Self.time.advanced(by: .seconds(number))
                    var session = SessionRecord(
                        tokenHash: [UInt8(number), 0, 255],
                        scope: Self.tenant,
                        localID: "u",
                        sessionID: "s\(number)",
                        signInProvider: "google.com",
                        authTime: created.seconds,
                        createdAt: created
                    )
                    session.claims = #"{"a":1}"#
                    try transaction.insertSession(session)
                    #expect(try transaction.session(tokenHash: [UInt8(number), 0, 255]) == session)
                }
                try transaction.touchSession(tokenHash: [0, 0, 255], at: Self.time.advanced(by: .seconds(100)))
                try transaction.endSurplusSessions(Self.tenant, localID: "u", keep: 2, at: Self.time)
                let live = try (0..<5).filter { try transaction.session(tokenHash: [UInt8($0), 0, 255])?.revokedAt == nil }
                #expect(live == [0, 4])
                try transaction.revokeSessions(Self.tenant, localID: "u", at: Self.time.advanced(by: .seconds(9)))
                #expect(try transaction.session(tokenHash: [4, 0, 255])?.revokedAt == Self.time.advanced(by: .seconds(9)))
                #expect(try transaction.session(tokenHash: [1, 0, 255])?.revokedAt == Self.time)
                let limit = Self.time.advanced(by: .seconds(1))
                #expect(try transaction.deleteSessions(revokedBefore: limit, limit: 2) == 2)
                #expect(try transaction.deleteSessions(revokedBefore: limit, limit: 2) == 1)
                #expect(try transaction.deleteSessions(revokedBefore: limit, limit: 2) == 0)
            }
            #expect(try await database.count("sessions") == 2)
        }
    }

    @Test("a credential is used once in a scope, until it has expired", arguments: TestBackend.available)
    func usedCredentials(backend: TestBackend) async throws {
        try await backend.withSchema { database in
            try await database.write { transaction throws in
                #expect(try transaction.useCredential(Self.project, hash: [1], expiresAt: Self.time))
                #expect(try !transaction.useCredential(Self.project, hash: [1], expiresAt: Self.time))
                #expect(try transaction.useCredential(Self.tenant, hash: [1], expiresAt: Self.time))
                #expect(try transaction.deleteExpiredCredentials(before: Self.time, limit: 10) == 0)
                let later = Self.time.advanced(by: .milliseconds(1))
                #expect(try transaction.deleteExpiredCredentials(before: later, limit: 1) == 1)
                #expect(try transaction.deleteExpiredCredentials(before: later, limit: 10) == 1)
            }
        }
    }

    @Test("a purpose has one key that signs and one successor", arguments: TestBackend.available)
    func signingKeys(backend: TestBackend) async throws {
        try await backend.withSchema { database in
            @Sendable func key(_ kid: String, active: Bool) -> SigningKeyRecord {
                SigningKeyRecord(
                    kid: kid,
                    purpose: "idToken",
                    sealedPrivateKey: "sealed",
                    certificate: "pem",
                    createdAt: Self.time,
                    activatedAt: active ? Self.time : nil
                )
            }
            try await database.write { transaction throws in
                try transaction.insertSigningKey(key("one", active: true))
                try transaction.insertSigningKey(key("two", active: false))
            }
            for (kid, isActive) in [("three", true), ("four", false)] {
                let extra = key(kid, active: isActive)
                await #expect(throws: StorageError.self) { try await database.write { try $0.insertSigningKey(extra) } }
            }
            try await database.write { transaction throws in
                try transaction.retireSigningKey(purpose: "idToken", at: Self.time)
                #expect(try transaction.activateNextSigningKey(purpose: "idToken", at: Self.time))
                #expect(try !transaction.activateNextSigningKey(purpose: "idToken", at: Self.time))
                let keys = try transaction.signingKeys(purpose: "idToken")
                #expect(keys.first { $0.kid == "one" }?.retiredAt == Self.time)
                #expect(keys.first { $0.kid == "two" }?.activatedAt == Self.time)
                try transaction.deleteSigningKeys(purpose: "idToken", retiredBefore: Self.time.advanced(by: .seconds(1)))
                #expect(try transaction.signingKeys(purpose: "idToken").map(\.kid) == ["two"])
            }
        }
    }

    @Test("a configuration document is replaced whole, and listed with its scope's", arguments: TestBackend.available)
    func resources(backend: TestBackend) async throws {
        try await backend.withSchema { database in
            try await database.write { transaction throws in
                for document: JSONValue in [["a": 1], ["b": ["c": "ü"]]] {
                    let record = ResourceRecord(kind: .config, resourceID: "", document: document)
                    try transaction.putResource(Self.project, record, at: Self.time)
                }
                let provider = ResourceRecord(kind: .oauthIdpConfig, resourceID: "oidc.x", document: ["enabled": true])
                try transaction.putResource(Self.tenant, provider, at: Self.time)
                #expect(try transaction.resource(Self.project, kind: .config, resourceID: "") == ["b": ["c": "ü"]])
                #expect(try transaction.resource(Self.tenant, kind: .config, resourceID: "") == nil)
                #expect(try transaction.resources(Self.tenant) == [provider])
            }
        }
    }

    @Test("a lease has one holder until it expires or is given back", arguments: TestBackend.available)
    func leases(backend: TestBackend) async throws {
        try await backend.withSchema { database in
            let until = Self.time.advanced(by: .seconds(10))
            try await database.write { transaction throws in
                #expect(try transaction.takeLease("work", holder: "a", at: Self.time, until: until))
                #expect(try transaction.takeLease("work", holder: "a", at: Self.time, until: until))
                #expect(try !transaction.takeLease("work", holder: "b", at: Self.time, until: until))
                #expect(try transaction.takeLease("other", holder: "b", at: Self.time, until: until))
                #expect(try transaction.takeLease("work", holder: "b", at: until, until: until.advanced(by: .seconds(10))))
                try transaction.giveBackLease("work", holder: "a")
                #expect(try !transaction.takeLease("work", holder: "a", at: until, until: until))
                try transaction.giveBackLease("work", holder: "b")
                #expect(try transaction.takeLease("work", holder: "a", at: until, until: until))
            }
        }
    }

    @Test("the audit trail forgets what is older than it must be kept", arguments: TestBackend.available)
    func audit(backend: TestBackend) async throws {
        try await backend.withSchema { database in
            try await database.write { transaction throws in
                for number in 0..<3 {
                    let event = AuditEvent(
                        eventID: "e\(number)",
                        occurredAt: Self.time.advanced(by: .seconds(number)),
                        event: "signIn",
                        localID: "u",
                        actor: "user",
                        address: nil,
                        detail: ["provider": "google.com"]
                    )
                    try transaction.insertAuditEvent(Self.tenant, event)
                }
                let limit = Self.time.advanced(by: .seconds(2))
                #expect(try transaction.deleteAuditEvents(before: limit, limit: 1) == 1)
                #expect(try transaction.deleteAuditEvents(before: limit, limit: 5) == 1)
            }
            let left = try await database.query("SELECT event_id FROM audit_events").map { try $0.text("event_id") }
            #expect(left == ["e2"])
        }
    }
}
