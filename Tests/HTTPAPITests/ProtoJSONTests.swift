import HTTPTypes
import Project
import Testing

@testable import HTTPAPI

@Suite("Request members are read by Google's rules")
struct ProtoJSONTests {
    private func object(_ members: JSONObject) -> ProtoObject { ProtoObject(members) }

    @Test("in camel case and in snake case")
    func spelling() throws {
        #expect(try object(["idToken": "a"]).string("idToken") == "a")
        #expect(try object(["id_token": "a"]).string("idToken") == "a")
        #expect(try object(["return_secure_token": true]).bool("returnSecureToken") == true)
    }

    @Test("with null as absent")
    func null() throws {
        let body = object(["a": .null])
        #expect(try body.string("a") == nil)
        #expect(try body.bool("a") == nil)
        #expect(try body.integer("a") == nil)
        #expect(try body.strings("a").isEmpty)
        #expect(try body.objects("a").isEmpty)
    }

    @Test("with numbers where texts are declared, and texts where numbers are")
    func numbers() throws {
        #expect(try object(["validSince": 1_611_780_718]).string("validSince") == "1611780718")
        #expect(try object(["validSince": "1611780718"]).integer("validSince") == 1_611_780_718)
        #expect(try object(["a": true]).string("a") == "true")
        #expect(try object(["list": [1, true, "x"]]).strings("list") == ["1", "true", "x"])
        #expect(try object(["password": 123_456]).password("password") == "123456")
        #expect(try object(["password": true]).password("password") == "true")
        #expect(try object(["password": "a\0b"]).password("password") == "a\0b")
        #expect(throws: TransportError.self) { try object(["password": []]).password("password") }
    }

    @Test("with enums by name, index, and index as text", arguments: ["PASSWORD", 5, "5"] as [JSONValue])
    func enums(value: JSONValue) throws {
        let names = ["X", "EMAIL", "DISPLAY_NAME", "PROVIDER", "PHOTO_URL", "PASSWORD"]
        #expect(try object(["deleteAttribute": [value]]).enumerations("deleteAttribute", of: names) == ["PASSWORD"])
    }

    @Test("with one value for a list of one (ruling 39)", arguments: ["x", "7"] as [JSONValue])
    func single(value: JSONValue) throws {
        #expect(try object(["list": value]).strings("list") == [try #require(value.string)])
        #expect(try object(["list": 7]).strings("list") == ["7"])
        #expect(try object(["things": ["a": value]]).objects("things").map { try $0.string("a") } == [value.string])
        #expect(try object(["kind": 1]).enumerations("kind", of: ["A", "B"]) == ["B"])
        #expect(try object(["list": .null]).strings("list").isEmpty)
    }

    @Test(
        "and a wrong shape is named by its JSON pointer",
        arguments: [
            (["a": ["x": 1]], "/a must be string"), (["a": [1]], "/a must be string"), (["flag": 1], "/flag must be boolean"),
            (["n": "1.5"], "/n must be integer"), (["list": [:]], "/list/0 must be string"),
            (["things": "x"], "/things/0 must be object"),
            (["list": ["ok", [:]]], "/list/1 must be string"), (["things": [1]], "/things/0 must be object"),
            (["kind": ["NOPE"]], "/kind/0 must be equal to one of the allowed values"),
            (["kind": [-1]], "/kind/0 must be equal to one of the allowed values"),
        ] as [(JSONValue, String)]
    )
    func wrongShape(body: JSONValue, problem: String) throws {
        let object = ProtoObject(try #require(body.object))
        let error = #expect(throws: TransportError.self) {
            _ = try object.string("a")
            _ = try object.bool("flag")
            _ = try object.integer("n")
            _ = try object.strings("list")
            _ = try object.objects("things")
            _ = try object.enumerations("kind", of: ["A", "B"])
        }
        #expect(error?.message == "Invalid JSON payload received. \(problem)")
        #expect(error?.status == .badRequest)
        #expect(error?.statusName == "INVALID_ARGUMENT")
    }
}
