import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("What the console refuses is in the audit trail", .teardown, .timeLimit(.minutes(15)))
struct OperatorRefusalTests {
    private static let scope = Scope(projectID: "demo-test")

    private func start(on engine: Engine = .sqlite) async throws -> TestServer {
        try await TestServer.start(environment: ConsoleClient.environment, on: engine)
    }

    /// How many refusals of a code there were, by actor.
    private func refusals(_ server: TestServer, _ code: String) async throws -> [String: Int64] {
        await server.recordRefusals()
        let filter = AuditFilter(event: AuditEvent.Kind.refused.rawValue, limit: 1000)
        let events = try await server.core.database.read { try $0.auditEvents(Self.scope, filter) }
        return events.filter { $0.detail?["code"]?.string == code }.reduce(into: [:]) { counts, event in
            counts[event.actor, default: 0] += event.repeats + 1
        }
    }

    @Test("a missing right, at whichever screen", arguments: Engine.allCases)
    func missingRights(engine: Engine) async throws {
        let server = try await start(on: engine)
        let viewer = try await ConsoleClient.enroll(server, role: .viewer)
        _ = try await viewer.get("/console/profile")
        let forms: [(String, [(String, String)])] = [
            ("/console/users/new", [("email", "x@example.com")]), ("/console/users", [("do", "delete"), ("user", "ada")]),
            ("/console/keys", [("do", "rotate"), ("confirmed", "yes")]),
            ("/console/operators", [("do", "invite"), ("email", "x@example.com"), ("role", "owner")]),
        ]
        for (path, fields) in forms { #expect(try await viewer.post(path, fields).status == 403, "\(path)") }
        for path in ["/console/operators", "/console/imports"] { #expect(try await viewer.get(path).status == 403) }
        #expect(try await refusals(server, "notAllowed") == ["operator:viewer@example.com": 6])
    }

    @Test("a passkey's answer that comes again, and that of a copied passkey", arguments: Engine.allCases)
    func passkeys(engine: Engine) async throws {
        let server = try await start(on: engine)
        let passkey = try await OperatorPasskey(server)
        let answer = try await passkey.answer("/console/sign-in") { $0.signCount = 7 }
        #expect(try await OperatorPasskey.post(server, "/console/sign-in", answer).status == 303)
        #expect(try await OperatorPasskey.post(server, "/console/sign-in", answer).status == 200)
        #expect(try await refusals(server, "ceremonyEnded") == [OperatorPasskey.actor: 1])
        let copied = try await passkey.answer("/console/sign-in") { $0.signCount = 7 }
        #expect(try await OperatorPasskey.post(server, "/console/sign-in", copied).status == 200)
        #expect(try await refusals(server, "passkeyRefused") == [OperatorPasskey.actor: 1])
        let confirmation = try await passkey.answer("/console/confirm", cookie: passkey.cookie) { $0.signCount = 3 }
        let refused = try await OperatorPasskey.post(server, "/console/confirm", confirmation, cookie: passkey.cookie)
        #expect(refused.status == 200)
        #expect(try await refusals(server, "passkeyRefused") == [OperatorPasskey.actor: 2])
    }

    @Test("each of nine guesses, also those that were not looked at any more", arguments: Engine.allCases)
    func throttled(engine: Engine) async throws {
        let server = try await start(on: engine)
        let owner = try await ConsoleClient.enroll(server)
        server.clock.advance(by: .seconds(30))
        for _ in 0..<9 { #expect(try await owner.signIn(password: "wrong").status == 200) }
        let wrong = try await refusals(server, "wrongCredentials")
        let delayed = try await refusals(server, "tooManyAttempts")
        #expect(Set(wrong.keys).union(delayed.keys) == ["operator:owner@example.com"])
        #expect((wrong.values.first ?? 0) + (delayed.values.first ?? 0) == 9 && !delayed.isEmpty)
    }

    @Test("a foreign form, a session that has ended, and an invitation that is used up")
    func otherDoors() async throws {
        let server = try await start()
        let owner = try await ConsoleClient.enroll(server)
        _ = try await owner.get("/console/profile")
        let foreign = [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")]
        #expect(try await owner.post("/console/sign-out", [], headers: foreign).status == 403)
        #expect(try await refusals(server, "foreignForm") == ["operator:owner@example.com": 1])
        #expect(try await server.client.get("/console/invitation?code=used").status == 400)
        #expect(try await refusals(server, "invitationEnded") == ["operator": 1])
        // Who shows no session is asked for one, and refused nothing.
        #expect(try await server.client.get("/console").status == 303)
        #expect(try await refusals(server, "signedOut") == [:])
        owner.cookie = "made-up"
        #expect(try await owner.get("/console").status == 303)
        #expect(try await refusals(server, "signedOut") == ["operator": 1])
        // A step on the way to what was asked for is no refusal.
        let other = try await ConsoleClient.enroll(server, email: "second@example.com")
        _ = try await other.get("/console/profile")
        server.clock.advance(by: .seconds(301))
        #expect(try await other.post("/console/keys", [("do", "rotate")]).location?.hasPrefix("/console/confirm") == true)
        #expect(try await refusals(server, "needsConfirmation") == [:])
    }

    @Test("what a stranger types does not enter it")
    func strangers() async throws {
        let server = try await start()
        _ = try await ConsoleClient.enroll(server)
        let fields = [("way", "password"), ("email", "nobody@example.com"), ("password", "x"), ("code", "123456")]
        #expect(try await OperatorPasskey.post(server, "/console/sign-in", fields).status == 200)
        #expect(try await refusals(server, "wrongCredentials") == ["operator": 1])
        #expect(try await !server.storedText().contains("nobody@example.com"))
    }

    @Test("signing out leaves a record")
    func signOut() async throws {
        let server = try await start()
        let owner = try await ConsoleClient.enroll(server)
        _ = try await owner.get("/console/profile")
        #expect(try await owner.post("/console/sign-out", []).status == 303)
        #expect(try await server.auditDetails("operatorSignedOut").count == 1)
    }
}
