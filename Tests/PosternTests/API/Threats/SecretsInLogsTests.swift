import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Secrets", .teardown, .timeLimit(.minutes(15)))
struct SecretsInLogsTests {
    private static let number = "+16505551234"
    private static let password = "correct-horse-1"
    private static let email = "somebody.private@example.com"

    @Test("of a day's sign-ins stand in no log line, audit record, metric, span or error text (OPS-04, OTP-05, OOB-07, KEY-03)")
    func nowhere() async throws {
        try await nowhere(watchedBy: LoopbackService.start())
    }

    private func nowhere(watchedBy collector: LoopbackService) async throws {
        let smtp = try await SMTPServer.start()
        let hook = try await LoopbackService.start()
        let environment = TokenKinds.environment.merging(
            [
                "POSTERN_SMS_TRANSPORT": "webhook", "POSTERN_SMS_WEBHOOK_URL": hook.origin + "/sms",
                "POSTERN_SMS_WEBHOOK_SECRET": "a web hook's secret", "POSTERN_EMAIL_TRANSPORT": "smtp",
                "POSTERN_EMAIL_SMTP_URL": "smtp://127.0.0.1:\(smtp.port)",
                "POSTERN_EMAIL_FROM": "Postern <noreply@example.com>",
                "POSTERN_TELEMETRY_ENDPOINT": collector.origin, "POSTERN_TELEMETRY_TRACES_SAMPLE_RATIO": "1",
                "OTEL_BSP_SCHEDULE_DELAY": "50", "OTEL_BSP_MAX_QUEUE_SIZE": "100000",
                "OTEL_BLRP_MAX_QUEUE_SIZE": "100000",
            ]
        ) { $1 }
        let server = try await TestServer.start(environment: environment, project: TokenKinds.project)
        var secrets = [Self.number, Self.password, Self.email, TestServer.adminToken, TestServer.apiKey, "a web hook's secret"]
        var errors: [String] = []
        let kinds = try await TokenKinds(server)
        for kind in TokenKinds.Kind.allCases {
            let value = try await kinds.value(kind)
            secrets.append(value)
            // Every value is sent to every place, right or wrong.
            for place in kinds.places { errors.append("\(try await place.show(value).json["error"]?.text ?? "")") }
            // The log has so many lines of refusals a second.
            server.clock.advance(by: .seconds(1))
        }
        secrets += try await journey(server, hook)
        errors += try await refusals(server)
        #expect(secrets.count > 30)
        #expect(server.log.lines.count > 200)
        #expect(!server.log.lines.contains { $0.contains("were left out") })
        let metrics = try await server.client.get("/metrics", headers: TestServer.bearer)
        func sent(_ signal: String) -> String {
            collector.calls.filter { $0.path == "/v1/\(signal)" }.map { String(decoding: $0.body, as: UTF8.self) }
                .joined()
        }
        try await eventually { sent("traces").contains("GET /metrics") }
        try await eventually { sent("logs").contains("/metrics") }
        let places = [
            ("spans", sent("traces")), ("log records", sent("logs")),
            ("log", server.log.lines.joined(separator: "\n")), ("audit", try await audit(server)),
            ("metrics", String(decoding: metrics.bytes, as: UTF8.self)), ("errors", errors.joined(separator: "\n")),
        ]
        for (name, text) in places {
            for secret in secrets where !secret.isEmpty { #expect(!text.contains(secret), "\(name): \(secret)") }
            #expect(!text.contains("PRIVATE KEY"), "\(name)")
        }
    }

    private func journey(_ server: TestServer, _ hook: LoopbackService) async throws -> [String] {
        let user = try await server.signUp(Self.email, Self.password)
        var secrets = [user.idToken, user.refreshToken]
        let signedIn = try server.session(try await server.signIn(Self.email, password: Self.password))
        secrets += [signedIn.idToken, signedIn.refreshToken]
        #expect(try await server.refresh(signedIn.refreshToken).status == 200)
        for type in ["PASSWORD_RESET", "EMAIL_SIGNIN"] {
            let mail: JSONValue = [
                "requestType": .string(type), "email": .string(Self.email), "continueUrl": "https://app.example.com",
            ]
            #expect(try await server.call("sendOobCode", mail).status == 200)
        }
        let code = try await server.code("PASSWORD_RESET", ["email": .string(Self.email)])
        secrets.append(code)
        #expect(
            try await server.client.get("/__/auth/action?mode=resetPassword&oobCode=\(code)&apiKey=\(TestServer.apiKey)").status
                == 200
        )
        let sent = try await server.sendCode(Self.number, try await server.appProof())
        let message = await hook.call(1)
        secrets.append(try TestServer.code(in: message.json["message"]?.string))
        secrets.append(try #require(sent["sessionInfo"]?.string))
        _ = try await server.signInWithPhone(sent["sessionInfo"], secrets[secrets.count - 2])
        let nonce = "a raw nonce of the app"
        let token = try server.oidcToken("somebody", ["nonce": .string(nonce)])
        #expect(try await server.signIn("oidc.test", token, nonce: nonce).status == 200)
        return secrets + [nonce, token]
    }

    private func refusals(_ server: TestServer) async throws -> [String] {
        var errors: [String] = []
        for (method, body) in [
            ("signInWithPassword", ["email": .string(Self.email), "password": .string(Self.password + "x")]),
            ("signUp", ["email": .string(Self.email), "password": .string(Self.password)]),
            ("signUp", ["email": .string(Self.email + ".."), "password": .string(Self.password)]),
            ("signInWithPassword", ["email": .string(Self.email), "password": [.string(Self.password)]]),
            ("lookup", ["idToken": [.string(Self.password)]]), ("sendOobCode", ["requestType": .string(Self.password)]),
            ("createAuthUri", ["identifier": .string(Self.email), "continueUri": .string(Self.password)]),
        ] as [(String, JSONValue)] {
            let answer = try await server.call(method, body)
            #expect(answer.status == 400, "\(method)")
            errors.append(answer.json.text)
        }
        errors.append(try await server.sendCode(Self.number + "999999999").json.text)
        return errors
    }

    private func audit(_ server: TestServer) async throws -> String {
        await server.recordRefusals()
        return try await server.core.database.read { transaction in
            let rows = try transaction.query("SELECT event, actor, detail FROM audit_events")
            return try rows.map { "\(try $0.text("event")) \(try $0.text("actor")) \(try $0.textIfPresent("detail") ?? "")" }
                .joined(separator: "\n")
        }
    }
}
