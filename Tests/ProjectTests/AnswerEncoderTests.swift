import Project
import Testing

@Suite("An answer")
struct AnswerEncoderTests {
    private func text(_ answer: some Encodable) throws -> String {
        String(decoding: try AnswerEncoder.encode(answer), as: UTF8.self)
    }

    private struct Many: Encodable {
        let zeta = "z"
        let alpha: String? = nil
        let list = [3, 1, 2]
        let inner = Inner()
        let yes = true
        let none: Inner? = nil
        let omega = -1
        let beta = [Inner(), Inner()]
        let empty = Nothing()
        let things: [Inner] = []
        let document: JSONValue = ["y": 1, "x": ["b": .null, "a": 1.0], "c": [], "d": [:]]
        let maybe: Bool? = false

        struct Inner: Encodable {
            let second = "2"
            let first: Int64 = .min
        }

        struct Nothing: Encodable {}
    }

    @Test("has its members in the order in which its type declares them, and none that is nil")
    func declaredOrder() throws {
        let inner = #"{"second":"2","first":-9223372036854775808}"#
        let expected =
            #"{"zeta":"z","list":[3,1,2],"inner":\#(inner),"yes":true,"omega":-1,"beta":[\#(inner),\#(inner)],"empty":{},"#
            + #""things":[],"document":{"y":1,"x":{"b":null,"a":1},"c":[],"d":{}},"maybe":false}"#
        for _ in 0..<20 { #expect(try text(Many()) == expected) }
        #expect(try JSONValue.parse(expected.utf8)["inner"]?["second"] == "2")
    }

    @Test("is any kind of value")
    func kinds() throws {
        struct Wrapped: Encodable { let value: String?? }
        enum Word: String, Encodable { case one }
        #expect(try text([JSONValue]()) == "[]")
        #expect(try text("a") == #""a""#)
        #expect(try text(Int?.none) == "null")
        #expect(try text([nil, 1, nil]) == "[null,1,null]")
        #expect(try text([[], [["a"]]] as [[[String]]]) == #"[[],[["a"]]]"#)
        #expect(try text(Word.one) == #""one""#)
        #expect(try text(Wrapped(value: .some(.some("a")))) == #"{"value":"a"}"#)
        #expect(try text(JSONValue.null) == "null")
        #expect(try text([JSONValue.bool(true), .array([.string("x")])]) == #"[true,["x"]]"#)
    }

    @Test("has whole numbers exactly, and others as short as they read back")
    func numbers() throws {
        #expect(try text([Int64.max, .min, 0]) == "[9223372036854775807,-9223372036854775808,0]")
        #expect(try text([UInt64.max]) == "[18446744073709551615]")
        #expect(try text([Int8.min]) == "[-128]")
        #expect(try text([0.1, 1.0, -0.5, 1e21, 1e-7]) == "[0.1,1,-0.5,1e+21,1e-07]")
        #expect(try text([Float(0.1)]) == "[0.1]")
        #expect(try text(JSONValue.array([.number(2), .number(0.5), .integer(2)])) == "[2,0.5,2]")
        #expect(try text([Double.infinity, .nan]) == "[null,null]")
    }

    @Test("escapes what must not stand in a text, and nothing else: slashes and line separators stand as they are")
    func escapes() throws {
        let hostile = "\"\\/\n\r\t\u{0}\u{8}\u{1f}\u{7f}é😀\u{2028}\u{2029}</script>"
        let written = #""\"\\/\n\r\t\u0000\u0008\u001f"# + "\u{7f}é😀\u{2028}\u{2029}</script>\""
        #expect(try text(hostile) == written)
        #expect(try text(["a": JSONValue.string(hostile)]) == "{\"a\":\(written)}")
        #expect(try text(JSONValue.object([MemberName(hostile): 1])) == "{\(written):1}")
        #expect(try JSONValue.parse(written.utf8) == .string(hostile))
        for length in [0, 1, 15, 16, 10_000] {
            let long = String(repeating: "é\"", count: length)
            #expect(try JSONValue.parse(AnswerEncoder.encode(long)) == .string(long))
        }
    }

    private enum Names: CodingKey { case a, b, c }

    private struct Handmade: Encodable {
        let write: @Sendable (any Encoder) throws -> Void

        func encode(to encoder: any Encoder) throws { try write(encoder) }
    }

    @Test("may be written in several steps, each from front to back")
    func steps() throws {
        let spread = Handmade { encoder in
            var first = encoder.container(keyedBy: Names.self)
            try first.encode(1, forKey: .a)
            var list = first.nestedUnkeyedContainer(forKey: .b)
            try list.encode("x")
            var inner = list.nestedContainer(keyedBy: Names.self)
            try inner.encodeNil(forKey: .c)
            try list.encode(true)
            #expect(list.count == 3)
            var second = encoder.container(keyedBy: Names.self)
            try second.encode(2, forKey: .c)
        }
        #expect(
            try text([spread, spread]) == #"[{"a":1,"b":["x",{"c":null},true],"c":2},{"a":1,"b":["x",{"c":null},true],"c":2}]"#
        )
    }

