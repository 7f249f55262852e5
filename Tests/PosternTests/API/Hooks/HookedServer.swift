import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

/// A server whose project has blocking functions, on loopback, and the functions' server.
struct HookedServer: Sendable {
    let server: TestServer
    let functions: LoopbackService

    typealias Reply = LoopbackService.Reply

    /// Starts both, which end with the test.
    static func start(
        _ events: [String],
        mode: ServerMode = .production,
        forwarding: JSONValue = [:],
        environment: [String: String] = [:],
        project: ((FakeIDP) -> String)? = nil,
        on engine: Engine = .sqlite
    ) async throws -> HookedServer {
        let functions = try await LoopbackService.start()
        let server = try await TestServer.start(
            mode: mode,
            environment: environment,
            project: project ?? TestServer.emailProject(),
            on: engine
        )
        let triggers = events.map { ($0, ["functionUri": .string("\(functions.origin)/\($0)")] as JSONValue) }
        let answer = try await server.admin(
            "PATCH",
            "/config?updateMask=blockingFunctions",
            ["blockingFunctions": ["triggers": .object(JSONObject(naming: triggers)), "forwardInboundCredentials": forwarding]]
        )
        #expect(answer.status == 200, "\(answer.errorMessage ?? "")")
        return HookedServer(server: server, functions: functions)
    }

    /// Sets the answer of one event's function. The other functions change nothing.
    func answer(_ event: String, _ reply: Reply) {
        functions.reply { $0.path == "/\(event)" ? reply : Reply(json: [:]) }
    }

    /// Makes one event's function change the account.
    func change(_ event: String, mask: String, _ record: JSONValue) {
        answer(event, Reply(json: ["userRecord": record.merging(["updateMask": .string(mask)])]))
    }

    var asked: [String] { functions.calls.map { String($0.path.dropFirst()) } }

    /// The token of a function's call.
    func token(_ index: Int) throws -> String {
        let call = try #require(functions.calls.indices.contains(index) ? functions.calls[index] : nil)
        #expect(call.method == "POST")
        #expect(call.headers["content-type"] == "application/json")
        return try #require(call.json["data"]?["jwt"]?.string)
    }

    /// The claims of a function's call.
    func claims(_ index: Int) throws -> JSONValue { try server.payload(token(index)) }

    func accounts() async throws -> Int {
        try await server.core.database.read { try $0.query("SELECT local_id FROM accounts").count }
    }

    func signUp(_ email: String = "a@b.c") async throws -> TestClient.Answer {
        try await server.call("signUp", ["email": .string(email), "password": "secret-1"])
    }
}
