import Project
import Testing

@Suite("A shape reads requests by the rules of proto3")
struct ShapeTests {
    private let shape = Shape.object(naming: [
        ("flag", .bool), ("count", .integer), ("ratio", .number), ("smsText", .text), ("state", .word(["ON", "OFF"])),
        ("choice", .word(["BLOCK"], otherwise: .invalidRecaptchaAction)), ("names", .list(.text, atMost: 2)),
        ("numbers", .map(.text)), ("made", .text.marked(.outputOnly)), ("inner", .object(naming: [("flag", .bool)])),
    ])

    @Test("with both spellings, numbers as texts, texts as numbers, words by index, and nulls that stay")
    func leniency() throws {
        let body: JSONValue = [
            "flag": "true", "count": "7", "ratio": "0.5", "sms_text": 5, "state": 2, "names": [true, "x"], "numbers": ["n": 1],
            "inner": .null,
        ]
        let expected: JSONValue = [
            "flag": true, "count": 7, "ratio": 0.5, "smsText": "5", "state": "OFF", "names": ["true", "x"], "numbers": ["n": "1"],
            "inner": .null,
        ]
        #expect(try shape.read(body) == expected)
    }

    @Test("without unknown members, what only the server writes, and the other spelling of a name that is there")
    func ignored() throws {
        #expect(try shape.read(["other": [:], "made": "x", "smsText": "a", "sms_text": [:]]) == ["smsText": "a"])
    }

    @Test("with the first word of an enum as none", arguments: [0, "0", "", "STATE_UNSPECIFIED"] as [JSONValue])
    func unspecified(value: JSONValue) throws {
        #expect(try shape.read(["state": value]) == ["state": .null])
    }

    @Test(
        "and a wrong value is named by its JSON pointer",
        arguments: [
            (["flag": 1], "/flag must be boolean"), (["count": 1.5], "/count must be integer"),
            (["ratio": "much"], "/ratio must be number"), (["sms_text": 1.5], "/smsText must be string"),
            (["smsText": "a\0"], "/smsText must not contain the character U+0000"),
            (["state": 3], "/state must be equal to one of the allowed values"), (["names": "x"], "/names must be array"),
            (["names": ["a", "b", "c"]], "/names must not have more than 2 elements"),
            (["names": [.null]], "/names/0 must not be null"), (["numbers": []], "/numbers must be object"),
            (["numbers": ["a": [:]]], "/numbers/a must be string"), (["inner": ["flag": []]], "/inner/flag must be boolean"),
        ] as [(JSONValue, String)]
    )
    func wrong(body: JSONValue, problem: String) {
        let error = #expect(throws: InvalidArgument.self) { try shape.read(body) }
        #expect(error?.message == "Invalid JSON payload received. \(problem)")
    }

    @Test("or by the error code of its word")
    func code() {
        let error = #expect(throws: APIError.self) { try shape.read(["choice": "ALLOW"]) }
        #expect(error?.code == .invalidRecaptchaAction)
    }

    @Test("and says so as a JSON schema")
    func schema() {
        let described = Shape.object(naming: [
            ("made", .text.marked(.outputOnly)), ("names", .list(.url, atMost: 2)), ("other", .any),
        ]).jsonSchema
        let expected: JSONValue = [
            "type": "object",
            "properties": [
                "made": ["type": "string", "maxLength": 65536, "readOnly": true],
                "names": ["type": "array", "items": ["type": "string", "format": "uri", "maxLength": 65536], "maxItems": 2],
                "other": [:],
            ],
        ]
        #expect(described == expected)
    }
}
