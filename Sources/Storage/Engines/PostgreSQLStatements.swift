import CLibPQ
import Project

/// The statements that a connection has prepared, by their texts.
struct PostgreSQLStatements {
    /// A statement as the server knows it.
    struct Prepared {
        let name: String
        /// The types it was prepared with, 0 where the server inferred one.
        let types: [Oid]

        /// Names a statement after all that it is.
        ///
        /// A pooler may put this connection on a server session in which another client has prepared statements. A name then stands
        /// for the same statement or for none, and never for another one (threat case OPS-10).
        init(_ text: String, types: [Oid]) {
            let described = types.map(String.init).joined(separator: ",") + ":" + text
            name = "postern_" + hexadecimal(sha256(described.utf8).prefix(20))
            self.types = types
        }
    }

    /// What is to be sent for a statement.
    enum Plan {
        /// It is prepared.
        case run(Prepared)
        /// It is to be prepared first.
        case prepare(Prepared)
    }

    private var known: [String: Prepared] = [:]
    private var names: Set<String> = []

    /// Statements with lists of varying length would fill the server for ever; beyond this size, which no server's own
    /// statements reach, the cache starts anew.
    static let maximumCount = 512

    /// Whether the connection is to forget everything before its next transaction.
    private(set) var mustStartAnew = false

    /// How to run a statement with binds of these types.
    ///
    /// A null leaves the type open. A value whose type was still open when the statement was prepared has it prepared again,
    /// once, with what is known by then.
    func plan(_ text: String, types: [Oid]) -> Plan {
        guard let prepared = known[text] else { return plan(Prepared(text, types: types)) }
        if zip(types, prepared.types).allSatisfy({ $0 == 0 || $0 == $1 }) { return .run(prepared) }
        return plan(Prepared(text, types: zip(types, prepared.types).map { $0 == 0 ? $1 : $0 }))
    }

    private func plan(_ statement: Prepared) -> Plan { names.contains(statement.name) ? .run(statement) : .prepare(statement) }

    /// Notes a statement that the server has prepared.
    mutating func insert(_ prepared: Prepared, for text: String) {
        known[text] = prepared
        names.insert(prepared.name)
        if names.count >= Self.maximumCount { mustStartAnew = true }
    }

    /// Has everything forgotten before the next transaction.
    mutating func startAnew() { mustStartAnew = true }

    /// Notes that the server has forgotten everything.
    mutating func forgetAll() { self = PostgreSQLStatements() }
}
