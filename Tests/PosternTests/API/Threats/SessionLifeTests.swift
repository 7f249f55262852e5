import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

/// The clock stands still in these tests, so that everything happens within one second.
@Suite("An ID token lives as long as its session (SES-13)", .teardown, .timeLimit(.minutes(15)))
struct SessionLifeTests {
    private static let scope = Scope(projectID: "demo-test")
    private static let rounds = 3

    /// The events that end every session of an account.
    enum End: String, CaseIterable, CustomTestStringConvertible {
        case reset, provider, link, ownRevocation, revocation, earlierRevocation, password, passwordByAdministrator
        case disabled, one, passwordAndOldMoment

        var testDescription: String { rawValue }

        /// Whether the event itself gives a new session.
        var tokens: Bool { [.provider, .link, .ownRevocation, .password].contains(self) }
    }

    private func update(_ server: TestServer, _ account: TestServer.Session, _ changes: JSONValue) async throws {
        let body = changes.merging(["localId": .string(account.localID)])
        let answer = try await server.admin("accounts:update", body)
        #expect(answer.status == 200, "\(answer.json)")
    }

    /// Ends the sessions of an account.
    ///
    /// - Returns: The new session, if there is one.
    private func end(
        _ end: End,
        _ account: TestServer.Session,
        _ email: String,
        on server: TestServer
    ) async throws -> TestServer.Session? {
        let address = JSONValue.string(email)
        let now = JSONValue.string(String(server.clock.now.seconds))
        switch end {
        case .reset:
            let code = try await server.code("PASSWORD_RESET", ["email": address])
            let answer = try await server.call("resetPassword", ["oobCode": .string(code), "newPassword": "secret-2"])
            #expect(answer.status == 200, "\(answer.json)")
        case .provider:
            let token = try server.oidcToken(email, TestServer.email(email))
            return try server.session(try await server.signIn("oidc.test", token))
        case .link:
            let more: JSONValue = ["continueUrl": "https://app.example.com/", "canHandleCodeInApp": true]
            let code = try await server.code("EMAIL_SIGNIN", more.merging(["email": address]))
            return try server.session(try await server.call("signInWithEmailLink", ["email": address, "oobCode": .string(code)]))
        case .ownRevocation:
            return try server.session(try await server.call("update", ["idToken": .string(account.idToken), "validSince": "1"]))
        case .password:
            return try server.session(
                try await server.call("update", ["idToken": .string(account.idToken), "password": "secret-2"])
            )
        case .revocation: try await update(server, account, ["validSince": now])
        // The host of an Admin SDK has its own clock.
        case .earlierRevocation:
            try await update(server, account, ["validSince": .string(String(server.clock.now.seconds - 2))])
        case .passwordByAdministrator: try await update(server, account, ["password": "secret-2"])
        case .passwordAndOldMoment: try await update(server, account, ["password": "secret-2", "validSince": "1"])
        case .disabled:
            try await update(server, account, ["disableUser": true])
            let refused = try await server.call("lookup", ["idToken": .string(account.idToken)])
            #expect(refused.errorMessage == "USER_DISABLED")
            try await update(server, account, ["disableUser": false])
        case .one:
            let name = try #require(try server.payload(account.idToken)["firebase"]?["session"]?.string)
            let time = server.clock.now
            let hasEnded = try await server.core.database.write {
                try $0.revokeSession(Self.scope, localID: account.localID, sessionID: name, at: time)
            }
            #expect(hasEnded)
        }
        return nil
    }

    private func expectDead(_ session: TestServer.Session, _ server: TestServer) async throws {
        let token = JSONValue.string(session.idToken)
        let calls: [(String, JSONValue)] = [
            ("lookup", [:]), ("update", ["displayName": "thief"]), ("update", ["password": "secret-3"]), ("delete", [:]),
            ("sendOobCode", ["requestType": "VERIFY_EMAIL"]), ("signUp", ["email": "thief@b.c", "password": "secret-3"]),
            (
                "signInWithIdp",
                [
                    "requestUri": "http://localhost",
                    "postBody": .string(
                        TestClient.encode([("providerId", "oidc.test"), ("id_token", try server.oidcToken("thief"))])
                    ),
                ]
            ),
        ]
        for (method, body) in calls {
            let answer = try await server.call(method, body.merging(["idToken": token]))
            #expect(answer.errorMessage == "TOKEN_EXPIRED", "\(method) \(answer.json)")
        }
        for path in ["v2/accounts/mfaEnrollment:withdraw", "v2/accounts/passkeyEnrollment:start"] {
            let body: JSONValue = ["idToken": token, "mfaEnrollmentId": "x"]
            let answer = try await server.client.post("/\(path)?key=\(TestServer.apiKey)", body)
            #expect(answer.errorMessage == "TOKEN_EXPIRED", "\(path) \(answer.json)")
        }
        let cookie = try await server.admin(":createSessionCookie", ["idToken": token])
        #expect(cookie.errorMessage == "TOKEN_EXPIRED", "\(cookie.json)")
        #expect(try await server.refresh(session.refreshToken).errorMessage == "TOKEN_EXPIRED")
    }

