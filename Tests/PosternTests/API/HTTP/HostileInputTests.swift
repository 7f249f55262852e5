import Foundation
import Project
import Settings
import TestKit
import Testing

@testable import Server

@Suite("Nothing that a caller writes makes the server fail", .teardown, .timeLimit(.minutes(15)))
struct HostileInputTests {
    private static let values: [JSONValue] = [
        "a\u{0}b", "\u{FFFF}\u{202E}", .integer(.min), .integer(.max), -1.5, [[]], ["\u{0}", .integer(.min)],
    ]
    private static let texts = ["a%00b", "%FF%FE", "-9223372036854775808", "9223372036854775807", "%ED%A0%80"]

    @Test("at any place of any request", arguments: Engine.allCases, [ServerMode.development, .production])
    func everywhere(engine: Engine, mode: ServerMode) async throws {
        let server = try await TestServer.start(mode: mode, on: engine)
        let project = server.core.settings.project.id
        let document = try await server.client.get("/openapi.json").json
        // Spellings of a path come together before the store, so that one engine shows them all.
        for place in engine == .sqlite ? RequestPlace.all(in: document) : RequestPlace.distinct(in: document) {
            let path = place.path(of: project)
            for index in 0..<(place.query == nil ? Self.values : Self.texts.map { .string($0) }).count {
                let query = place.query.map { "&\($0)=\(Self.texts[index])" } ?? ""
                let answer = try await server.client.send(
                    place.method,
                    "\(path)?key=\(TestServer.apiKey)&apiKey=\(TestServer.apiKey)&mode=resetPassword&oobCode=x\(query)",
                    headers: [("Authorization", "Bearer \(TestServer.adminToken)"), ("Content-Type", "application/json")],
                    body: place.method == "GET" ? nil : place.body(Self.values[index]).serialized()
                )
                #expect(answer.status < 500 || answer.status == 501, "\(place) \(index)")
            }
        }
    }

    @Test("as the index of an enum that no enum has")
    func enumIndex() async throws {
        let server = try await TestServer.start(mode: .development)
        for index in [Int64.min, -1, 99, .max] {
            let body: JSONValue = ["mfa": ["state": .integer(index)]]
            let answer = try await server.client.send(
                "PATCH",
                "/emulator/v1/projects/demo-test/config",
                headers: [("Content-Type", "application/json")],
                body: body.serialized()
            )
            #expect(answer.status == 400)
        }
    }

    @Test("as the character U+0000 in links and paths", arguments: Engine.allCases)
    func nul(engine: Engine) async throws {
        let server = try await TestServer.start(mode: .development, on: engine)
        for page in ["/__/auth/action", "/emulator/action"] {
            for query in ["oobCode=%00", "oobCode=x&tenantId=%00", "oobCode=x&continueUrl=%00"] {
                let answer = try await server.client.get("\(page)?apiKey=k&mode=resetPassword&\(query)")
                #expect(answer.status == 400)
            }
        }
        for listing in ["oobCodes", "verificationCodes"] {
            for scope in ["%00", "demo-test/tenants/%00"] {
                let answer = try await server.client.get("/emulator/v1/projects/\(scope)/\(listing)")
                #expect(answer.status == 400 || answer.status == 404)
            }
        }
    }
}
