import Storage
import Testing

@Suite("SQL interpolation")
struct SQLTests {
    @Test("values become binds, in order")
    func binds() {
        let (name, absent): (String, String?) = ("x'; --", nil)
        let sql: SQL = "SELECT \(name), \(absent), \(Int64(1)), \(2), \(true), \(false), \([UInt8]([3, 0])), \(SQLValue.null)"
        #expect(sql.text == "SELECT ?, ?, ?, ?, ?, ?, ?, ?")
        #expect(
            sql.binds == [
                .text("x'; --"), .null, .integer(1), .integer(2), .integer(1), .integer(0), .bytes([3, 0]), .null,
            ]
        )
    }

    @Test("optional values bind their value or null")
    func optionals() {
        let (integer, wide, bool, bytes): (Int?, Int64?, Bool?, [UInt8]?) = (4, 5, true, [6])
        let given: SQL = "\(integer) \(wide) \(bool) \(bytes)"
        #expect(given.binds == [.integer(4), .integer(5), .integer(1), .bytes([6])])
        let (noInteger, noWide, noBool, noBytes): (Int?, Int64?, Bool?, [UInt8]?) = (nil, nil, nil, nil)
        let absent: SQL = "\(noInteger) \(noWide) \(noBool) \(noBytes)"
        #expect(absent.binds == [.null, .null, .null, .null])
    }

    @Test("only raw text becomes part of the statement")
    func raw() {
        let columns = "id, label"
        let sql: SQL = "SELECT \(raw: columns) FROM things WHERE id = \(columns)"
        #expect(sql.text == "SELECT id, label FROM things WHERE id = ?")
        #expect(sql.binds == [.text(columns)])
    }

    @Test("a spliced statement brings its binds along")
    func splice() {
        let condition: SQL = "a = \(1) AND b = \("x")"
        let sql: SQL = "SELECT \(0) WHERE \(sql: condition) OR c = \(2)"
        #expect(sql.text == "SELECT ? WHERE a = ? AND b = ? OR c = ?")
        #expect(sql.binds == [.integer(0), .integer(1), .text("x"), .integer(2)])
    }

    @Test("PostgreSQL's text numbers the placeholders, but not a question mark inside quotes")
    func numbered() {
        let sql: SQL = "SELECT '?', 'it''s ? \"', \"odd ? ' name\", é FROM t WHERE a = \(1) AND b IN (\(2),\(3)) AND c = '?'"
        #expect(
            sql.numberedText()
                == "SELECT '?', 'it''s ? \"', \"odd ? ' name\", é FROM t WHERE a = $1 AND b IN ($2,$3) AND c = '?'"
        )
        let many = (1...11).reduce("" as SQL) { "\(sql: $0)\($1)" }
        #expect(many.numberedText() == "$1$2$3$4$5$6$7$8$9$10$11")
    }

    @Test("a script's statements end at a semicolon that ends a line")
    func script() throws {
        let script = try SQLScript("-- no;\r\nA;\r\n\r\n  B ';' x\n  -- y;\n  C ;  \nD;")
        #expect(script.statements.map(\.text) == ["A", "  B ';' x\n  C ", "D"])
        #expect(try SQLScript("-- nothing\n").statements.isEmpty)
    }

    @Test("a script whose last statement has no end is refused")
    func unfinishedScript() {
        #expect(throws: StorageError.migration("the last statement of the script does not end with ;")) {
            try SQLScript("A;\nB; -- c\n")
        }
    }
}