    private func expectAlive(_ session: TestServer.Session, _ server: TestServer) async throws {
        let answer = try await server.call("lookup", session.token)
        #expect(answer.status == 200, "\(answer.json)")
        #expect(try await server.refresh(session.refreshToken).status == 200)
        #expect(try await server.admin(":createSessionCookie", session.token).status == 200)
    }

    @Test(
        "and not to the end of the second in which that ended, everywhere; the next session's is good at once",
        arguments: End.allCases,
        Engine.allCases
    )
    func sameSecond(end: End, engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        for round in 0..<Self.rounds {
            let email = "user-\(round)@example.com"
            let stolen = try await server.signUp(email)
            try await expectAlive(stolen, server)
            var next = try await self.end(end, stolen, email, on: server)
            #expect((next != nil) == end.tokens)
            try await expectDead(stolen, server)
            if next == nil {
                let isNew = [.reset, .passwordByAdministrator, .passwordAndOldMoment].contains(end)
                let answer = try await server.signIn(email, password: isNew ? "secret-2" : "secret-1")
                next = try server.session(answer)
            }
            try await expectAlive(try #require(next), server)
            try await expectDead(stolen, server)
        }
    }

    @Test("and dies with one session alone, not with the others", arguments: Engine.allCases)
    func others(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        let first = try await server.signUp("a@b.c")
        let second = try server.session(try await server.signIn("a@b.c"))
        _ = try await end(.one, first, "a@b.c", on: server)
        try await expectAlive(second, server)
        #expect(try await server.call("lookup", first.token).errorMessage == "TOKEN_EXPIRED")
        // A refreshed token belongs to the same session.
        let renewed = try #require(try await server.refresh(second.refreshToken)["id_token"]?.string)
        let names = try [second.idToken, renewed].map { try server.payload($0)["firebase"]?["session"] }
        #expect(names[0] != nil && names[0] == names[1])
    }

    @Test("but with its account: a new account of the same id has other sessions")
    func deleted() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let stolen = try await server.signUp("a@b.c")
        #expect(try await server.admin("accounts:delete", ["localId": .string(stolen.localID)]).status == 200)
        let gone = try await server.call("lookup", stolen.token)
        #expect(gone.errorMessage == "USER_NOT_FOUND")
        let account: JSONValue = ["localId": .string(stolen.localID), "email": "a@b.c", "password": "secret-1"]
        #expect(try await server.admin("accounts", account).status == 200)
        try await expectDead(stolen, server)
    }

    @Test("and a token that names no live session of its user opens nothing, whoever signed it (KEY-02)")
    func forged() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let owner = try await server.signUp("a@b.c")
        let stranger = try await server.signUp("c@d.e")
        let strangers = try #require(try server.payload(stranger.idToken)["firebase"]?["session"])
        func forgery(_ session: JSONValue?) throws -> JSONValue {
            var claims = try server.payload(owner.idToken)
            claims["firebase"]?["session"] = session
            return .string(try server.core.assembly.issuer.serialize(claims))
        }
        for (session, refusal) in [
            (nil, "INVALID_ID_TOKEN"), (strangers, "TOKEN_EXPIRED"), (.string("made up"), "TOKEN_EXPIRED"),
        ] {
            let token = try forgery(session)
            #expect(try await server.call("lookup", ["idToken": token]).errorMessage == refusal)
            let ending: JSONValue = ["idToken": token, "validSince": .string(String(server.clock.now.seconds))]
            #expect(try await server.call("update", ending).errorMessage == refusal)
        }
        #expect(try await server.call("lookup", owner.token).status == 200)
    }

    @Test("and not in development, which has the emulator's tokens and its seconds")
    func development() async throws {
        let server = try await TestServer.startEmulator()
        let session = try await server.signUp("a@b.c")
        #expect(try server.payload(session.idToken)["firebase"]?["session"] == nil)
        try await update(server, session, ["validSince": .string(String(server.clock.now.seconds))])
        #expect(try await server.call("lookup", session.token).status == 200)
    }
}
