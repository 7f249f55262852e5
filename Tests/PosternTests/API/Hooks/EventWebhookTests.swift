import Crypto
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Events", .teardown, .timeLimit(.minutes(15)))
struct EventWebhookTests {
    private typealias Reply = LoopbackService.Reply

    private static let secret = "a web hook's secret"

    private func start(
        project: ((FakeIDP) -> String)? = nil,
        on engine: Engine = .sqlite
    ) async throws -> (TestServer, LoopbackService) {
        let hook = try await LoopbackService.start()
        let environment = ["POSTERN_WEBHOOKS_URL": hook.origin + "/events", "POSTERN_WEBHOOKS_SECRET": Self.secret]
        let server = try await TestServer.start(
            environment: environment,
            project: project ?? TestServer.emailProject(),
            on: engine
        )
        return (server, hook)
    }

    /// The checks of a receiver: first the signature, then the age.
    private func isGenuine(_ call: LoopbackService.Call, at now: Timestamp, secret: String = secret) -> Bool {
        guard let header = call.headers["postern-signature"], let parts = header.wholeMatch(of: /t=([0-9]+),v1=([0-9a-f]{64})/),
            let time = Int64(parts.1)
        else { return false }
        let signed = Data("\(time).".utf8) + call.body
        let mac = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: Data(secret.utf8)))
        return mac.map { String(format: "%02x", $0) }.joined() == parts.2 && abs(now.seconds - time) <= 300
    }

    /// The events of an account, sorted, because their order is not guaranteed.
    private func types(_ hook: LoopbackService, count: Int) async -> [String] {
        _ = await hook.call(count)
        return hook.calls.compactMap { $0.json["type"]?.string }.sorted()
    }

    @Test("reach the web hook signed, in the documented form", arguments: Engine.allCases)
    func form(engine: Engine) async throws {
        let (server, hook) = try await start(on: engine)
        let session = try await server.signUp("a@b.c")
        #expect(await types(hook, count: 2) == ["user.created", "user.signedIn"])
        let call = try #require(hook.calls.first { $0.json["type"] == "user.created" })
        #expect(call.method == "POST" && call.path == "/events")
        #expect(call.headers["content-type"] == "application/json")
        let now = server.clock.now
        #expect(isGenuine(call, at: now))
        #expect(!isGenuine(call, at: now, secret: "another"))
        #expect(!isGenuine(call, at: now.advanced(by: .seconds(301))))
        let body = call.json
        #expect(Set((body.object ?? [:]).keys) == ["id", "type", "createdAt", "projectId", "localId", "data"])
        #expect(body["createdAt"]?.string == now.rfc3339)
        #expect(body["projectId"] == "demo-test")
        #expect(body["localId"] == .string(session.localID))
        #expect(body["data"]?["email"] == "a@b.c")
        #expect(Set(hook.calls.compactMap { $0.json["id"]?.string }).count == 2)
        let signedIn = hook.calls.first { $0.json["type"] == "user.signedIn" }
        #expect(signedIn?.json["data"] == ["providerId": "password"])
        let texts = hook.calls.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(texts.allSatisfy { !$0.contains("secret-1") && !$0.contains("argon2") })
    }

    @Test("tell of every kind of change once", arguments: Engine.allCases)
    func kinds(engine: Engine) async throws {
        let (server, hook) = try await start(on: engine)
        var seen = 0
        func expect(_ types: [String], _ what: String) async {
            _ = await hook.call(seen + types.count)
            let got = hook.calls.dropFirst(seen).compactMap { $0.json["type"]?.string }.sorted()
            #expect(got == types.map { "user.\($0)" }.sorted(), "\(what)")
            seen = hook.calls.count
        }
        let session = try await server.signUp("a@b.c")
        await expect(["created", "signedIn"], "sign-up")
        let idToken = JSONValue.string(session.idToken)
        let linked = try await server.signIn("oidc.test", try server.oidcToken("o"), ["idToken": idToken])
        #expect(linked.status == 200, "\(linked.errorMessage ?? "")")
        await expect(["linked", "signedIn"], "link")
        let unlink: JSONValue = ["idToken": idToken, "deleteProvider": ["oidc.test"]]
        #expect(try await server.call("update", unlink).status == 200)
        await expect(["unlinked"], "unlink")
        #expect(try await server.call("update", ["idToken": idToken, "displayName": "Ann"]).status == 200)
        let code = try await server.code("PASSWORD_RESET", ["email": "a@b.c"])
        let reset: JSONValue = ["oobCode": .string(code), "newPassword": "secret-2"]
        #expect(try await server.call("resetPassword", reset).status == 200)
        await expect(["passwordChanged", "sessionsRevoked"], "reset, and nothing of the profile")
        let localID = JSONValue.string(session.localID)
        let revoke: JSONValue = ["localId": localID, "validSince": .string("\(server.clock.now.seconds)")]
        #expect(try await server.callAsAdmin("update", revoke).status == 200)
        await expect(["sessionsRevoked"], "revocation")
        #expect(try await server.callAsAdmin("delete", ["localId": localID]).status == 200)
        await expect(["deleted"], "deletion")
        let made = try await server.callAsAdmin("signUp", ["email": "m@b.c"])
        await expect(["created"], "made by an administrator")
        let batch: JSONValue = ["localIds": [made["localId"] ?? .null], "force": true]
        #expect(try await server.admin("accounts:batchDelete", batch).status == 200)
        await expect(["deleted"], "batch deletion")
        let users: JSONValue = ["users": [["localId": "imported", "email": "i@b.c"]]]
        #expect(try await server.admin("accounts:batchCreate", users).status == 200)
        #expect(try await server.call("signUp", [:]).status == 200)
        await expect(["created", "signedIn"], "an import tells nothing")
    }

    @Test("tell of second factors")
    func factors() async throws {
        let (server, hook) = try await start(project: TestServer.factorProject)
        let user = try await server.verifiedUser("a@b.c")
        _ = await hook.call(2)
        let enrolled = try await server.enrollApp(user)
        let event = await hook.call(3).json
        #expect(event["type"] == "user.mfaEnrolled")
        #expect(event["data"] == ["mfaEnrollmentId": .string(enrolled.enrollmentID), "factorId": "totp"])
        let pending = try await server.signIn("a@b.c")
        #expect(try await server.show(enrolled, pending).status == 200)
        let shown = await hook.call(4).json
        #expect(shown["type"] == "user.signedIn")
        #expect(shown["data"] == ["providerId": "password", "secondFactor": "totp"])
        let withdraw: JSONValue = [
            "idToken": .string(enrolled.session.idToken), "mfaEnrollmentId": .string(enrolled.enrollmentID),
        ]
        #expect(try await server.callV2("mfaEnrollment:withdraw", withdraw).status == 200)
        #expect(await hook.call(5).json["type"] == "user.mfaWithdrawn")
    }

    @Test("are tried again after a refusal, and given up after a day")
    func retries() async throws {
        let (server, hook) = try await start()
        hook.reply { _ in Reply(500, body: []) }
        _ = try await server.call("signUp", ["email": "a@b.c", "password": "secret-1"])
        let first = await hook.call(2).json["id"]
        try await failed(2, server)
        #expect(hook.calls.count == 2)
        hook.reply { _ in Reply(json: [:]) }
        server.clock.advance(by: .seconds(7))
        _ = await hook.call(4)
        // Both answers are recorded. Otherwise the leases would end within the next day, and the events would be posted
        // again.
        try await eventually { try await rows("finished_at IS NOT NULL", server) == 2 }
        #expect(hook.calls.dropFirst(2).contains { $0.json["id"] == first })
        hook.reply { _ in Reply(404, body: []) }
        #expect(try await server.signIn("a@b.c").status == 200)
        _ = await hook.call(5)
        try await failed(1, server)
        server.clock.advance(by: .seconds(86_400))
        try await eventually { try await rows("outcome = 'dead'", server) == 1 }
        #expect(hook.calls.count == 5)
        #expect(try await rows("payload <> ''", server) == 0)
    }

    private func failed(_ count: Int, _ server: TestServer) async throws {
        try await eventually {
            try await rows("finished_at IS NULL AND last_failure IS NOT NULL AND lease_id IS NULL", server) >= count
        }
    }

    private func rows(_ condition: String, _ server: TestServer) async throws -> Int {
        try await server.core.database.read {
            try $0.query("SELECT message_id FROM webhook_outbox WHERE \(raw: condition)").count
        }
    }

    @Test("are not written at all without a web hook, nor for a change that failed")
    func nothing() async throws {
        try await TestServer.running(project: TestServer.emailProject()) { server async throws in
            _ = try await server.signUp("a@b.c")
            #expect(try await rows("TRUE", server) == 0)
        }
        let (server, _) = try await start()
        _ = try await server.signUp("a@b.c")
        let before = try await rows("TRUE", server)
        #expect(before == 2)
        #expect(try await server.call("signUp", ["email": "a@b.c", "password": "secret-1"]).status == 400)
        #expect(try await rows("TRUE", server) == before)
    }
}
