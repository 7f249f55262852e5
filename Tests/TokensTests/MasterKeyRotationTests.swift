import Foundation
import Project
import TestKit
import Testing

@testable import Storage
@testable import Tokens

@Suite("A new master key", .timeLimit(.minutes(15)))
struct MasterKeyRotationTests {
    private static let scope = Scope(projectID: "p", tenantID: "t")
    private static let expiry = Timestamp(seconds: 4_000_000_000)
    private let clock = TestClock()

    private func sealer(_ byte: UInt8, previous: UInt8? = nil) throws -> TokenSealer {
        TokenSealer(
            masterKey: try MasterKey(bytes: Array(repeating: byte, count: 32)),
            previous: try previous.map { try MasterKey(bytes: Array(repeating: $0, count: 32)) },
            environment: clock.environment()
        )
    }

    private static func onEachEngine(_ body: (any Database) async throws -> Void) async throws {
        let logger = LogCapture().logger()
        let memory = try SQLiteDatabase(.memory, readers: 1, logger: logger)
        try await Migrator.sqlite.migrate(memory, now: 0)
        try await body(memory)
        try await memory.close()
        try await ThrowawayPostgreSQL.shared().withDatabase { uri in
            let server = try PostgreSQLDatabase(uri: uri, limits: .init(connections: 2, patience: .seconds(600)), logger: logger)
            try await Migrator.postgreSQL.migrate(server, now: 0)
            try await body(server)
            try await server.close()
        }
    }

    /// Seals a value that names its purpose.
    private static func seal(_ purpose: TokenSealer.Purpose, _ sealer: TokenSealer, isScoped: Bool = true) throws -> String {
        let expires = [.authorizationFlow, .flowProof].contains(purpose) ? expiry : nil
        return try sealer.seal(Data(purpose.rawValue.utf8), for: purpose, scope: isScoped ? scope : nil, expiresAt: expires)
    }

    /// Fills a store with at least one row of every kind that holds a sealed value.
    private func fill(_ database: any Database, sealer: TokenSealer) async throws {
        let (scope, now) = (Self.scope, clock.now)
        let resource: JSONValue = [
            "clientId": "c", "secret": ["sealed": .string(try Self.seal(.configurationSecret, sealer))],
            "list": [["sealed": .string(try Self.seal(.configurationSecret, sealer))], 1.5],
        ]
        let clerk: JSONValue = ["heldKey": .string(try Self.seal(.serviceAccountKey, sealer))]
        var account = AccountRecord(localID: "ada", createdAt: now)
        account.secondFactors = [
            SecondFactor(
                enrollmentID: "e",
                displayName: "sealedSecret",
                enrolledAt: now,
                kind: .totp(sealedSecret: try Self.seal(.totpSecret, sealer))
            ),
            SecondFactor(enrollmentID: "f", displayName: nil, enrolledAt: now, kind: .phone(number: "+15555550100")),
        ]
        var oob = OOBCodeRecord(hash: [1], type: .verifyEmail, email: "a@b.c", createdAt: now, expiresAt: Self.expiry)
        oob.sealedCode = try Self.seal(.oobCode, sealer)
        let sms = SMSCodeRecord(
            codeID: "code",
            purpose: "signIn",
            app: "",
            phoneNumber: "+15555550100",
            codeMAC: [1],
            createdAt: now,
            expiresAt: Self.expiry,
            sealedCode: try Self.seal(.shownSMSCode, sealer)
        )
        var flow = AuthorizationFlowRecord(
            stateHash: [0, 255],
            scope: scope,
            providerID: "google.com",
            clientID: "c",
            redirectURI: "https://b.c",
            sessionHash: [2],
            secrets: try Self.seal(.authorizationFlow, sealer),
            createdAt: now,
            expiresAt: Self.expiry
        )
        flow.answer = try Self.seal(.authorizationFlow, sealer)
        var answered = AnsweredFlowRecord(of: flow, answerHash: [3], expiresAt: Self.expiry)
        answered.proof = try Self.seal(.flowProof, sealer)
        let messages = try (0..<250).map { number in
            OutboxRecord(
                messageID: "m\(number)",
                scope: scope,
                payload: number == 7 ? "" : try Self.seal(.outboxMessage, sealer, isScoped: false),
                createdAt: now,
                expiresAt: Self.expiry
            )
        }
        let signing = SigningKeyRecord(
            kid: "k",
            purpose: "idToken",
            sealedPrivateKey: try Self.seal(.signingKey, sealer, isScoped: false),
            certificate: "",
            createdAt: now
        )
        var guardian = OperatorRecord(operatorID: "o", email: "o@b.c", role: "owner", tenantID: nil, createdAt: now)
        guardian.sealedTOTP = try Self.seal(.operatorTOTP, sealer, isScoped: false)
        let (stored, code, waiting, person, lost) = (account, oob, flow, guardian, answered)
        try await database.write { transaction in
            try transaction.insertAccount(scope, stored)
            for (kind, id, document) in [(ResourceKind.oauthIdpConfig, "oidc.a", resource), (.serviceAccount, "clerk", clerk)] {
                try transaction.putResource(scope, ResourceRecord(kind: kind, resourceID: id, document: document), at: now)
            }
            try transaction.insertOOBCode(scope, code)
            try transaction.insertSMSCode(scope, sms)
            try transaction.insertAuthorizationFlow(waiting)
            try transaction.insertAnsweredFlow(lost)
            for message in messages { try transaction.insertOutboxMessage(message, in: .email) }
            try transaction.insertOutboxMessage(messages[0], in: .sms)
            try transaction.insertSigningKey(signing)
            try transaction.insertOperator(scope.projectID, person)
        }
    }

