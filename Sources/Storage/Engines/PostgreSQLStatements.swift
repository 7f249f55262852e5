import CLibPQ
import Project

/// The statements that a connection has prepared, by their texts.
struct PostgreSQLStatements {
    /// A statement as the server knows it.
    struct Prepared {
        let name: String
        /// The types that it was prepared with; 0 for those that the server inferred.
        let types: [Oid]

        /// Derives the name of a statement from its text and its types.
        ///
        /// A pooler may connect this client to a server session in which another client has prepared statements. A name then
        /// stands for the same statement or for none, but never for a different one (threat case OPS-10).
        init(_ text: String, types: [Oid]) {
            let described = types.map(String.init).joined(separator: ",") + ":" + text
            name = "postern_" + hexadecimal(sha256(described.utf8).prefix(20))
            self.types = types
        }
    }

    /// The next step for a statement.
    enum Plan {
        /// The statement is prepared and can run.
        case run(Prepared)
        /// The statement must be prepared first.
        case prepare(Prepared)
    }

    private var known: [String: Prepared] = [:]
    private var names: Set<String> = []

    /// Limits the cache, because statements with lists of varying length would fill the server without end. The server's own
    /// statements are fewer. Beyond the limit the cache starts again.
    static let maximumCount = 512

    /// Whether the connection must drop all statements before its next transaction.
    private(set) var mustStartAnew = false

    /// How to run a statement with binds of these types.
    ///
    /// A null leaves its type open. When a later value has a type that was open, the statement is prepared again, once, with the
    /// types known by then.
    func plan(_ text: String, types: [Oid]) -> Plan {
        guard let prepared = known[text] else { return plan(Prepared(text, types: types)) }
        if zip(types, prepared.types).allSatisfy({ $0 == 0 || $0 == $1 }) { return .run(prepared) }
        return plan(Prepared(text, types: zip(types, prepared.types).map { $0 == 0 ? $1 : $0 }))
    }

    private func plan(_ statement: Prepared) -> Plan { names.contains(statement.name) ? .run(statement) : .prepare(statement) }

    /// Records a statement that the server has prepared.
    mutating func insert(_ prepared: Prepared, for text: String) {
        known[text] = prepared
        names.insert(prepared.name)
        if names.count >= Self.maximumCount { mustStartAnew = true }
    }

    /// Drops all statements before the next transaction.
    mutating func startAnew() { mustStartAnew = true }

    /// Records that the server has dropped all statements.
    mutating func forgetAll() { self = PostgreSQLStatements() }
}
