import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A notification from Apple", .teardown, .timeLimit(.minutes(15)))
struct AppleNotificationTests {
    private static let path = "/__/apple/notifications"

    /// A notification in Apple's format: the events are JSON inside a JSON text.
    private func payload(
        _ server: TestServer,
        _ type: String,
        subject: String = "apple-1",
        id: String = "n-1",
        time: Int64? = nil,
        _ overrides: JSONValue = [:]
    ) throws -> String {
        let events: JSONValue = [
            "type": .string(type), "sub": .string(subject), "event_time": .integer(time ?? server.clock.now.milliseconds),
        ]
        var more: JSONValue = ["jti": .string(id), "events": .string(events.text), "sub": .null]
        more = more.merging(overrides)
        return try server.provider.token(server.claims("apple", TestServer.appleClient, "unused", more))
    }

    private func send(_ server: TestServer, _ payload: String) async throws -> TestClient.Answer {
        try await server.client.post(Self.path, ["payload": .string(payload)])
    }

    private func providers(_ server: TestServer, _ localID: String) async throws -> [JSONValue] {
        let user = try await server.callAsAdmin("lookup", ["localId": [.string(localID)]])["users"]?[0]
        return (user?["providerUserInfo"]?.array ?? []).compactMap { $0["providerId"] }
    }

    private func start(on engine: Engine = .sqlite) async throws -> TestServer {
        let project: (FakeIDP) -> String = { provider in
            TestServer.emailProject()(provider) + """

                defaultSupportedIdpConfigs:
                  apple.com: {enabled: true, appleSignInConfig: {bundleIds: [\(TestServer.appleClient)]}}
                """
        }
        let mail = ["POSTERN_EMAIL_TRANSPORT": "log", "POSTERN_EMAIL_FROM": "no-reply@example.com"]
        return try await TestServer.start(environment: mail, project: project, on: engine)
    }

    @Test("that consent is revoked unlinks Apple and ends its sessions; the password stays (APL-11)", arguments: Engine.allCases)
    func consentRevoked(engine: Engine) async throws {
        let server = try await start(on: engine)
        let password = try await server.signUp("ada@example.com")
        let apple = try server.session(try await server.signIn("apple.com", try server.appleToken(), password.token))
        #expect(try await providers(server, apple.localID) == ["apple.com", "password"])
        #expect(try await send(server, try payload(server, "consent-revoked")).status == 200)
        #expect(try await providers(server, apple.localID) == ["password"])
        #expect(try await server.call("lookup", ["idToken": .string(password.idToken)]).status == 200)
        #expect(try await server.refresh(apple.refreshToken).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.refresh(password.refreshToken).status == 200)
        #expect(try await server.signIn("ada@example.com").status == 200)
    }

    @Test("that the Apple account is gone does the same, in both spellings", arguments: ["account-delete", "account-deleted"])
    func accountDeleted(type: String) async throws {
        let server = try await start()
        let apple = try server.session(try await server.signIn("apple.com", try server.appleToken()))
        server.clock.advance(by: .seconds(1))
        let answer = try await send(server, try payload(server, type))
        #expect(answer.status == 200)
        #expect(answer.json == [:])
        #expect(try await providers(server, apple.localID).isEmpty)
        #expect(try await server.refresh(apple.refreshToken).errorMessage == "TOKEN_EXPIRED")
        // The account has no sign-in method left, so the ID token is invalid too.
        let password = apple.token.merging(["email": "ada@example.com", "password": "secret-1"])
        for (method, body) in [("lookup", apple.token), ("update", apple.token), ("signUp", password), ("delete", apple.token)] {
            #expect(try await server.call(method, body).errorMessage == "TOKEN_EXPIRED", "\(method)")
        }
    }

    @Test("that the relay is off keeps mail back until it is on again (APL-14)", arguments: Engine.allCases)
    func relay(engine: Engine) async throws {
        let server = try await start(on: engine)
        let relay = "x1@privaterelay.appleid.com"
        let token = try server.appleToken("apple-1", TestServer.email(relay))
        _ = try server.session(try await server.signIn("apple.com", token))
        func waiting() async throws -> Int64? {
            let rows = try await server.core.database.read { try $0.query("SELECT COUNT(*) AS n FROM email_outbox") }
            return try rows.first?.integer("n")
        }
        let reset: JSONValue = ["requestType": "PASSWORD_RESET", "email": .string(relay)]
        #expect(try await send(server, try payload(server, "email-disabled")).status == 200)
        #expect(try await server.call("sendOobCode", reset).status == 200)
        #expect(try await waiting() == 0)
        #expect(try await send(server, try payload(server, "email-enabled", id: "n-2")).status == 200)
        #expect(try await server.call("sendOobCode", reset).status == 200)
        #expect(try await waiting() == 1)
    }

    @Test("that comes again changes nothing, and about a stranger neither (APL-09, APL-10)")
    func repeated() async throws {
        let server = try await start()
        let first = try payload(server, "consent-revoked")
        #expect(try await send(server, first).status == 200)
        let apple = try server.session(try await server.signIn("apple.com", try server.appleToken()))
        #expect(try await send(server, first).status == 200)
        #expect(try await providers(server, apple.localID) == ["apple.com"])
        #expect(try await send(server, try payload(server, "something-new", id: "n-3")).status == 200)
        #expect(try await providers(server, apple.localID) == ["apple.com"])
    }

