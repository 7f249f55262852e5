import Project
import Storage
import Testing

extension RepositoryTests {
    @Test("a purpose has one signing key and one successor, who takes its place", arguments: TestBackend.available)
    func signingKeys(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        func key(_ kid: String, activatedAt: Timestamp?) -> SigningKeyRecord {
            SigningKeyRecord(
                kid: kid,
                purpose: "test",
                sealedPrivateKey: "sealed",
                certificate: "pem",
                createdAt: Self.time,
                activatedAt: activatedAt
            )
        }
        let keys = [key("a", activatedAt: Self.time), key("b", activatedAt: nil)]
        try await database.write { for key in keys { try $0.insertSigningKey(key) } }
        #expect(try await database.read { try $0.signingKeys(purpose: "test") } == keys)
        let (second, third) = (key("c", activatedAt: Self.time), key("c", activatedAt: nil))
        // SQLite cannot tell which of the two indexes was violated, because both have the same column.
        for key in [second, third] {
            let error = await #expect(throws: StorageError.self) {
                try await database.write { try $0.insertSigningKey(key) }
            }
            guard case .uniqueViolation = error else {
                Issue.record("unexpected \(error as Any)")
                continue
            }
        }
        let isActivated = try await database.write { transaction in
            try transaction.retireSigningKey(purpose: "test", at: Self.later)
            return try transaction.activateNextSigningKey(purpose: "test", at: Self.later)
        }
        #expect(isActivated)
        let rotated = try await database.read { try $0.signingKeys(purpose: "test") }
        #expect(rotated.map(\.retiredAt) == [Self.later, nil])
        #expect(rotated.map(\.activatedAt) == [Self.time, Self.later])
    }

    @Test("documents are replaced whole, and events are kept", arguments: TestBackend.available)
    func resourcesAndAudit(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let documents: [JSONValue] = [["name": "😀"], ["other": [1, true, .null]]]
        for document in documents {
            let record = ResourceRecord(kind: .tenant, resourceID: "acme", document: document)
            try await database.write { try $0.putResource(Self.scope, record, at: Self.time) }
        }
        let stored = try await database.read { try $0.resource(Self.scope, kind: .tenant, resourceID: "acme") }
        #expect(stored == documents[1])
        let event = AuditEvent(
            eventID: "e1",
            occurredAt: Self.time,
            event: .signIn,
            localID: nil,
            actor: "user",
            address: "192.0.2.1",
            detail: ["provider": "google.com"]
        )
        try await database.write { try $0.insertAuditEvent(Self.scope, event) }
        #expect(try await database.query("SELECT detail FROM audit_events").first?.text("detail") == event.detail?.text)
    }

    @Test("documents of a kind are paged by id, and kinds of a newer version are passed over", arguments: TestBackend.available)
    func resourcesInPages(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction in
            for id in ["c", "a", "b"] {
                try transaction.putResource(
                    Self.scope,
                    .init(kind: .oauthIdpConfig, resourceID: id, document: [:]),
                    at: Self.time
                )
            }
            try transaction.putResource(Self.scope, .init(kind: .iamPolicy, resourceID: "", document: [:]), at: Self.time)
            try transaction.execute(
                """
                INSERT INTO resources (project_id, tenant_id, kind, resource_id, document, updated_at)
                VALUES (\(Self.scope.projectID), \(Self.scope.tenantKey), 'ofTomorrow', 'x', '{}', 0)
                """
            )
        }
        let pages = try await database.read { transaction in
            try [("", 2), ("b", 2), ("c", 2)].map { id, limit in
                try transaction.resources(Self.scope, kind: .oauthIdpConfig, after: id, limit: limit).map(\.resourceID)
            }
        }
        #expect(pages == [["a", "b"], ["c"], []])
        let all = try await database.read { try $0.resources(Self.scope) }
        #expect(all.map(\.kind) == [.iamPolicy, .oauthIdpConfig, .oauthIdpConfig, .oauthIdpConfig])
    }

    @Test("documents of one kind are found in every project, and removed once", arguments: TestBackend.available)
    func resourcesOfAKind(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let other = Scope(projectID: Self.scope.projectID + "-2")
        let tenant = Scope(projectID: Self.scope.projectID, tenantID: "acme")
        try await database.write { transaction in
            for (scope, kind, id) in [
                (other, ResourceKind.serviceAccount, "a@b"), (Self.scope.project, .serviceAccount, "b@b"),
                (Self.scope.project, .serviceAccount, "a@b"), (Self.scope.project, .config, ""),
                (tenant, .serviceAccount, "t@b"),
            ] {
                let record = ResourceRecord(kind: kind, resourceID: id, document: ["email": .string(id)])
                try transaction.putResource(scope, record, at: Self.time)
            }
        }
        func found() async throws -> [[String]] {
            try await database.read { transaction in
                try transaction.projectResources(kind: .serviceAccount).map { [$0.projectID, $0.resource.resourceID] }
            }
        }
        let (mine, theirs) = (Self.scope.projectID, other.projectID)
        #expect(try await found() == [[mine, "a@b"], [mine, "b@b"], [theirs, "a@b"]])
        let removals = try await database.write { transaction in
            try (0..<2).map { _ in
                try transaction.deleteResource(Self.scope.project, kind: .serviceAccount, resourceID: "a@b")
            }
        }
        #expect(removals == [true, false])
        #expect(try await found() == [[mine, "b@b"], [theirs, "a@b"]])
    }
}
