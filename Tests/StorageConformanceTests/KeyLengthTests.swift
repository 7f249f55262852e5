import Project
import Storage
import Testing

@Suite("Texts in indexes", .teardown, .timeLimit(.minutes(15)))
struct KeyLengthTests {
    /// The longest text of each indexed column, in bytes, as its writers limit it. A new indexed column has to be added here.
    private static let longest: [String: Int] = [
        "project_id": KeyLength.projectID, "tenant_id": KeyLength.tenantID, "provider_id": KeyLength.providerID,
        "raw_id": KeyLength.rawID,
        // 128 characters.
        "local_id": 4 * LocalID.maximumLength,
        // In development, the small letters of some capitals take more bytes.
        "email": 2 * KeyLength.email, "initial_email": 2 * KeyLength.email, "phone_number": 64,
        // Base64 of 1,023 bytes (WebAuthn §4).
        "credential_id": 1364,
        // A bucket may contain an account's id.
        "bucket": 600,
        // Service accounts are named by an address.
        "resource_id": 200, "name": 64,
        // Texts that the server draws or fixes.
        "session_id": 20, "event_id": 32, "message_id": 32, "code_id": 64, "token_id": 32, "kid": 64, "purpose": 32, "kind": 32,
        "request_type": 32, "work": 2048, "chain_class": 32, "receiver": 32,
        "operator_id": 20, "approval_id": 20, "event": 64, "metric": 32, "label": 64,
    ]

    /// The bytes that PostgreSQL allows for a row in an index, less its own part.
    private static let most = 2600

    @Test("are bounded, and all columns of an index together fit", arguments: [TestBackend.sqlite, .postgreSQL])
    func indexes(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let query: SQL =
            backend == .postgreSQL
            ? """
            SELECT CAST(i.indexrelid AS BIGINT) AS number, CAST(c.relname AS TEXT) AS name, CAST(a.attname AS TEXT) AS column_name
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)
            WHERE n.nspname = 'public' AND t.relname <> 'schema_migrations' AND a.atttypid = 25
            """
            : """
            SELECT l.name AS name, i.name AS column_name
            FROM sqlite_master m JOIN pragma_index_list(m.name) l JOIN pragma_index_info(l.name) i
            JOIN pragma_table_info(m.name) t ON t.name = i.name
            WHERE m.type = 'table' AND m.name <> 'schema_migrations' AND t.type = 'TEXT'
            """
        var lengths: [String: Int] = [:]
        for row in try await database.query(query) {
            let column = try row.text("column_name")
            let length = try #require(Self.longest[column], "\(column) is indexed, and has no bound")
            lengths[try row.text("name"), default: 0] += length
        }
        #expect(lengths.count > 20)
        for (index, length) in lengths { #expect(length <= Self.most, "\(index)") }
    }

    @Test(
        "as long as they may be are stored on every engine, also where they cannot be compressed",
        arguments: TestBackend.available
    )
    func longest(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let scope = Scope(projectID: text(KeyLength.projectID), tenantID: text(KeyLength.tenantID))
        try await database.write { transaction throws in
            let account = AccountRecord(localID: text(4 * LocalID.maximumLength), createdAt: Timestamp(seconds: 1))
            try transaction.insertAccount(scope, account)
            var identity = IdentityRecord(providerID: text(KeyLength.providerID), rawID: text(KeyLength.rawID))
            identity.email = text(KeyLength.email)
            try transaction.upsertIdentity(scope, localID: account.localID, identity, at: Timestamp(seconds: 1))
            let found = try transaction.account(scope, providerID: identity.providerID, rawID: identity.rawID)
            #expect(found?.localID == account.localID)
        }
    }

    /// Base64 of a hash chain.
    private func text(_ length: Int) -> String {
        let bytes = (0..<length / 32 + 1).flatMap { sha256("\(length) \($0)".utf8) }
        return String(Base64URL.encode(bytes).prefix(length))
    }
}
