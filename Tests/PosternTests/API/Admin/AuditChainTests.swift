import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("The chains of the audit trail", .teardown, .timeLimit(.minutes(15)))
struct AuditChainTests {
    private static let scope = Scope(projectID: "demo-test")
    private static let key = AuditChainKey(scope: scope, recordClass: "administration")

    private static func signer(_ number: UInt8 = 7) throws -> AuditSigner {
        try AuditSigner(masterKey: try MasterKey(bytes: [UInt8](repeating: number, count: 32)))
    }

    /// Five acts of administrators, each of its own, with their places.
    private static func fill(_ server: TestServer, _ count: Int = 5) async throws {
        for number in 0..<count {
            server.clock.advance(by: .seconds(1))
            let body: JSONValue = ["localId": .string("user-\(number)-\(server.clock.now.seconds)")]
            #expect(try await server.admin("accounts", body).status == 200)
        }
        #expect(try await server.core.auditSequencer.sequence() == count)
    }

    private static func faults(_ server: TestServer, checkpoints: [String] = []) async throws -> [String] {
        let verification = AuditVerification(database: server.core.database, signer: try signer())
        return try await verification.verify(projectID: "demo-test", checkpoints: checkpoints).flatMap(\.faults)
    }

    private static func ends(_ server: TestServer) async throws -> AuditChainEnds {
        try #require(try await server.core.database.read { try $0.auditChain(key) })
    }

    /// What somebody does to the tables, and what is found of it.
    struct Tampering: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let statements: [SQL]
        let fault: String

        static let all: [Tampering] = [
            .init(
                testDescription: "another actor",
                statements: ["UPDATE audit_events SET actor = 'nobody' WHERE chain_seq = 2"],
                fault: "record 2 ("
            ),
            .init(
                testDescription: "another detail",
                statements: ["UPDATE audit_events SET detail = '{}' WHERE chain_seq = 5"],
                fault: "record 5 ("
            ),
            .init(
                testDescription: "another count",
                statements: ["UPDATE audit_events SET repeats = 7 WHERE chain_seq = 1"],
                fault: "record 1 ("
            ),
            .init(
                testDescription: "another hash",
                statements: ["UPDATE audit_events SET chain_hash = '00' WHERE chain_seq = 3"],
                fault: "record 3 ("
            ),
            .init(
                testDescription: "removed within",
                statements: ["DELETE FROM audit_events WHERE chain_seq IN (2, 3)"],
                fault: "records 2 to 3: removed"
            ),
            .init(
                testDescription: "removed first",
                statements: ["DELETE FROM audit_events WHERE chain_seq = 1"],
                fault: "record 1: removed"
            ),
            .init(
                testDescription: "removed last",
                statements: ["DELETE FROM audit_events WHERE chain_seq = 5"],
                fault: "record 5: removed"
            ),
            .init(
                testDescription: "out of the chain",
                statements: ["UPDATE audit_events SET chain_seq = NULL WHERE chain_seq = 4"],
                fault: "record 4: removed"
            ),
            .init(
                testDescription: "removed last, with the end",
                statements: [
                    "DELETE FROM audit_events WHERE chain_seq = 5",
                    """
                    UPDATE audit_chains SET head_seq = 4,
                        head_hash = (SELECT chain_hash FROM audit_events WHERE chain_seq = 4)
                    """,
                ],
                fault: "the end of the chain has no valid signature"
            ),
            .init(
                testDescription: "removed first, as retention would",
                statements: [
                    """
                    UPDATE audit_chains SET cut_seq = 2, cut_checkpoint = head_checkpoint,
                        cut_hash = (SELECT chain_hash FROM audit_events WHERE chain_seq = 2)
                    """,
                    "DELETE FROM audit_events WHERE chain_seq <= 2",
                ],
                fault: "the removal of the records up to 2 has no valid signature"
            ),
            .init(
                testDescription: "inserted behind",
                statements: [copy(of: 5, as: 6)],
                fault: "record 6: inserted behind the last record"
            ),
            .init(
                testDescription: "inserted beside",
                statements: ["DROP INDEX audit_events_chain", copy(of: 3, as: 2)],
                fault: "record 2: inserted, there are two"
            ),
            .init(
                testDescription: "moved",
                statements: [
                    "UPDATE audit_events SET chain_seq = 9 WHERE chain_seq = 2",
                    "UPDATE audit_events SET chain_seq = 2 WHERE chain_seq = 3",
                    "UPDATE audit_events SET chain_seq = 3 WHERE chain_seq = 9",
                ],
                fault: "record 2 ("
            ),
            .init(testDescription: "without ends", statements: ["DELETE FROM audit_chains"], fault: "the chain is gone"),
        ]

