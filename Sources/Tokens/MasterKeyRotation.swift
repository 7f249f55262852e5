package import Project
package import Storage

/// Seals everything in the store under the master key that is still sealed under the previous one, while servers run that have
/// both keys. It may be ended and begun again at any time.
package struct MasterKeyRotation: Sendable {
    private let database: any Database
    private let sealer: TokenSealer
    private let environment: ServerEnvironment

    /// What was found in a column.
    package struct Counts: Sendable, Hashable {
        /// How many rows were sealed anew.
        package fileprivate(set) var renewed = 0
        /// How many values open under neither key.
        package fileprivate(set) var unreadable = 0
    }

    /// The servers go on sealing under the previous key.
    package struct Unfinished: Error, CustomStringConvertible {
        package let description = """
            values under the previous key are still being written: give every node the new key as secrets.masterKey, and begin again
            """
    }

    private static let pageSize = 100
    // A value that changed while it was sealed anew is left to the next pass.
    private static let maximumPasses = 10

    package init(database: any Database, sealer: TokenSealer, environment: ServerEnvironment) {
        self.database = database
        self.sealer = sealer
        self.environment = environment
    }

    /// Every column that holds sealed values, in a fixed order.
    package static let columns: [SealedColumn] = {
        var columns: [SealedColumn] = []
        for place in TokenSealer.Purpose.allCases.flatMap(\.places) where !columns.contains(place.column) {
            columns.append(place.column)
        }
        return columns
    }()

    /// Goes through all columns until nothing is sealed under the previous key.
    ///
    /// - Parameter progress: Called after each page with its column, and how many of the column's rows were read in this pass.
    /// - Throws: ``Unfinished``. What was sealed anew before stays so.
    package func rewrap(
        context: CallContext,
        progress: (SealedColumn, Int) -> Void = { _, _ in }
    ) async throws -> [(column: SealedColumn, counts: Counts)] {
        let columns = try await passes(progress)
        let total = columns.reduce(into: Counts()) { total, column in
            total.renewed += column.counts.renewed
            total.unreadable += column.counts.unreadable
        }
        let detail: JSONValue = [
            "renewed": .integer(Int64(total.renewed)), "unreadable": .integer(Int64(total.unreadable)),
        ]
        let event = context.auditEvent(.masterKeyReplaced, detail, by: environment)
        try await database.write { try $0.insertAuditEvent(context.scope, event) }
        return columns
    }

    private func passes(_ progress: (SealedColumn, Int) -> Void) async throws -> [(column: SealedColumn, counts: Counts)] {
        var totals: [SealedColumn: Counts] = [:]
        for _ in 0..<Self.maximumPasses {
            var isDone = true
            for column in Self.columns {
                let pass = try await rewrap(column) { progress(column, $0) }
                totals[column, default: Counts()].renewed += pass.renewed
                totals[column]?.unreadable = pass.unreadable
                isDone = isDone && pass.old == 0
            }
            if isDone { return Self.columns.map { ($0, totals[$0, default: Counts()]) } }
        }
        throw Unfinished()
    }

    /// One pass over a column.
    private struct Pass {
        /// How many rows had values under the previous key.
        var old = 0
        var renewed = 0
        var unreadable = 0
    }

    private func rewrap(_ column: SealedColumn, progress: (Int) -> Void) async throws -> Pass {
        var pass = Pass()
        var (read, last): (Int, [SQLValue]?) = (0, nil)
        while true {
            let after = last
            let page = try await database.read { try $0.sealedRows(column, after: after, limit: Self.pageSize) }
            // Sealing is random, so it is done before the transaction, which may run twice.
            let changes = try page.compactMap { row in try rewrapped(row, of: column, &pass.unreadable).map { (row, $0) } }
            pass.old += changes.count
            if !changes.isEmpty {
                pass.renewed += try await database.write { transaction in
                    try changes.count { row, text in try transaction.replace(row, of: column, by: text) }
                }
            }
            read += page.count
            progress(read)
            guard page.count == Self.pageSize else { return pass }
            last = page.last?.key
        }
    }

    // The new text of a row; `nil` when nothing of it was sealed under the previous key.
    private func rewrapped(_ row: SealedRow, of column: SealedColumn, _ unreadable: inout Int) throws -> String? {
        let places = TokenSealer.Purpose.allCases.flatMap { purpose in
            purpose.places.filter { $0.column == column }.map { (purpose: purpose, member: $0.member) }
        }
        var isChanged = false
        func renew(_ text: String, _ purpose: TokenSealer.Purpose) throws -> String {
            switch try sealer.rewrapped(text, for: purpose, scope: row.scope) {
            case .current: return text
            case .unreadable:
                unreadable += 1
                return text
            case .renewed(let renewed):
                isChanged = true
                return renewed
            }
        }
        if let place = places.first, place.member == nil {
            let text = try renew(row.text, place.purpose)
            return isChanged ? text : nil
        }
        guard let document = try? JSONValue.parse(row.text.utf8) else {
            unreadable += 1
            return nil
        }
        let purposes = Dictionary(uniqueKeysWithValues: places.compactMap { place in place.member.map { ($0, place.purpose) } })
        let changed = try document.replacingTexts(ofMembers: { purposes[$0] }, by: renew)
        return isChanged ? changed.text : nil
    }
}

extension JSONValue {
    // The value with new texts for the members that have a purpose, at any depth.
    fileprivate func replacingTexts(
        ofMembers purpose: (MemberName) -> TokenSealer.Purpose?,
        by replacement: (String, TokenSealer.Purpose) throws -> String
    ) rethrows -> JSONValue {
        if let elements = array {
            return .array(try elements.map { try $0.replacingTexts(ofMembers: purpose, by: replacement) })
        }
        guard var members = object else { return self }
        for (name, value) in members {
            if let purpose = purpose(name), let text = value.string {
                members[name] = .string(try replacement(text, purpose))
            } else {
                members[name] = try value.replacingTexts(ofMembers: purpose, by: replacement)
            }
        }
        return .object(members)
    }
}
