import Foundation
import Testing

@testable import Storage

@Suite("Plans of statements", .teardown, .timeLimit(.minutes(30)))
struct StatementPlanTests {
    /// What an engine knows of its tables.
    enum Knowledge: CaseIterable {
        case emptyTables
        case rowsWithoutStatistics
        case rowsWithStatistics
    }

    /// `make bench` asks for a million.
    private static let rows =
        ProcessInfo.processInfo.environment["POSTERN_PLAN_ROWS"].flatMap(Int.init) ?? 20_000

    @Test(
        "lead by an index to one account, session, code or message, with and without statistics, or have another bound",
        arguments: [TestBackend.sqlite, .postgreSQL]
    )
    func plans(backend: TestBackend) async throws {
        let recorded = try await RepositoryCall.record(on: backend.makeSchema())
        var seen: Set<String> = []
        let statements = recorded.filter { seen.insert($0.method + $0.statement.text).inserted }
        let database = try await backend.makeSchema()
        for knowledge in Knowledge.allCases {
            switch knowledge {
            case .emptyTables: break
            case .rowsWithoutStatistics: try await GrownTables.fill(database, rows: Self.rows, on: backend)
            case .rowsWithStatistics: try await database.execute("ANALYZE")
            }
            let faults = try await database.write { transaction in
                try statements.flatMap { method, statement in
                    try StatementPlan(of: statement, on: backend, in: transaction).accesses
                        .filter { Self.isFault($0, of: method, knowledge) }
                        .map { "\(method) reads \($0): \(statement.text)" }
                }
            }
            #expect(faults.isEmpty, "\(knowledge):\n\(faults.joined(separator: "\n"))")
        }
    }

    private static func isFault(_ access: StatementPlan.Access, of method: String, _ knowledge: Knowledge) -> Bool {
        let isGrowing = StatementBound.growing.contains { table in
            access.table == table || access.index?.hasPrefix(table + "_") == true
        }
        guard isGrowing else { return false }
        switch StatementBound.of(method) {
        case .lookUp: return access.index.map { access.equalities < StatementBound.columns[$0] ?? .max } ?? true
        // A walk over an empty table is none.
        case .walk: return access.index == nil && knowledge != .emptyTables
        case .everything: return false
        }
    }

    @Test("have another bound only where a method of that name is")
    func exceptions() {
        let methods = Set(RepositoryCall.all.map(\.method))
        #expect(StatementBound.exceptions.keys.filter { !methods.contains($0) } == [])
    }

    @Test(
        "that read the events of everybody, or every waiting message, for one of them are found",
        arguments: [TestBackend.sqlite, .postgreSQL]
    )
    func detection(backend: TestBackend) async throws {
        let wrong: [SQL] = [
            "SELECT event_id FROM audit_events WHERE project_id = \("p") AND tenant_id = \("") AND occurred_at > \(1)",
            "SELECT message_id FROM email_outbox WHERE payload = \("x")",
            "UPDATE sessions SET revoked_at = \(1) WHERE sign_in_provider = \("password")",
        ]
        let database = try await backend.makeSchema()
        try await database.write { transaction in
            for statement in wrong {
                let accesses = try StatementPlan(of: statement, on: backend, in: transaction).accesses
                #expect(accesses.contains { Self.isFault($0, of: "a look-up", .emptyTables) }, "\(statement.text)")
            }
        }
    }
}
