import Foundation
import Logging
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Accounts

@Suite("The kinds of audit events")
struct AuditEventKindTests {
    @Test("are on the page on the audit trail, with class, activity and text")
    func page() throws {
        let page = try String(contentsOf: packageDirectory.appending(path: "Docs/Audit.md"), encoding: .utf8)
        let table = page.split(separator: "\n").drop { $0 != "| event | class | OCSF | what happened |" }.dropFirst(2)
        let written = table.prefix { $0.hasPrefix("|") }.map(String.init)
        let expected = AuditEvent.Kind.allCases.map { kind in
            let facts = kind.facts
            let activity =
                switch kind {
                case .refused, .update: "by `detail`"
                default: facts.activity.map { String($0.typeUID) } ?? "300199, 300499"
                }
            return "| `\(kind.rawValue)` | `\(facts.recordClass.rawValue)` | \(activity) | \(facts.text) |"
        }
        #expect(written == expected, "the table is:\n\(expected.joined(separator: "\n"))")
    }

    @Test("have a class for users' acts, and acts of others are administration", arguments: AuditEvent.Kind.allCases)
    func classes(kind: AuditEvent.Kind) {
        func recordClass(_ actor: String) -> AuditClass { AuditClass(Self.event("e", kind, by: actor)) }
        #expect(recordClass("cli") == (kind == .refused ? .refusal : .administration))
        switch kind {
        case .signIn, .signUp, .firstFactor: #expect(recordClass(AuditEvent.user) == .signIn)
        case .refused: #expect(recordClass(AuditEvent.user) == .refusal)
        default: #expect([.account, .administration].contains(recordClass(AuditEvent.user)))
        }
    }

    @Test("that this binary does not know are listed, verified, exported and forwarded as their text")
    func unknown() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        _ = try await Migrator.sqlite.migrate(database, now: 0)
        let (clock, scope, signer) = (TestClock(), Scope(projectID: "p"), try AuditSigner.test())
        let written = [
            Self.event("a", .signIn, by: "cli", at: clock.now),
            Self.event("b", .signIn, of: "u", by: AuditEvent.user, at: clock.now),
        ]
        try await database.write { transaction throws in
            for event in written { try transaction.insertAuditEvent(scope, event) }
            _ = try transaction.execute("UPDATE audit_events SET event = 'tokenDeleted'")
        }
        let listed = try await database.read { try $0.auditEvents(scope, AuditFilter(event: "tokenDeleted", limit: 9)) }
        #expect(listed.map(\.kind) == [nil, nil])
        #expect(listed.map { AuditClass($0) } == [.account, .administration])
        #expect(listed.map { OCSFActivity($0) } == [.account(.other), .entity(.other)])
        clock.advance(by: .seconds(300))
        let environment = clock.environment()
        #expect(try await AuditSequencer(database: database, environment: environment, signer: signer).sequence() == 2)
        let findings = try await AuditVerification(database: database, signer: signer).verify(projectID: "p")
        #expect(findings.count == 2 && findings.allSatisfy(\.faults.isEmpty))
        let names = LockedState<[String]>([])
        _ = try await AuditExport(database: database, format: .ocsf).export(projectID: "p") { line in
            names.withLock { $0.append(line["activity_name"]?.string ?? "") }
        }
        #expect(names.withLock { $0 } == ["tokenDeleted", "tokenDeleted"])
        let forwarding = AuditForwarding(to: "test", database: database, environment: environment) { batch in
            names.withLock { $0 += batch.lines.map(\.name) }
        }
        #expect(try await forwarding.forward() == 2)
        #expect(names.withLock { $0.count { $0 == "tokenDeleted" } } == 4)
        try await database.close()
    }

    private static func event(
        _ id: String,
        _ kind: AuditEvent.Kind,
        of localID: String? = nil,
        by actor: String,
        at time: Timestamp = Timestamp(milliseconds: 0)
    ) -> AuditEvent {
        AuditEvent(eventID: id, occurredAt: time, event: kind, localID: localID, actor: actor, address: nil)
    }
}