    @Test("that cannot be verified now is asked for again")
    func outage() async throws {
        let server = try await start()
        let payload = try payload(server, "consent-revoked")
        for fault: FakeIDP.Fault in [.status(500), .body("<html>"), .drip] {
            server.provider.setFault(fault, at: "/apple/auth/keys")
            // Only a peer that never ends reaches a time limit.
            if case .drip = fault { server.outgoing.limit(to: .seconds(1), at: "/apple/auth/keys") }
            #expect(try await send(server, payload).status == 503)
            server.clock.advance(by: .seconds(2))
        }
        server.provider.setFault(nil, at: "/apple/auth/keys")
        server.outgoing.limit(to: TestServer.patience)
        #expect(try await send(server, payload).status == 200)
    }

    @Test("that cannot be verified now is asked for again, however many come at once")
    func sharedOutage() async throws {
        let server = try await start()
        server.provider.setFault(.drip, at: "/apple/auth/keys")
        server.outgoing.limit(to: .seconds(1), at: "/apple/auth/keys")
        let payload = try payload(server, "consent-revoked")
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<6 { tasks.addTask { try await send(server, payload).status } }
            for try await status in tasks { #expect(status == 503) }
        }
        #expect(server.provider.count("/apple/auth/keys") == 1)
    }

    @Test("that comes late undoes nothing that is newer (APL-10)", arguments: Engine.allCases)
    func late(engine: Engine) async throws {
        let server = try await start(on: engine)
        let late = try payload(server, "consent-revoked")
        let inSeconds = try payload(server, "consent-revoked", id: "n-2", time: server.clock.now.seconds)
        server.clock.advance(by: .seconds(90))
        let apple = try server.session(try await server.signIn("apple.com", try server.appleToken()))
        for notification in [late, inSeconds] {
            #expect(try await send(server, notification).status == 200)
            #expect(try await providers(server, apple.localID) == ["apple.com"])
        }
        #expect(try await server.refresh(apple.refreshToken).status == 200)
        server.clock.advance(by: .seconds(1))
        // Apple's clock may be behind ours.
        let news = try payload(server, "consent-revoked", id: "n-3", time: server.clock.now.seconds - 30)
        #expect(try await send(server, news).status == 200)
        #expect(try await providers(server, apple.localID).isEmpty)
    }

    @Test("about the relay counts by when it happened, not by when it comes", arguments: Engine.allCases)
    func relayOutOfOrder(engine: Engine) async throws {
        let server = try await start(on: engine)
        let relay = "x1@privaterelay.appleid.com"
        _ = try server.session(try await server.signIn("apple.com", try server.appleToken("apple-1", TestServer.email(relay))))
        func isDisabled() async throws -> Bool {
            try await server.core.database.read { try $0.isMailDisabled(Scope(projectID: "demo-test"), email: relay) }
        }
        var notifications: [String] = []
        for (index, type) in ["email-disabled", "email-enabled", "email-enabled", "email-disabled"].enumerated() {
            server.clock.advance(by: .milliseconds(5))
            notifications.append(try payload(server, type, id: "n-\(index)"))
        }
        for (index, expected) in [(1, false), (0, false), (3, true), (2, true)] {
            #expect(try await send(server, notifications[index]).status == 200)
            #expect(try await isDisabled() == expected)
        }
    }

    @Test("that is forged, old, for another client or no token at all is refused (APL-08)")
    func refused() async throws {
        let server = try await start()
        let apple = try server.session(try await server.signIn("apple.com", try server.appleToken()))
        let now = server.clock.now.seconds
        let good = try payload(server, "consent-revoked")
        let claims: [JSONValue] = [
            ["aud": "com.example.other"], ["iss": "https://appleid.apple.com"], ["iat": .integer(now + 3600)],
            ["iat": .integer(now - 7200), "exp": .null], ["exp": .integer(now - 120)], ["exp": "never"], ["jti": .null],
            ["iat": .integer(now - 2 * 86_400), "exp": .integer(now + 600)], ["events": .null], ["events": "{"],
        ]
        let refused =
            [
                String(good.dropLast(4)) + "AAAA", "{\"type\":\"consent-revoked\"}", "", "a.b.c",
                try server.provider.token(server.claims("apple", TestServer.appleClient, "apple-1"), header: ["kid": "none"]),
            ] + (try claims.map { try payload(server, "consent-revoked", $0) })
        for token in refused {
            let status = try await send(server, token).status
            #expect((400..<500).contains(status), "\(status): \(token.prefix(200))")
        }
        #expect(try await server.client.post(Self.path, [:]).status == 400)
        #expect(try await server.client.post(Self.path, ["payload": ["a": 1]]).status == 400)
        #expect(try await providers(server, apple.localID) == ["apple.com"])
        #expect(try await send(server, good).status == 200)
        let fractions: JSONValue = ["iat": .number(Double(now) - 0.5), "exp": .number(Double(now) + 600.5)]
        #expect(try await send(server, try payload(server, "consent-revoked", id: "n-2", fractions)).status == 200)
    }
}
