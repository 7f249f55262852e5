import Project
import Testing

@testable import HTTPAPI

@Suite("What a body reads is found out by letting it read")
struct FieldRecorderTests {
    private struct Everything: ProtoDecodable {
        init(_ body: ProtoObject) throws {
            _ = try body.string("string")
            _ = try body.text("text")
            _ = try body.string("short", atMost: 3)
            _ = try body.password("password")
            _ = try body.bool("bool")
            _ = try body.integer("integer")
            _ = try body.milliseconds("milliseconds")
            _ = try body.timestamp("timestamp")
            _ = try body.scalar("scalar")
            _ = body.value("value")
            _ = try body.strings("strings")
            _ = try body.enumeration("word", of: ["A", "B"])
            _ = try body.enumerations("words", of: ["A", "B"])
            _ = try body.object("object")?.object("inner")?.bool("deep")
            _ = try body.objects("objects").map { try $0.objects("inner").map { try $0.integer("deep") } }
            try body.ignore(texts: ["ignoredText"], booleans: ["ignoredFlag"])
            _ = body.members(["member"])
        }
    }

    @Test("in every kind there is")
    func kinds() {
        #expect(
            FieldRecorder.fields(of: Everything.self) == [
                "/string": .string, "/text": .string, "/short": .shortString(3), "/password": .password, "/bool": .bool,
                "/integer": .integer, "/milliseconds": .integer, "/timestamp": .time, "/scalar": .any, "/value": .any,
                "/strings": .strings, "/word": .enumeration(["A", "B"]), "/words": .enumerations(["A", "B"]), "/object": .object,
                "/object/inner": .object, "/object/inner/deep": .bool, "/objects": .objects, "/objects/0/inner": .objects,
                "/objects/0/inner/0/deep": .integer, "/ignoredText": .string, "/ignoredFlag": .bool, "/member": .any,
            ]
        )
    }

    private struct Choosy: ProtoDecodable {
        init(_ body: ProtoObject) throws {
            if let phone = try body.object("phone") {
                _ = try phone.text("number")
            } else {
                _ = try body.object("totp")?.text("code")
            }
            if try body.text("email") == nil { _ = try body.text("userId") }
            if try body.text("token") != nil { _ = try body.text("issuer") }
            if body.value("map")?.object == nil { _ = try body.object("map") }
            guard try body.text("platform") != "1" else { throw TransportError.wrongShape("/platform", "must be known") }
            _ = try body.text("last")
        }
    }

    @Test("also what is only read when something else is there, or is not, or behind a refusal")
    func branches() {
        #expect(
            FieldRecorder.fields(of: Choosy.self) == [
                "/phone": .object, "/phone/number": .string, "/totp": .object, "/totp/code": .string, "/email": .string,
                "/userId": .string, "/token": .string, "/issuer": .string, "/map": .object, "/platform": .string,
                "/last": .string,
            ]
        )
    }

    private struct Answer: Codable {
        struct Inner: Codable {
            let flag: Bool
        }

        var kind = "x"
        let text: String?
        let count: Int
        let all: [Inner]?
        let anything: JSONValue
    }

    @Test("and what is answered from its type: what may be nil may be missing")
    func answers() {
        #expect(
            Schema.json(of: Answer.self) == [
                "type": "object", "required": ["kind", "count", "anything"],
                "properties": [
                    "kind": ["type": "string"], "text": ["type": "string"], "count": ["type": "integer"], "anything": [:],
                    "all": [
                        "type": "array",
                        "items": ["type": "object", "required": ["flag"], "properties": ["flag": ["type": "boolean"]]],
                    ],
                ],
            ]
        )
    }
}
