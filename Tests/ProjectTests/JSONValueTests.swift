import Foundation
import Project
import Testing

@Suite("JSON documents")
struct JSONValueTests {
    @Test("keep every kind of value, and 64-bit integers exactly")
    func kinds() throws {
        let text = #"{"a":[true,null,-9223372036854775808,1.5,"é😀"],"b":{}}"#
        let value = try JSONValue.parse(text.utf8)
        #expect(value["a"]?[0] == true)
        #expect(value["a"]?[1] == .null)
        #expect(value["a"]?[2]?.integer == .min)
        #expect(value["a"]?[3] == 1.5)
        #expect(value["a"]?[4]?.string == "é😀")
        #expect(try JSONValue.parse(value.serialized()) == value)
    }

    @Test(
        "refuse what is no JSON",
        arguments: [
            "", "{", "{'a':1}", "[,]", "nul", "01", "1e400", #""\ud800\u12""#, "{\"a\":1}x", "[1 2]", "NaN",
            "[1,]", #"{"a":1,}"#, #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, "-", "1.", ".5", "1e", "+1", "0x1", "\u{feff}1",
            "'a'",
            #""\x""#, #""\u12"#, #""\u12g4""#, "\"\t\"", "\u{a0}1", "tru", "[", "\"", "{\"a\"}", "{1:2}",
            "1 2",
        ]
    )
    func malformed(text: String) {
        #expect(throws: JSONValue.ParseError.malformed) { try JSONValue.parse(text.utf8) }
    }

    @Test("refuse invalid UTF-8 and every other encoding")
    func invalidUTF8() {
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf32] {
            #expect(throws: JSONValue.ParseError.malformed) { try JSONValue.parse("{}".data(using: encoding) ?? Data()) }
        }
        #expect(throws: JSONValue.ParseError.malformed) { try JSONValue.parse([0x22, 0xff, 0x22]) }
    }

    @Test("read escapes, white space and every form of number")
    func forms() throws {
        let text =
            " { \"a\" : \t[ -0 , 10e2,1E-2 ,1.0,123456789012345678901234567890 ] ,\r\n\"b\\u00e9\":\"\\ud83d\\ude00\\b\\f\\/\" } "
        let value = try JSONValue.parse(text.utf8)
        #expect(value["a"] == [0, 1000.0, 0.01, 1.0, 1.2345678901234568e29])
        #expect(value["bé"]?.string == "😀\u{8}\u{c}/")
    }

    @Test(
        "take half a pair of surrogates for U+FFFD, as JavaScript writes a halved emoji",
        arguments: [
            (#""\ud83d""#, "\u{FFFD}"), (#""a\ud83db""#, "a\u{FFFD}b"), (#""\udc00\ud800""#, "\u{FFFD}\u{FFFD}"),
            (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"), (#""\ud83d\n""#, "\u{FFFD}\n"), (#""\ud83d\u0041""#, "\u{FFFD}A"),
        ]
    )
    func loneSurrogates(text: String, read: String) throws {
        #expect(try JSONValue.parse(text.utf8) == .string(read))
    }

    @Test("find a member only under the bytes of its name")
    func namesAreBytes() throws {
        #expect(try JSONValue.parse("{\"\u{212A}\":2}".utf8)["K"] == nil)
        let both = try JSONValue.parse("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8)
        #expect(both["\u{E9}"] == 1 && both["e\u{301}"] == 2)
        #expect(MemberName("K") != MemberName("\u{212A}"))
        #expect(try JSONValue.parse(both.serialized()) == both)
    }

    @Test("bound the members of an object, the length of a name, and the combining marks in a row")
    func bounds() throws {
        func object(_ count: Int) -> String { "{" + (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",") + "}" }
        #expect(try JSONValue.parse(object(1000).utf8).object?.count == 1000)
        #expect(throws: JSONValue.ParseError.excessive) { try JSONValue.parse(object(1001).utf8) }
        func named(_ length: Int) -> String { "{\"" + String(repeating: "n", count: length) + "\":0}" }
        #expect(try JSONValue.parse(named(1024).utf8).object?.count == 1)
        #expect(throws: JSONValue.ParseError.excessive) { try JSONValue.parse(named(1025).utf8) }
        func marked(_ count: Int) -> String { "\"e" + String(repeating: "\u{301}", count: count) + "e\"" }
        #expect(try JSONValue.parse(marked(30).utf8).string != nil)
        #expect(throws: JSONValue.ParseError.excessive) { try JSONValue.parse(marked(31).utf8) }
    }

    @Test("bound the number of values by the length of the document, so that a short one does not take much memory (RES-04)")
    func values() throws {
        func zeros(_ count: Int) -> String { "[" + String(repeating: "0,", count: count - 1) + "0]" }
        #expect(try JSONValue.parse(zeros(1000).utf8).array?.count == 1000)
        #expect(throws: JSONValue.ParseError.excessive) { try JSONValue.parse(zeros(5000).utf8) }
        let nested = "[" + String(repeating: "[[[[[[]]]]]],", count: 20_000) + "0]"
        #expect(throws: JSONValue.ParseError.excessive) { try JSONValue.parse(nested.utf8) }
        // A large import of short rows is none of these.
        let rows = (0..<100_000).map { #"{"localId":"\#($0)","email":"\#($0)@b.c","disabled":false}"# }.joined(separator: ",")
        #expect(try JSONValue.parse("[\(rows)]".utf8).array?.count == 100_000)
    }

    @Test("refuse deep nesting before parsing it, and brackets inside texts are no nesting")
    func depth() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONValue.ParseError.tooDeep) { try JSONValue.parse(deep.utf8) }
        let brackets = "\"" + String(repeating: "[\\\"", count: 1000) + "\""
        #expect(try JSONValue.parse(brackets.utf8).string?.count == 2000)
    }

    @Test("merge objects member by member and replace everything else")
    func merging() {
        let stored: JSONValue = ["a": ["x": 1, "y": 2], "list": [1, 2]]
        let patch: JSONValue = ["a": ["y": 3], "list": [9]]
        #expect(stored.merging(patch) == ["a": ["x": 1, "y": 3], "list": [9]])
        #expect(stored.merging(patch).merging(patch) == stored.merging(patch))
    }
}

@Suite("Written JSON")
struct JSONWriterTests {
    @Test("escapes what must not stand in a text, and nothing else")
    func escapes() throws {
        let text = "\"\\/\n\r\t\u{0}\u{1f}\u{7f}é😀\u{2028}"
        let written = JSONValue.string(text).text
        #expect(written == #""\"\\/\n\r\t\u0000\u001f"# + "\u{7f}é😀\u{2028}\"")
        #expect(try JSONValue.parse(written.utf8) == .string(text))
    }

    @Test(
        "reads back as the same numbers",
        arguments: [0, -0.5, 1e-7, 1e21, 1.7976931348623157e308, 2.2250738585072014e-308, 0.1 + 0.2]
    )
    func numbers(number: Double) throws {
        let back = try JSONValue.parse(JSONValue.number(number).text.utf8)
        #expect(back == .number(number) || back.integer.map(Double.init) == number)
    }

    @Test("orders members by their names, so that equal documents have equal bytes")
    func order() {
        let document: JSONValue = ["b": [1, ["z": true, "a": .null]], "a": "x", "": [:], "é": []]
        #expect(document.text == #"{"":{},"a":"x","b":[1,{"a":null,"z":true}],"é":[]}"#)
    }
}
