import Project
import Storage
import Testing

@Suite("Administration in the store", .teardown, .timeLimit(.minutes(15)))
struct AdministrationTests {
    private static let tenant = Scope(projectID: "p", tenantID: "t")
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)

    private static func token(_ number: Int, name: String, project: String = "p") -> AdminTokenRecord {
        AdminTokenRecord(
            tokenID: "id\(number)",
            projectID: project,
            name: name,
            scopes: "read users",
            tokenHash: [UInt8(number), 0, 255],
            createdAt: time.advanced(by: .seconds(number)),
            expiresAt: number == 1 ? time.advanced(by: .seconds(100)) : nil
        )
    }

    @Test("admin tokens are found by their hash, touched, and revoked once", arguments: TestBackend.available)
    func tokens(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let (first, second) = (Self.token(1, name: "ci"), Self.token(2, name: "backup"))
        try await database.write { transaction throws in
            try transaction.insertAdminToken(first)
            try transaction.insertAdminToken(second)
            try transaction.insertAdminToken(Self.token(3, name: "ci", project: "other"))
            #expect(try transaction.adminToken(hash: first.tokenHash) == first)
            #expect(try transaction.adminToken(hash: [9]) == nil)
            #expect(try transaction.adminTokens(projectID: "p") == [first, second])
            try transaction.touchAdminToken("id1", at: Self.time)
            #expect(try transaction.adminToken(hash: first.tokenHash)?.lastUsedAt == Self.time)
            #expect(try transaction.revokeAdminToken("id1", projectID: "other", at: Self.time) == nil)
            #expect(try transaction.revokeAdminToken("id1", projectID: "p", at: Self.time)?.name == "ci")
            #expect(try transaction.revokeAdminToken("id1", projectID: "p", at: Self.time) == nil)
            #expect(try transaction.adminToken(hash: first.tokenHash)?.revokedAt == Self.time)
        }
        // A name can be used again only after its token was revoked.
        try await database.write { try $0.insertAdminToken(Self.token(4, name: "ci")) }
        await #expect(throws: StorageError.self) {
            try await database.write { try $0.insertAdminToken(Self.token(5, name: "ci")) }
        }
        #expect(try await database.count("admin_tokens") == 4)
    }

    @Test(
        "what a user repeats within a minute counts on one row, and an administrator's acts do not",
        arguments: TestBackend.available
    )
    func repetitions(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        @Sendable func event(_ second: Int, _ kind: AuditEvent.Kind, actor: String = "user", detail: JSONValue? = nil)
            -> AuditEvent
        {
            AuditEvent(
                eventID: "\(actor)\(second)",
                occurredAt: Self.time.advanced(by: .seconds(second)),
                event: kind,
                localID: "u",
                actor: actor,
                address: nil,
                detail: detail
            )
        }
        try await database.write { transaction throws in
            for second in 0..<50 { try transaction.insertAuditEvent(Self.tenant, event(second, .update)) }
            // Another event in between changes nothing. Events of another kind, with another detail, or after the minute get
            // their own rows.
            try transaction.insertAuditEvent(Self.tenant, event(51, .unlink))
            try transaction.insertAuditEvent(Self.tenant, event(52, .update))
            try transaction.insertAuditEvent(Self.tenant, event(53, .update, detail: ["a": 1]))
            try transaction.insertAuditEvent(Self.tenant, event(113, .update, detail: ["a": 1]))
            for second in 200..<203 { try transaction.insertAuditEvent(Self.tenant, event(second, .update, actor: "admin")) }
            let found = try transaction.auditEvents(Self.tenant, AuditFilter(limit: 100)).reversed()
            #expect(found.map(\.repeats) == [50, 0, 0, 0, 0, 0, 0])
            #expect(found.first?.lastAt == Self.time.advanced(by: .seconds(52)))
        }
    }

    @Test("what a user repeats is looked for among the account's latest 400 rows alone", arguments: TestBackend.available)
    func manyActs(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        @Sendable func event(_ number: Int, actor: String) -> AuditEvent {
            AuditEvent(
                eventID: "e\(number)",
                occurredAt: Timestamp(milliseconds: Self.time.milliseconds + Int64(number)),
                event: .update,
                localID: "u",
                actor: actor,
                address: nil,
                detail: nil
            )
        }
        try await database.write { transaction throws in
            func rows() throws -> Int {
                try transaction.auditEvents(Self.tenant, AuditFilter(limit: 1000)).count { $0.actor == "user" }
            }
            try transaction.insertAuditEvent(Self.tenant, event(0, actor: "user"))
            for number in 1..<400 { try transaction.insertAuditEvent(Self.tenant, event(number, actor: "admin")) }
            try transaction.insertAuditEvent(Self.tenant, event(400, actor: "user"))
            #expect(try rows() == 1)
            try transaction.insertAuditEvent(Self.tenant, event(401, actor: "admin"))
            try transaction.insertAuditEvent(Self.tenant, event(402, actor: "user"))
            #expect(try rows() == 2)
        }
    }

    @Test(
        "what a user repeats from one address and provider after another takes twenty rows of a minute, for each event",
        arguments: TestBackend.available
    )
    func alternations(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for number in 0..<300 {
                let isSignIn = number % 3 > 0
                try transaction.insertAuditEvent(
                    Self.tenant,
                    AuditEvent(
                        eventID: "e\(number)",
                        occurredAt: Timestamp(milliseconds: Self.time.milliseconds + Int64(number)),
                        event: isSignIn ? .signIn : .update,
                        localID: "u",
                        actor: "user",
                        address: "192.0.2.\(number % 100)",
                        detail: ["number": .string(String(number))]
                    )
                )
            }
            let found = try transaction.auditEvents(Self.tenant, AuditFilter(limit: 1000))
            for (event, times) in [("signIn", 200), ("update", 100)] {
                let rows = found.filter { $0.event == event }
                #expect(rows.count == 20)
                #expect(rows.reduce(0) { $0 + $1.repeats + 1 } == Int64(times))
            }
            // Two addresses in turn get one row each.
            for number in 0..<10 {
                try transaction.insertAuditEvent(
                    Self.tenant,
                    AuditEvent(
                        eventID: "f\(number)",
                        occurredAt: Self.time,
                        event: .signIn,
                        localID: "v",
                        actor: "user",
                        address: "192.0.2.\(number % 2)"
                    )
                )
            }
            #expect(try transaction.auditEvents(Self.tenant, AuditFilter(localID: "v", limit: 100)).map(\.repeats) == [4, 4])
        }
    }

    @Test("the texts of an audit record are a line each at most, and the record can be read", arguments: TestBackend.available)
    func longTexts(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let long = String(repeating: "\u{E9}", count: 500_000)
        let detail: JSONValue = ["provider": .string(long), "fields": .array(Array(repeating: .string(long), count: 5))]
        let event = AuditEvent(
            eventID: "e",
            occurredAt: Self.time,
            event: .refused,
            localID: nil,
            actor: "user",
            address: long,
            detail: detail
        )
        try await database.write { transaction throws in
            try transaction.insertAuditEvent(Self.tenant, event)
            let stored = try #require(try transaction.auditEvents(Self.tenant, AuditFilter(limit: 1)).first)
            #expect(stored.address?.utf8.count == 512)
            #expect(stored.detail?["provider"]?.string == String(repeating: "\u{E9}", count: 256))
            #expect(stored.detail?["fields"]?.array?.count == 5)
        }
    }

    @Test("the audit trail is read by time, account and kind, the latest first", arguments: TestBackend.available)
    func audit(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        @Sendable func event(_ number: Int, _ kind: AuditEvent.Kind, _ localID: String?) -> AuditEvent {
            AuditEvent(
                eventID: "e\(number)",
                occurredAt: Self.time.advanced(by: .seconds(number)),
                event: kind,
                localID: localID,
                actor: "admin-token:ci",
                address: "203.0.113.7",
                detail: number == 1 ? ["a": 1] : nil
            )
        }
        let events = [event(1, .signIn, "u"), event(2, .update, "u"), event(3, .signIn, "v"), event(4, .refused, nil)]
        try await database.write { transaction throws in
            for event in events { try transaction.insertAuditEvent(Self.tenant, event) }
            try transaction.insertAuditEvent(Self.tenant.project, event(5, .signIn, "u"))
            func found(_ filter: AuditFilter) throws -> [AuditEvent] { try transaction.auditEvents(Self.tenant, filter) }
            #expect(try found(AuditFilter(limit: 10)) == events.reversed())
            #expect(try found(AuditFilter(limit: 2)).map(\.eventID) == ["e4", "e3"])
            // Two of one moment: the id decides, and no page leaves one out or shows it twice.
            let twin = AuditEvent(
                eventID: "e2a",
                occurredAt: events[1].occurredAt,
                event: .update,
                localID: "w",
                actor: "admin-token:ci",
                address: nil
            )
            try transaction.insertAuditEvent(Self.tenant, twin)
            var (pages, filter) = ([[String]](), AuditFilter(limit: 2))
            while pages.last?.isEmpty != true {
                let page = try found(filter).map(\.eventID)
                pages.append(page)
                filter.after = try page.last.flatMap { try transaction.placeOfAuditEvent(Self.tenant, eventID: $0) }
            }
            #expect(pages == [["e4", "e3"], ["e2a", "e2"], ["e1"], []])
            #expect(try transaction.placeOfAuditEvent(Self.tenant, eventID: "e5") == nil)
            #expect(try transaction.placeOfAuditEvent(Self.tenant, eventID: "none") == nil)
            #expect(try found(AuditFilter(localID: "u", limit: 10)).map(\.eventID) == ["e2", "e1"])
            #expect(try found(AuditFilter(event: "signIn", limit: 10)).map(\.eventID) == ["e3", "e1"])
            let since = Self.time.advanced(by: .seconds(2))
            #expect(try found(AuditFilter(since: since, localID: "u", event: "update", limit: 10)).map(\.eventID) == ["e2"])
        }
    }

    @Test("accounts come page by page, sessions while they live", arguments: TestBackend.available)
    func pages(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for id in ["c", "a", "b"] {
                try transaction.insertAccount(Self.tenant, AccountRecord(localID: id, createdAt: Self.time))
            }
            try transaction.insertAccount(Self.tenant.project, AccountRecord(localID: "z", createdAt: Self.time))
            #expect(try transaction.accounts(Self.tenant, after: nil, limit: 2).map(\.localID) == ["a", "b"])
            #expect(try transaction.accounts(Self.tenant, after: "b", limit: 2).map(\.localID) == ["c"])
            for number in 0..<2 {
                let session = SessionRecord(
                    tokenHash: [UInt8(number)],
                    scope: Self.tenant,
                    localID: "a",
                    sessionID: "s\(number)",
                    signInProvider: "password",
                    authTime: 1,
                    createdAt: Self.time.advanced(by: .seconds(number))
                )
                try transaction.insertSession(session)
            }
            #expect(try transaction.liveSessions(Self.tenant, localID: "a").map(\.sessionID) == ["s1", "s0"])
            try transaction.revokeSessions(Self.tenant, localID: "a", at: Self.time)
            #expect(try transaction.liveSessions(Self.tenant, localID: "a").isEmpty)
            #expect(try transaction.useCredential(Self.tenant, hash: [7], expiresAt: Self.time))
            #expect(try transaction.usedCredentialExpiry(Self.tenant, hash: [7]) == Self.time)
            #expect(try transaction.usedCredentialExpiry(Self.tenant.project, hash: [7]) == nil)
        }
    }
}