    /// What opens with a sealer among all texts of all columns, alone or inside a JSON document: the purposes, by table and column.
    private func opening(_ sealer: TokenSealer, in database: any Database) async throws -> [String: Int] {
        var found: [String: Int] = [:]
        for table in StoreTable.all {
            let rows = try await database.read { try table.page(after: nil, limit: 10_000, in: $0) }
            for (column, value) in rows.flatMap({ zip(table.columns, $0) }) {
                guard case .text(let text) = value else { continue }
                let texts = [text] + ((try? JSONValue.parse(text.utf8)).map(Self.texts) ?? [])
                for text in texts where Self.opens(text, sealer) { found["\(table.name).\(column)", default: 0] += 1 }
            }
        }
        return found
    }

    private static func texts(_ value: JSONValue) -> [String] {
        if let text = value.string { return [text] }
        return (value.array ?? value.object.map { Array($0.values) } ?? []).flatMap(texts)
    }

    private static func opens(_ text: String, _ sealer: TokenSealer) -> Bool {
        TokenSealer.Purpose.allCases.contains { purpose in
            [scope, nil].contains { scope in
                (try? sealer.open(text, for: purpose, scope: scope)) == Data(purpose.rawValue.utf8)
            }
        }
    }

    @Test("afterwards every sealed value of the store opens with the new key, and none with the old one, on either engine")
    func everything() async throws {
        try await Self.onEachEngine { database in
            let (old, both, new) = (try sealer(1), try sealer(2, previous: 1), try sealer(2))
            try await fill(database, sealer: old)
            let before = try await opening(old, in: database)
            let places = Set(MasterKeyRotation.columns.map { "\($0.table).\($0.column)" })
            #expect(Set(before.keys) == places, "every column that may hold a sealed value does so in this test")
            #expect(before == (try await opening(both, in: database)), "servers with both keys go on")
            let rotation = MasterKeyRotation(database: database, sealer: both, environment: clock.environment())
            let context = CallContext(scope: Self.scope, actor: "cli")
            let counts = try await rotation.rewrap(context: context)
            #expect(counts.reduce(0) { $0 + $1.counts.renewed } == 11 + 249)
            #expect(counts.allSatisfy { $0.counts.unreadable == 0 })
            #expect(try await opening(new, in: database) == before)
            #expect(try await opening(old, in: database) == [:])
            let again = try await rotation.rewrap(context: context)
            #expect(again.allSatisfy { $0.counts.renewed == 0 && $0.counts.unreadable == 0 })
            let filter = AuditFilter(event: "masterKeyReplaced", limit: 10)
            let records = try await database.read { try $0.auditEvents(Self.scope, filter) }
            let details: [JSONValue] = [["renewed": 260, "unreadable": 0], ["renewed": 0, "unreadable": 0]]
            #expect(records.count == 2 && details.allSatisfy { detail in records.contains { $0.detail == detail } })
            #expect(records.allSatisfy { $0.actor == "cli" && $0.localID == nil })
            let account = try await database.read { try $0.account(Self.scope, localID: "ada") }
            #expect(account?.secondFactors.count == 2 && account?.secondFactors.first?.displayName == "sealedSecret")
        }
    }

