import Passwords
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

    private let text = Shape.text(bytes: FieldBounds.text)

    private func list(of shape: Shape) -> Shape { .list(shape, atMost: FieldBounds.list) }

    @Test("in every kind there is")
    func kinds() {
        #expect(
            FieldRecorder.fields(of: Everything.self) == [
                "/string": text, "/text": text, "/short": .shortText(3),
                "/password": .text(.password, bytes: PasswordHasher.maximumPasswordBytes), "/bool": .bool, "/integer": .int64,
                "/milliseconds": .int64, "/timestamp": .text(.dateTime, bytes: FieldBounds.text), "/scalar": .any, "/value": .any,
                "/strings": list(of: text), "/word": .enumeration(["A", "B"]), "/words": list(of: .enumeration(["A", "B"])),
                "/object": .anyObject, "/object/inner": .anyObject, "/object/inner/deep": .bool, "/objects": list(of: .anyObject),
                "/objects/0/inner": list(of: .anyObject), "/objects/0/inner/0/deep": .int64, "/ignoredText": text,
                "/ignoredFlag": .bool, "/member": .any,
            ]
        )
    }

    @Test("and the members make the shape, in the order of their names")
    func nesting() {
        let shape = FieldRecorder.shape(of: [
            "/b": .anyObject, "/b/inner": .bool, "/a": list(of: .anyObject), "/a/0/deep": .int64,
        ])
        let inner = Shape.object(naming: [("inner", .bool)])
        let deep = Shape.object(naming: [("deep", .int64)])
        #expect(shape == .object(naming: [("a", list(of: deep)), ("b", inner)]))
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
                "/phone": .anyObject, "/phone/number": text, "/totp": .anyObject, "/totp/code": text, "/email": .member("email"),
                "/userId": text, "/token": .member("token"), "/issuer": text, "/map": .anyObject, "/platform": text,
                "/last": text,
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
