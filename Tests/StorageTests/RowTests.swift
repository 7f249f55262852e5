import Testing

@testable import Storage

@Suite("Rows")
struct RowTests {
    private let row = Row(
        columns: ["text", "integer", "yes", "no", "bytes", "null"],
        values: [.text("x"), .integer(7), .integer(1), .integer(0), .bytes([1]), .null]
    )

    @Test("columns are read by name and type")
    func access() throws {
        #expect(try row.text("text") == "x")
        #expect(try row.textIfPresent("text") == "x")
        #expect(try row.integer("integer") == 7)
        #expect(try row.integerIfPresent("integer") == 7)
        #expect(try row.bool("yes"))
        #expect(try row.boolIfPresent("no") == false)
        #expect(try row.bytes("bytes") == [1])
        #expect(try row.bytesIfPresent("bytes") == [1])
    }

    @Test("columns are found in any order, and again and again")
    func order() throws {
        for _ in 0..<3 {
            #expect(try row.bytes("bytes") == [1])
            #expect(try row.text("text") == "x")
            #expect(try row.integer("integer") == 7)
            #expect(throws: StorageError.decoding(column: "missing")) { try row.text("missing") }
            #expect(try row.textIfPresent("null") == nil)
            #expect(try row.textIfPresent("null") == nil)
        }
    }

    @Test("null is nil where it may be")
    func null() throws {
        #expect(try row.textIfPresent("null") == nil)
        #expect(try row.integerIfPresent("null") == nil)
        #expect(try row.boolIfPresent("null") == nil)
        #expect(try row.bytesIfPresent("null") == nil)
    }

    @Test("null, another type and a missing column name the column", arguments: ["null", "missing"])
    func absent(column: String) {
        let error = StorageError.decoding(column: column)
        #expect(throws: error) { try row.text(column) }
        #expect(throws: error) { try row.integer(column) }
        #expect(throws: error) { try row.bool(column) }
        #expect(throws: error) { try row.bytes(column) }
    }

    @Test("no type is taken for another")
    func mismatch() {
        #expect(throws: StorageError.decoding(column: "integer")) { try row.text("integer") }
        #expect(throws: StorageError.decoding(column: "integer")) { try row.textIfPresent("integer") }
        #expect(throws: StorageError.decoding(column: "text")) { try row.integer("text") }
        #expect(throws: StorageError.decoding(column: "text")) { try row.integerIfPresent("text") }
        #expect(throws: StorageError.decoding(column: "integer")) { try row.bool("integer") }
        #expect(throws: StorageError.decoding(column: "integer")) { try row.boolIfPresent("integer") }
        #expect(throws: StorageError.decoding(column: "text")) { try row.bytes("text") }
        #expect(throws: StorageError.decoding(column: "text")) { try row.bytesIfPresent("text") }
        #expect(throws: StorageError.decoding(column: "missing")) { try row.textIfPresent("missing") }
    }
}
