import Project

/// Copies everything from one store to another, also between different engines, and verifies the copy.
package struct StoreCopy: Sendable {
    /// Why a copy was not made, or is not correct.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case targetNotEmpty(table: String)
        case differs(table: String, source: Int64, target: Int64)

        package var description: String {
            switch self {
            case .targetNotEmpty(let table): "the target has rows in \(table) already; a copy overwrites nothing"
            case .differs(let table, let source, let target):
                """
                \(table) differs: \(source) rows in the source, \(target) in the target. Was the source written to meanwhile? \
                Stop every node, empty the target, and copy again
                """
            }
        }
    }

    package struct Progress: Sendable {
        package let table: String
        package let rows: Int64
        package let total: Int64
        /// Whether the table has been copied and is being compared now.
        package let isVerifying: Bool
    }

    private let source: any Database
    private let target: any Database

    private static let pageRows = 1000
    // So few rows that a statement stays within either engine's limit of binds.
    private static let statementRows = 100

    /// - Parameters:
    ///   - source: It should not change meanwhile.
    ///   - target: A store with the same schema and nothing in it.
    package init(from source: any Database, to target: any Database) {
        self.source = source
        self.target = target
    }

    /// Copies every table, then reads both stores and compares them row by row.
    ///
    /// - Throws: After a failure the target keeps the rows written so far.
    package func copy(_ progress: (Progress) -> Void = { _ in }) async throws -> [(table: String, rows: Int64)] {
        let totals = try await source.read { transaction in try StoreTable.all.map { try $0.count(in: transaction) } }
        let present = try await target.read { transaction in try StoreTable.all.map { try $0.count(in: transaction) } }
        if let (table, _) = zip(StoreTable.all, present).first(where: { $1 > 0 }) {
            throw Failure.targetNotEmpty(table: table.name)
        }
        for (table, total) in zip(StoreTable.all, totals) {
            var rows: Int64 = 0
            try await pages(of: table, in: source) { page in
                try await target.write { transaction in
                    for start in stride(from: 0, to: page.count, by: Self.statementRows) {
                        try table.insert(page[start..<min(start + Self.statementRows, page.count)], in: transaction)
                    }
                }
                rows += Int64(page.count)
                progress(Progress(table: table.name, rows: rows, total: total, isVerifying: false))
            }
        }
        return try await verify(totals, progress)
    }

    /// How many rows each table of a store has.
    package static func counts(_ database: any Database) async throws -> [(table: String, rows: Int64)] {
        var counts: [(table: String, rows: Int64)] = []
        for table in StoreTable.all { counts.append((table.name, try await database.read { try table.count(in: $0) })) }
        return counts
    }

    private func verify(_ totals: [Int64], _ progress: (Progress) -> Void) async throws -> [(table: String, rows: Int64)] {
        var result: [(table: String, rows: Int64)] = []
        for (table, total) in zip(StoreTable.all, totals) {
            let before = try await fingerprint(of: table, in: source)
            let after = try await fingerprint(of: table, in: target)
            guard before == after else {
                throw Failure.differs(table: table.name, source: before.rows, target: after.rows)
            }
            progress(Progress(table: table.name, rows: after.rows, total: total, isVerifying: true))
            result.append((table.name, after.rows))
        }
        return result
    }

    private struct Fingerprint: Equatable {
        var rows: Int64 = 0
        /// The combined hashes of the rows. The order does not matter, because engines may sort texts differently.
        var checksum = [UInt8](repeating: 0, count: 32)
    }

    private func fingerprint(of table: StoreTable, in database: any Database) async throws -> Fingerprint {
        var fingerprint = Fingerprint()
        try await pages(of: table, in: database) { page in
            for row in page {
                let hash = sha256(Self.encoded(row))
                for index in hash.indices { fingerprint.checksum[index] ^= hash[index] }
            }
            fingerprint.rows += Int64(page.count)
        }
        return fingerprint
    }

    private func pages(
        of table: StoreTable,
        in database: any Database,
        _ body: ([[SQLValue]]) async throws -> Void
    ) async throws {
        var last: [SQLValue]?
        while true {
            let key = last
            let page = try await database.read { try table.page(after: key, limit: Self.pageRows, in: $0) }
            guard let end = page.last else { return }
            try await body(page)
            last = Array(end.prefix(table.key.count))
        }
    }

    // Type, length and bytes of each value, so that no two different rows have the same encoding.
    private static func encoded(_ row: [SQLValue]) -> [UInt8] {
        row.flatMap { value -> [UInt8] in
            switch value {
            case .null: [0]
            case .text(let text): [1] + bigEndian(Int64(text.utf8.count)) + Array(text.utf8)
            case .integer(let integer): [2] + bigEndian(integer)
            case .bytes(let bytes): [3] + bigEndian(Int64(bytes.count)) + bytes
            }
        }
    }

    private static func bigEndian(_ value: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * Int64($0))) }
    }
}
