import Foundation

@testable import Storage

/// How an engine finds the rows of a statement.
struct StatementPlan {
    /// A table, or an index of it, that the statement reads.
    struct Access: CustomStringConvertible {
        /// The index; `nil` for the whole table.
        let index: String?
        let table: String
        /// How many columns of the index must have one value.
        let equalities: Int

        var description: String { index.map { "\($0) by \(equalities)" } ?? "all of \(table)" }
    }

    let accesses: [Access]

    /// Asks the engine for its plan.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - backend: The engine.
    ///   - transaction: A transaction on it that writes nothing else.
    init(of statement: SQL, on backend: TestBackend, in transaction: Transaction) throws {
        accesses =
            backend == .postgreSQL
            ? try Self.postgreSQL(statement, in: transaction) : try Self.sqlite(statement, in: transaction)
    }

    private static func sqlite(_ statement: SQL, in transaction: Transaction) throws -> [Access] {
        try transaction.query("EXPLAIN QUERY PLAN \(sql: statement)").compactMap { row in
            let detail = try row.text("detail")
            guard
                let match = detail.firstMatch(of: /^(?:SCAN|SEARCH) (\w+)(?: USING (?:COVERING )?INDEX (\w+)(?: \((.*)\))?)?/)
            else { return nil }
            let index = match.2.map { name in
                String(name).replacing(/^sqlite_autoindex_(\w+)_1$/) { "\($0.1)_pkey" }
            }
            return Access(index: index, table: String(match.1), equalities: match.3?.matches(of: #/=\?/#).count ?? 0)
        }
    }

    // A generic plan, as for a statement that has run some times. `EXPLAIN` of the statement itself would look at its values.
    private static func postgreSQL(_ statement: SQL, in transaction: Transaction) throws -> [Access] {
        let types = statement.binds.map { bind in
            switch bind {
            case .integer: "BIGINT"
            case .bytes: "BYTEA"
            case .text, .null: "unknown"
            }
        }
        let nulls = types.map { _ in "NULL" }
        func list(_ names: [String]) -> String { names.isEmpty ? "" : "(\(names.joined(separator: ", ")))" }
        try transaction.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        try transaction.execute("PREPARE explained \(raw: list(types)) AS \(raw: statement.numberedText())")
        let lines = try transaction.query("EXPLAIN (COSTS OFF) EXECUTE explained \(raw: list(nulls))")
            .map { try $0.text("QUERY PLAN").drop { " ->".contains($0) } }
        try transaction.execute("DEALLOCATE explained")
        return zip(lines, lines.dropFirst() + [""]).compactMap { line, next in
            let equalities = next.hasPrefix("Index Cond:") ? next.matches(of: #/ = /#).count : 0
            if let match = line.firstMatch(of: /^Seq Scan on (\w+)/) {
                return Access(index: nil, table: String(match.1), equalities: 0)
            }
            if let match = line.firstMatch(of: /^Bitmap Index Scan on (\w+)/) {
                return Access(index: String(match.1), table: "", equalities: equalities)
            }
            guard let match = line.firstMatch(of: /^Index (?:Only )?Scan (?:Backward )?using (\w+) on (\w+)/) else { return nil }
            return Access(index: String(match.1), table: String(match.2), equalities: equalities)
        }
    }
}
