import Project

/// A record whose rows are read and written by the list of its columns.
protocol StoredRecord: Sendable {
    static var table: TableDescriptor<Self> { get }
    /// A record to read a row into. Every column replaces its value.
    static var blank: Self { get }
    /// Names each column once, with the property that has its value. An own column of the primary key stands first. Rows are read in this
    /// order: a property whose observer changes another one stands before that one.
    static func columns(_ column: inout some ColumnVisitor<Self>)
}

/// What is done with the columns of a record, one after the other.
///
/// The compiler makes a copy of a record's list for each visitor, in which a key path is a plain access. What is generic over a transaction
/// as well would be left without such copies, so that it must be inlined.
protocol ColumnVisitor<Record> {
    associatedtype Record
    mutating func callAsFunction<Value: ColumnValue>(_ name: String, _ value: WritableKeyPath<Record, Value>)
}

/// Whose rows a table has. The owner's columns are not a part of the record.
enum RowOwner: Sendable {
    case nobody, project, scope, account

    fileprivate var columns: [String] {
        switch self {
        case .nobody: []
        case .project: ["project_id"]
        case .scope: ["project_id", "tenant_id"]
        case .account: ["project_id", "tenant_id", "local_id"]
        }
    }
}

/// The table of a record, with the texts of the statements that follow from its columns.
struct TableDescriptor<Record: StoredRecord>: Sendable {
    let table: StoreTable
    /// The names of the record's columns, as a list.
    let names: String
    fileprivate let selection: String
    fileprivate let insertion: String
    fileprivate let update: String
    fileprivate let columns: [String]
    /// How many columns of the primary key the record itself has.
    fileprivate let keyCount: Int

    /// - Parameters:
    ///   - owner: Whose rows it has.
    ///   - key: The columns of the primary key.
    ///   - others: Columns that the record does not have.
    init(_ name: String, of owner: RowOwner = .nobody, key: [String], others: [String] = []) {
        var list = ColumnNames<Record>()
        Record.columns(&list)
        let (owned, all) = (owner.columns, owner.columns + list.names)
        table = StoreTable(name, key: key, (all + others).filter { !key.contains($0) })
        columns = all
        names = list.names.joined(separator: ", ")
        selection = "SELECT \(names) FROM \(name) "
        let places = Array(repeating: "?", count: all.count).joined(separator: ", ")
        insertion = "INSERT INTO \(name) (\(all.joined(separator: ", "))) VALUES (\(places))"
        keyCount = key.count { !owned.contains($0) }
        let changes = list.names.dropFirst(keyCount).map { "\($0) = ?" }.joined(separator: ", ")
        let row = (owned + list.names.prefix(keyCount)).map { "\($0) = ?" }.joined(separator: " AND ")
        update = "UPDATE \(name) SET \(changes) WHERE \(row)"
    }

    // The statement with one value that the store computes.
    fileprivate func insertion(_ values: [SQLValue], computing name: String, as value: SQL) -> SQL {
        let index = columns.firstIndex(of: name) ?? 0
        let places = columns.indices.map { $0 == index ? value.text : "?" }.joined(separator: ", ")
        return SQL(
            text: "INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(places))",
            binds: values[..<index] + value.binds + values[(index + 1)...]
        )
    }
}

extension StoredRecord {
    /// Reads a row that begins with the record's columns.
    ///
    /// - Throws: ``StorageError/decoding(column:)``.
    init(row: Row) throws {
        var reader = RowReader(record: Self.blank, values: row.values)
        Self.columns(&reader)
        if let column = reader.failure { throw StorageError.decoding(column: column) }
        self = reader.record
    }

    /// The statement that reads records; `rest` is what comes after the name of the table.
    static func select(_ rest: SQL) -> SQL { SQL(text: table.selection + rest.text, binds: rest.binds) }

    /// The statement that stores the record as a new row of its owner.
    func insertion(of owner: [SQLValue] = []) -> SQL { SQL(text: Self.table.insertion, binds: values(after: owner)) }

    /// The statement that stores the record as a new row of its owner, with one value that the store computes.
    func insertion(of owner: [SQLValue] = [], computing column: String, as value: SQL) -> SQL {
        Self.table.insertion(values(after: owner), computing: column, as: value)
    }

    /// The statement that stores every column of a row that is there.
    func update(of owner: [SQLValue]) -> SQL {
        let (values, keyCount) = (values(after: []), Self.table.keyCount)
        return SQL(text: Self.table.update, binds: values.dropFirst(keyCount) + owner + values.prefix(keyCount))
    }

    private func values(after owner: [SQLValue]) -> [SQLValue] {
        var binds = ColumnBinds(record: self, values: owner)
        binds.values.reserveCapacity(Self.table.columns.count)
        Self.columns(&binds)
        return binds.values
    }
}

extension Transaction {
    /// The first record that a statement reads, see ``StoredRecord/select(_:)``; `nil` for an empty result.
    @inline(__always)
    func first<Record: StoredRecord>(_ rest: SQL) throws -> Record? {
        try query(Record.select(rest)).first.map(Record.init(row:))
    }

    /// The records that a statement reads, see ``StoredRecord/select(_:)``.
    @inline(__always)
    func all<Record: StoredRecord>(_ rest: SQL) throws -> [Record] { try query(Record.select(rest)).map(Record.init(row:)) }
}

private struct ColumnNames<Record>: ColumnVisitor {
    var names: [String] = []

    mutating func callAsFunction<Value: ColumnValue>(_ name: String, _ value: WritableKeyPath<Record, Value>) {
        names.append(name)
    }
}

private struct ColumnBinds<Record>: ColumnVisitor {
    let record: Record
    var values: [SQLValue]

    @inline(__always)
    mutating func callAsFunction<Value: ColumnValue>(_ name: String, _ value: WritableKeyPath<Record, Value>) {
        values.append(record[keyPath: value].columnValue)
    }
}

private struct RowReader<Record>: ColumnVisitor {
    var record: Record
    let values: [SQLValue]
    var index = 0
    /// The first column that has no value of its type.
    var failure: String?

    @inline(__always)
    mutating func callAsFunction<Value: ColumnValue>(_ name: String, _ value: WritableKeyPath<Record, Value>) {
        if index < values.count, let decoded = Value(column: values[index]) {
            record[keyPath: value] = decoded
        } else {
            failure = failure ?? name
        }
        index += 1
    }
}