        private static func copy(of seq: Int64, as place: Int64) -> SQL {
            """
            INSERT INTO audit_events (event_id, project_id, tenant_id, occurred_at, event, actor, chain_class, chain_seq,
                chain_hash)
            SELECT 'zzz', project_id, tenant_id, occurred_at, event, actor, chain_class, \(place), chain_hash
            FROM audit_events WHERE chain_seq = \(seq)
            """
        }
    }

    @Test("show what was done to the tables", arguments: Tampering.all, Engine.allCases)
    func tampering(tampering: Tampering, engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        try await Self.fill(server)
        #expect(try await Self.faults(server).isEmpty)
        for statement in tampering.statements {
            #expect(try await server.core.database.write { try $0.execute(statement) } >= 0)
        }
        let faults = try await Self.faults(server)
        #expect(faults.contains { $0.hasPrefix(tampering.fault) }, "\(faults)")
    }

    @Test("show an altered record whose hash was made anew, and a trail that was put back, by what was kept outside")
    func forgedHash() async throws {
        let server = try await TestServer.start()
        try await Self.fill(server, 3)
        let early = try await Self.ends(server)
        try await Self.fill(server, 2)
        let late = try await Self.ends(server)
        try await server.core.database.write { transaction throws in
            _ = try transaction.execute("DELETE FROM audit_events WHERE chain_seq > 3")
            try transaction.storeAuditChain(early)
        }
        #expect(try await Self.faults(server).isEmpty)
        #expect(try await Self.faults(server, checkpoints: [early.headCheckpoint]).isEmpty)
        let found = try await Self.faults(server, checkpoints: [early.headCheckpoint, late.headCheckpoint])
        #expect(found == ["record 5: removed, or not the one of the given checkpoint"])
        try await server.core.database.write { transaction throws in
            _ = try transaction.execute("UPDATE audit_events SET actor = 'nobody' WHERE chain_seq = 2")
            let rows = try transaction.chainedAuditRows(Self.key, after: (0, ""), limit: 2)
            let hash = AuditHash.of(rows[1], in: Self.key, seq: 2, previous: rows[0].hash)
            _ = try transaction.execute("UPDATE audit_events SET chain_hash = \(hash) WHERE chain_seq = 2")
        }
        #expect(try await Self.faults(server).contains { $0.hasPrefix("record 3 (") })
        let forged = try Self.signer(8).sign(["kind": "head"])
        #expect(try await Self.faults(server, checkpoints: [forged]).contains { $0.contains("1 of the given checkpoints") })
    }

    @Test("are made by one node at a time, of records that nothing is counted on any more", arguments: Engine.allCases)
    func sequencing(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let user = try server.session(try await server.call("signUp", [:]))
        let other = AuditSequencer(
            database: server.core.database,
            environment: server.core.environment,
            signer: try Self.signer()
        )
        #expect(try await server.core.auditSequencer.sequence() == 0)
        server.clock.advance(by: .seconds(121))
        #expect(try await server.core.auditSequencer.sequence() == 1)
        _ = try await server.admin("accounts", ["localId": "a"])
        #expect(try await other.sequence() == nil)
        #expect(try await server.core.auditSequencer.sequence() == 1)
        server.clock.advance(by: .seconds(126))
        _ = try await server.admin("accounts", ["localId": "b"], tenant: "acme")
        #expect(try await other.sequence() == 1)
        for _ in 0..<3 { _ = try await server.call("update", ["idToken": .string(user.idToken), "displayName": "x"]) }
        server.clock.advance(by: .seconds(121))
        #expect(try await other.sequence() == 1)
        #expect(try await Self.faults(server).isEmpty)
        let keys = try await server.core.database.read { try $0.auditChainKeys(ofProject: "demo-test") }
        let names = keys.map { "\($0.scope.tenantKey)/\($0.recordClass)" }
        #expect(names == ["/account", "/administration", "/signIn", "acme/administration"])
    }

    @Test("survive that their oldest records go, each class after its own time", arguments: Engine.allCases)
    func retention(engine: Engine) async throws {
        let environment = [
            "POSTERN_LIMITS_AUDIT_DAYS": "10", "POSTERN_LIMITS_AUDIT_DAYS_BY_CLASS_SIGN_IN": "2",
            "POSTERN_LIMITS_AUDIT_DAYS_BY_CLASS_ADMINISTRATION": "30",
        ]
        let server = try await TestServer.start(environment: environment, on: engine)
        func places(_ name: String) async throws -> [Int64] {
            let key = AuditChainKey(scope: Self.scope, recordClass: name)
            return try await server.core.database.read { try $0.chainedAuditRows(key, after: (0, ""), limit: 100).map(\.seq) }
        }
        for _ in 0..<3 {
            _ = try await server.call("signUp", [:])
            _ = try await server.refresh("made-up")
            await server.recordRefusals()
            server.clock.advance(by: .seconds(86_400))
            _ = try await server.admin("accounts", ["localId": .string("u\(server.clock.now.seconds)")])
            _ = try await server.core.auditSequencer.sequence()
        }
        try await server.core.expiredRows.remove()
        #expect(try await places("signIn") == [2, 3])
        #expect(try await places("refusal") == [1, 2, 3])
        #expect(try await Self.faults(server).isEmpty)
        server.clock.advance(by: .seconds(86_400 * 20))
        try await server.core.expiredRows.remove()
        #expect(try await places("signIn").isEmpty)
        #expect(try await places("refusal").isEmpty)
        #expect(try await places("administration") == [1, 2, 3])
        _ = try await server.call("signUp", [:])
        server.clock.advance(by: .seconds(200))
        _ = try await server.core.auditSequencer.sequence()
        // What was removed is in the chain of administration, with the places that went.
        let chain = AuditChainKey(scope: Self.scope, recordClass: "administration")
        let removals = try await server.core.database.read { try $0.chainedAuditRows(chain, after: (3, ""), limit: 100) }
            .filter { $0.event.event == "auditRecordsDeleted" }.compactMap(\.event.detail)
        let ranges = removals.map { "\($0["class"]?.string ?? "") \($0["from"]?.text ?? "")-\($0["through"]?.text ?? "")" }
        #expect(Set(ranges) == ["signIn 1-1", "signIn 2-3", "refusal 1-3"])
        #expect(try await places("signIn") == [4])
        #expect(try await Self.faults(server).isEmpty)
        let forging: SQL = "UPDATE audit_chains SET cut_hash = '00' WHERE cut_seq > 0"
        #expect(try await server.core.database.write { try $0.execute(forging) } == 2)
        #expect(try await Self.faults(server).count { $0.hasPrefix("the removal of the records up to 3") } == 2)
    }

    @Test("are exported so that anybody can verify them, and as events of OCSF with what their classes require")
    func export() async throws {
        let server = try await TestServer.start()
        let user = try server.session(try await server.call("signUp", [:]))
        _ = try await server.callAsAdmin("update", ["localId": .string(user.localID), "disableUser": true])
        #expect(try await server.refresh(user.refreshToken).errorMessage == "USER_DISABLED")
        _ = try await server.refresh("made-up")
        let anonymous: JSONValue = ["signIn": ["anonymous": ["enabled": false]]]
        let change = try await server.admin("PATCH", "/config?updateMask=signIn.anonymous.enabled", anonymous)
        #expect(change.status == 200, "\(change.json)")
        await server.recordRefusals()
        server.clock.advance(by: .seconds(121))
        _ = try await server.core.auditSequencer.sequence()
        nonisolated(unsafe) var lines: [JSONValue] = []
        let count = try await AuditExport(database: server.core.database, format: .jsonl).export(projectID: "demo-test") {
            lines.append($0)
        }
        #expect(lines.count { $0["record"] != nil } == count && count >= 5)
        var previous: [String: String] = [:]
        for line in lines {
            if let record = line["record"] {
                let name = record["class"]?.string ?? ""
                #expect(line["hash"]?.string == hexadecimal(sha256(record.canonical())))
                #expect(record["previous"]?.string == previous[name, default: AuditHash.first])
                previous[name] = line["hash"]?.string
            } else {
                let statement = try #require(try Self.signer().verified(line["checkpoint"]?.string ?? ""))
                #expect(statement["hash"]?.string == previous[statement["class"]?.string ?? ""])
                #expect(try Self.signer(8).verified(line["checkpoint"]?.string ?? "") == nil)
                let pem = try Self.signer().publicKeyPEM
                let former = try #require(AuditSigner.publicKey(pem: pem))
                #expect(try Self.signer(8).verified(line["checkpoint"]?.string ?? "", former: [former]) == statement)
            }
        }
        nonisolated(unsafe) var events: [JSONValue] = []
        _ = try await AuditExport(database: server.core.database, format: .ocsf).export(projectID: "demo-test") {
            events.append($0)
        }
        #expect(events.count == count)
        for event in events {
            for name in ["activity_id", "category_uid", "class_uid", "metadata", "severity_id", "time", "type_uid"] {
                #expect(event[name] != nil, "\(name) in \(event.text)")
            }
            #expect(event["metadata"]?["product"]?["vendor_name"] == "Postern" && event["metadata"]?["version"] == "1.3.0")
            let numbers = [event["class_uid"], event["activity_id"]].compactMap { value -> Int64? in
                if case .integer(let number) = value { number } else { nil }
            }
            try #require(numbers.count == 2)
            let (uid, activity): (Int64, Int64) = (numbers[0], numbers[1])
            #expect(event["type_uid"] == .integer(uid * 100 + activity) && event["category_uid"] == .integer(uid / 1000))
            #expect(event[uid == 3004 ? "entity" : "user"] != nil)
            if uid == 3002 { #expect(event["service"] != nil) }
        }
        let refused = events.filter { $0["status_code"] == "USER_DISABLED" }
        #expect(refused.map { $0["class_uid"] } == [3002] && refused.first?["user"]?["uid"] == .string(user.localID))
        #expect(events.contains { $0["type_uid"] == 300_101 } && events.contains { $0["type_uid"] == 300_403 })
    }
}