    @Test("values that open under neither key are counted and left alone, and expired ones are sealed anew with their expiry")
    func others() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(database, now: 0)
        try await fill(database, sealer: try sealer(3))
        let before = try await opening(try sealer(3), in: database)
        let rotation = MasterKeyRotation(database: database, sealer: try sealer(2, previous: 1), environment: clock.environment())
        let counts = try await rotation.rewrap(context: CallContext(scope: Self.scope, actor: "cli"))
        #expect(counts.allSatisfy { $0.counts.renewed == 0 })
        #expect(counts.reduce(0) { $0 + $1.counts.unreadable } == before.values.reduce(0, +))
        #expect(try await opening(try sealer(3), in: database) == before)
        let soon = clock.now.advanced(by: .seconds(1))
        let expiring = try sealer(1).seal(Data("x".utf8), for: .oobCode, expiresAt: soon)
        clock.advance(by: .seconds(2))
        guard case .renewed(let renewed) = try sealer(2, previous: 1).rewrapped(expiring, for: .oobCode) else {
            Issue.record("an expired value is sealed anew")
            return
        }
        #expect(throws: TokenSealer.CannotOpen.self) { try sealer(2).open(renewed, for: .oobCode) }
    }

    @Test("a value that is changed meanwhile is not overwritten, and the next pass takes it")
    func races() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(database, now: 0)
        try await fill(database, sealer: try sealer(1))
        let row = try #require(try await database.read { try $0.sealedRows(.signingKey, after: nil, limit: 1) }.first)
        let replaced = try await database.write { transaction in
            try ["first", "second"].map { try transaction.replace(row, of: .signingKey, by: $0) }
        }
        #expect(replaced == [true, false])
        #expect(try await database.read { try $0.sealedRows(.signingKey, after: nil, limit: 1) }.first?.text == "first")
    }

    @Test("both keys open, the new one seals, and short codes match under either")
    func overlap() throws {
        let (old, both, new) = (try sealer(1), try sealer(2, previous: 1), try sealer(2))
        let sealed = try old.seal(Data("x".utf8), for: .pendingCredential)
        #expect(try both.open(sealed, for: .pendingCredential) == Data("x".utf8))
        #expect(throws: TokenSealer.CannotOpen.self) { try new.open(sealed, for: .pendingCredential) }
        let fresh = try both.seal(Data("x".utf8), for: .pendingCredential)
        #expect(try new.open(fresh, for: .pendingCredential) == Data("x".utf8))
        #expect(throws: TokenSealer.CannotOpen.self) { try old.open(fresh, for: .pendingCredential) }
        let codes = try both.authenticationCodes(of: [1, 2], for: .smsCode)
        #expect(try codes == [new, old].map { try $0.authenticationCode(of: [1, 2], for: .smsCode) })
        #expect(try new.authenticationCodes(of: [1, 2], for: .smsCode).count == 1)
    }
}
