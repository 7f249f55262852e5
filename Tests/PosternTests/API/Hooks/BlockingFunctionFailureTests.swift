import Accounts
import Foundation
import HTTPAPI
import Project
import Storage
import Tenancy
import TestKit
import Testing

@testable import Server

@Suite("A blocking function that fails", .teardown, .timeLimit(.minutes(15)))
struct BlockingFunctionFailureTests {
    private typealias Reply = LoopbackService.Reply

    private static let prefix = "BLOCKING_FUNCTION_ERROR_RESPONSE : (("

    private func expectRefused(
        _ hooked: HookedServer,
        _ text: String,
        status: Int = 400,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await hooked.signUp()
        #expect(answer.status == status, sourceLocation: location)
        #expect(answer.errorMessage == Self.prefix + text + "))", sourceLocation: location)
        if status == 500 { #expect(answer["error"]?["status"] == "INTERNAL", sourceLocation: location) }
        #expect(try await hooked.accounts() == 0, sourceLocation: location)
    }

    @Test("leaves nobody behind, and its own words reach the client", arguments: [ServerMode.production, .development])
    func table(mode: ServerMode) async throws {
        let hooked = try await HookedServer.start(["beforeCreate"], mode: mode)
        let uri = hooked.functions.origin + "/beforeCreate"
        let broken = mode == .development ? 500 : 400
        hooked.answer("beforeCreate", Reply(403, body: Array("{\"error\":{\"message\":\"Not you\"}}".utf8)))
        try await expectRefused(hooked, "HTTP request to \(uri) returned HTTP error 403: {\"error\":{\"message\":\"Not you\"}}")
        hooked.answer("beforeCreate", Reply(500, body: Array("oops".utf8)))
        try await expectRefused(hooked, "HTTP request to \(uri) returned HTTP error 500: oops")
        for record: JSONValue in [["displayName": "x"], ["updateMask": ""], ["updateMask": 1], "text"] {
            hooked.answer("beforeCreate", Reply(json: ["userRecord": record]))
            try await expectRefused(hooked, "Response UserRecord is missing updateMask.")
        }
        // The emulator takes a list for an answer that changes nothing.
        for body in ["", "{", "no", "null", "{} {}"] + (mode == .production ? ["[]", "\"text\""] : []) {
            hooked.answer("beforeCreate", Reply(body: Array(body.utf8)))
            try await expectRefused(hooked, "Response body is not valid JSON.", status: broken)
        }
        let elsewhere = hooked.functions.origin + "/elsewhere"
        hooked.answer("beforeCreate", Reply(307, headers: [("Location", elsewhere)], body: []))
        try await expectRefused(hooked, "HTTP request to \(uri) returned HTTP error 307: ", status: broken)
        #expect(!hooked.asked.contains("elsewhere"))
        hooked.answer("beforeCreate", Reply(body: Array(repeating: UInt8(ascii: " "), count: 10 << 20)))
        try await expectRefused(hooked, "Response body is too large.", status: broken)
        hooked.answer("beforeCreate", Reply(json: ["recaptchaActionOverride": "BLOCK"]))
        #expect(try await hooked.signUp().errorMessage == "CAPTCHA_CHECK_FAILED")
        #expect(try await hooked.accounts() == 0)
        hooked.answer("beforeCreate", Reply(json: ["recaptchaActionOverride": "ALLOW", "userRecord": .null]))
        #expect(try await hooked.signUp().status == 200)
    }

    @Test("by setting claims that are the server's, too large or none is refused")
    func claims() async throws {
        let hooked = try await HookedServer.start(["beforeCreate", "beforeSignIn"])
        let large: JSONValue = ["x": .string(String(repeating: "x", count: 1000))]
        for (claims, message) in [
            (["sub": "x"] as JSONValue, "FORBIDDEN_CLAIM : sub"), (["firebase": [:]], "FORBIDDEN_CLAIM : firebase"),
            (large, "CLAIMS_TOO_LARGE"), ("text", "INVALID_CLAIMS"), (.null, "INVALID_CLAIMS"),
        ] {
            hooked.change("beforeCreate", mask: "customClaims", ["customClaims": claims])
            #expect(try await hooked.signUp().errorMessage == message)
            #expect(try await hooked.accounts() == 0)
            hooked.change("beforeSignIn", mask: "sessionClaims", ["sessionClaims": claims])
            let email = "\(message.count)@b.c"
            #expect(try await hooked.signUp(email).errorMessage == message)
            _ = try await hooked.server.core.database.write { try $0.execute("DELETE FROM accounts") }
        }
    }

    @Test("to answer within seven seconds refuses, and holds up nobody else")
    func timeOut() async throws {
        let hooked = try await HookedServer.start(["beforeSignIn"])
        let (ends, over) = AsyncStream.makeStream(of: Void.self)
        hooked.functions.reply { _ in
            for await _ in ends {}
            return Reply(json: [:])
        }
        // The server's own time limit applies.
        hooked.server.outgoing.limit(to: nil)
        async let late = hooked.signUp()
        try await eventually { !hooked.server.outgoing.calls.isEmpty }
        // No transaction is open while the function runs.
        #expect(try await hooked.server.call("signUp", [:]).status == 200)
        let message = try await late.errorMessage
        over.finish()
        #expect(hooked.server.outgoing.calls.map(\.timeout) == [.seconds(7)])
        let uri = hooked.functions.origin + "/beforeSignIn"
        #expect(message == "\(Self.prefix)Deadline exceeded making request to \(uri).))")
    }

    @Test("to be there at all refuses")
    func unreachable() async throws {
        let port = try RefusingPort()
        let gone = "http://127.0.0.1:\(port.number)"
        do {
            let hooked = try await HookedServer.start([], mode: .development)
            try await set(gone + "/f", hooked.server)
            try await expectRefused(hooked, "Failed to make request to \(gone)/f.", status: 500)
        }
        withExtendedLifetime(port) {}
    }

    @Test(
        "never tells a stranger its query, or a user's name and password (HOK-04)",
        arguments: [ServerMode.production, .development]
    )
    func secrets(mode: ServerMode) async throws {
        let port = try RefusingPort()
        do {
            let hooked = try await HookedServer.start([], mode: mode)
            let live = try #require(hooked.functions.origin.split(separator: "/").last)
            hooked.answer("f", Reply(500, body: Array("oops".utf8)))
            try await set("http://\(live)/f?code=hush", hooked.server)
            try await expectRefused(hooked, "HTTP request to http://\(live)/f returned HTTP error 500: oops")
            let gone = "http://127.0.0.1:\(port.number)/f"
            for uri in [gone + "?code=hush", gone + "?code=hush#part", gone + "#hush"] {
                try await set(uri, hooked.server)
                try await expectRefused(hooked, "Failed to make request to \(gone).", status: mode == .development ? 500 : 400)
            }
            // No rule lets such an address in; one that an earlier version stored is not told either.
            try await set("http://user:hush@127.0.0.1:\(port.number)/f?code=hush", hooked.server)
            let answer = try await hooked.signUp()
            #expect(answer.errorMessage == "\(Self.prefix)Failed to make request to http://127.0.0.1:\(port.number)/f.))")
        }
        withExtendedLifetime(port) {}
    }

    @Test("to be outside of private networks is never asked", arguments: ["http", "https"])
    func privateNetwork(scheme: String) async throws {
        let hooked = try await HookedServer.start([])
        let port = hooked.functions.origin.split(separator: ":").last ?? ""
        for host in ["127.0.0.1", "[::1]", "169.254.169.254", "0x7f000001", "[::ffff:127.0.0.1]", "localhost"] {
            let server = try await TestServer.start(
                environment: ["POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "false"],
                project: { _ in "config: {signIn: {email: {enabled: true}}}" }
            )
            let uri = "\(scheme)://\(host):\(port)/f"
            try await set(uri, server)
            let answer = try await HookedServer(server: server, functions: hooked.functions).signUp()
            #expect(answer.errorMessage == "\(Self.prefix)Failed to make request to \(uri).))")
            #expect(hooked.functions.calls.isEmpty)
        }
    }

    // Sets the configuration without the checks of the administration API.
    private func set(_ uri: String, _ server: TestServer) async throws {
        let scope = Scope(projectID: "demo-test")
        let now = server.clock.now
        try await server.core.database.write { transaction in
            var config = try transaction.resource(scope, kind: .config, resourceID: "") ?? [:]
            config["blockingFunctions"] = ["triggers": ["beforeCreate": ["functionUri": .string(uri)]]]
            try transaction.putResource(scope, ResourceRecord(kind: .config, resourceID: "", document: config), at: now)
        }
        server.core.useCases.runtime.configurations.invalidate("demo-test")
    }

    @Test("after the account was stored leaves it without a session, and the next sign-in finds it")
    func afterStoring() async throws {
        let hooked = try await HookedServer.start(["beforeCreate", "beforeSignIn"])
        hooked.answer("beforeSignIn", Reply(503, body: []))
        #expect(try await hooked.signUp().errorMessage?.hasPrefix(Self.prefix) == true)
        #expect(try await hooked.accounts() == 1)
        hooked.answer("beforeSignIn", Reply(json: [:]))
        #expect(try await hooked.server.signIn("a@b.c").status == 200)
        #expect(hooked.asked == ["beforeCreate", "beforeSignIn", "beforeSignIn"])
    }
}