    @Test("fails when it is written out of turn, and never becomes a text that is no JSON")
    func outOfTurn() {
        let steps: [@Sendable (any Encoder) throws -> Void] = [
            { encoder in
                var outer = encoder.container(keyedBy: Names.self)
                var inner = outer.nestedContainer(keyedBy: Names.self, forKey: .a)
                try outer.encode(1, forKey: .b)
                try inner.encode(1, forKey: .c)
            },
            { encoder in
                var outer = encoder.container(keyedBy: Names.self)
                try outer.encode(1, forKey: .a)
                var list = encoder.unkeyedContainer()
                try list.encode(1)
            },
            { encoder in
                var value = encoder.singleValueContainer()
                try value.encode(1)
                try value.encode(2)
            },
            { encoder in
                var value = encoder.singleValueContainer()
                try value.encode("a")
                var outer = encoder.container(keyedBy: Names.self)
                try outer.encode(1, forKey: .a)
            },
            { encoder in
                var outer = encoder.container(keyedBy: Names.self)
                try 1.encode(to: outer.superEncoder())
            },
        ]
        for step in steps { #expect(throws: EncodingError.self) { try AnswerEncoder.encode(Handmade(write: step)) } }
    }
}

@Suite("The members of a JSON object")
struct JSONObjectTests {
    @Test("stay in the order in which they were read, also when there are many, and are found by name")
    func order() throws {
        for count in [0, 3, 15, 16, 17, 1000] {
            let names = (0..<count).map { "m\(($0 &* 7919) % 100_003)" }
            let text = "{" + names.map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",") + "}"
            let document = try JSONValue.parse(text.utf8)
            #expect(document.object?.keys.map(\.text) == names)
            #expect(String(decoding: document.ordered(), as: UTF8.self) == text)
            for name in names { #expect(document[name] == .string(name)) }
        }
    }

    @Test("do not count by their order when objects are compared or hashed")
    func equality() {
        let one: JSONValue = ["a": 1, "b": ["x": 2, "y": 3], "c": [1, 2]]
        let other: JSONValue = ["c": [1, 2], "b": ["y": 3, "x": 2], "a": 1]
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(Set([one, other]).count == 1)
        #expect(one.serialized() == other.serialized() && one.ordered() != other.ordered())
        let different: [JSONValue] = [
            ["a": 1, "b": ["x": 2, "y": 3]], ["a": 1, "b": ["x": 2, "y": 4], "c": [1, 2]],
            ["a": 1, "b": ["x": 2, "y": 3], "d": [1, 2]], ["a": 1, "b": ["x": 2, "y": 3], "c": [2, 1]],
        ]
        for document in different { #expect(one != document && document != one) }
        #expect(JSONObject() == [:] && JSONObject().isEmpty)
    }

    @Test("keep their places when they change, and new ones go to the end")
    func changes() {
        var members: JSONObject = ["a": 1, "b": 2, "c": 3]
        members["b"] = 4
        members["a"] = nil
        members["d"] = 5
        members["none"] = nil
        #expect(members.keys == ["b", "c", "d"] && members.values == [4, 3, 5])
        let merged = members.merging(["e": 6, "c": 7]) { $1 }
        #expect(merged.keys == ["b", "c", "d", "e"] && merged.values == [4, 7, 5, 6])
        #expect(merged.filter { $0.key != "c" }.mapValues { .array([$0]) } == ["b": [4], "d": [5], "e": [6]])
        #expect(JSONObject(naming: [("x", 1), ("y", 2), ("x", 3)]).map(\.value) == [3, 2])
        #expect(members.updateValue(8, forKey: "c") == 3 && members.updateValue(9, forKey: "f") == nil)
        #expect(members.keys == ["b", "c", "d", "f"])
    }
}
