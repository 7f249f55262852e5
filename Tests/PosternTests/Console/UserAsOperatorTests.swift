import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Nobody who is a user of the project becomes an operator", .timeLimit(.minutes(15)))
struct UserAsOperatorTests {
    private static let email = "user@example.com"

    @Test("by anything that was issued to a user or a program, at any way in to the console")
    func everyKind() async throws {
        let own = ConsoleClient.environment.merging(["POSTERN_CONSOLE_URL": "http://localhost:1"]) { $1 }
        try await TestServer.running(
            environment: TokenKinds.environment.merging(own) { $1 },
            project: TokenKinds.project
        ) { server in
            let kinds = try await TokenKinds(server)
            // The operator has the address of the user whose values these are.
            let owner = try await ConsoleClient.enroll(server, email: Self.email)
            let before = try await Self.rows(server)
            for kind in TokenKinds.Kind.allCases {
                let value = try await kinds.value(kind)
                for (place, page, status) in try await Self.attempts(server, value) {
                    #expect(page.status == status, "\(kind) at \(place)")
                    #expect(Self.token(page) == nil, "\(kind) at \(place)")
                }
            }
            #expect(try await Self.rows(server) == before)
            // What the console itself issues is good at these places.
            #expect(try await owner.get("/console").status == 200)
            let invitations = server.core.useCases.console.invitations
            let code = try await invitations.invite("b@example.com", role: .viewer, tenantID: nil, actor: "cli")
            #expect(try await server.client.get("/console/invitation?code=\(code)").status == 200)
        }
    }

    /// Shows a value wherever the console takes one of its own. Each place has the status of its refusal.
    private static func attempts(
        _ server: TestServer,
        _ value: String
    ) async throws -> [(place: String, page: ConsoleClient.Page, status: Int)] {
        func get(_ path: String, _ header: (String, String)? = nil) async throws -> ConsoleClient.Page {
            ConsoleClient.Page(answer: try await server.client.get(path, headers: header.map { [$0] } ?? []))
        }
        let enrolment = [
            ("invitation", value), ("email", email), ("way", "password"), ("password", ConsoleClient.password),
            ("offer", value), ("code", "123456"),
        ]
        let bearer = ("Authorization", "Bearer \(value)")
        let code = TestClient.encode([("code", value), ("email", email)])
        return [
            ("session", try await OperatorPasskey.get(server, "/console/operators", cookie: value), 303),
            ("bearer", try await get("/console/operators", bearer), 303),
            ("action", try await OperatorPasskey.post(server, "/console/keys", [("do", "rotate")], cookie: value), 303),
            ("invitation", try await get("/console/invitation?\(code)"), 400),
            ("enrolment", try await OperatorPasskey.post(server, "/console/invitation", enrolment), 400),
        ]
    }

    @Test("by password and app, though the address and the password are an operator's")
    func passwords() async throws {
        let environment = ConsoleClient.environment.merging(TestServer.cheapPasswords) { $1 }
        try await TestServer.running(environment: environment, project: TestServer.factorProject) { server in
            let owner = try await ConsoleClient.enroll(server, email: Self.email)
            _ = try await ConsoleClient.enroll(server, email: "keeper@example.com")
            let session = try await server.signUp(Self.email, ConsoleClient.password)
            let code = try await server.code("VERIFY_EMAIL", ["idToken": .string(session.idToken)])
            #expect(try await server.call("update", ["oobCode": .string(code)])["emailVerified"] == true)
            let user = try await server.enrollApp(session)
            let before = try await Self.rows(server)
            func signIn(_ password: String) async throws -> ConsoleClient.Page {
                let code = user.app.code(at: server.clock.now)
                let fields = [("way", "password"), ("email", Self.email), ("password", password), ("code", code)]
                return try await OperatorPasskey.post(server, "/console/sign-in", fields)
            }
            #expect(Self.token(try await signIn(ConsoleClient.password)) == nil)
            let reset = try await server.code("PASSWORD_RESET", ["email": .string(Self.email)])
            let body: JSONValue = ["oobCode": .string(reset), "newPassword": "another horse battery"]
            #expect(try await server.call("resetPassword", body).status == 200)
            #expect(Self.token(try await signIn("another horse battery")) == nil)
            // Claims that a project gives its own administrators say nothing to the console.
            let claims: JSONValue = [
                "localId": .string(session.localID), "customAttributes": #"{"admin":true,"role":"owner"}"#,
            ]
            #expect(try await server.admin("accounts:update", claims).status == 200)
            #expect(Self.token(try await signIn("another horse battery")) == nil)
            #expect(try await Self.rows(server) == before)
            server.clock.advance(by: .seconds(30))
            #expect(try await owner.signIn().status == 303)
            // An operator who was removed is nobody, also with a user's account of the same address.
            let directory = server.core.useCases.console.directory
            let found = try #require(try await directory.all().first { $0.email == Self.email })
            try await directory.remove(found.operatorID, actor: "cli")
            #expect(Self.token(try await signIn("another horse battery")) == nil)
            #expect(Self.token(try await owner.signIn()) == nil)
        }
    }

    private static let origin = "https://auth.example.com"
    // Users' passkeys and operators' have one relying party here, so that it does not keep them apart.
    private static let passkeyEnvironment = [
        "POSTERN_SERVER_PUBLIC_URL": origin, "POSTERN_CONSOLE_URL": origin, "POSTERN_CONSOLE_PUBLIC": "true",
        "POSTERN_PASSKEYS_RP_ID": "auth.example.com", "POSTERN_PASSKEYS_ORIGINS": origin,
    ].merging(TestServer.cheapPasswords) { $1 }

    private static func ceremony(_ handle: String? = nil) -> SoftwareAuthenticator.Ceremony {
        var ceremony = SoftwareAuthenticator.Ceremony(origin: origin, relyingPartyID: "auth.example.com")
        ceremony.userHandle = handle
        return ceremony
    }

    @Test("by a passkey, though relying party, address, credential id and user handle are an operator's")
    func passkeys() async throws {
        try await TestServer.running(environment: Self.passkeyEnvironment, project: TestServer.factorProject) { server in
            let console = server.core.useCases.console
            let code = try #require(try await console.invitations.firstStart())
            let theirs = SoftwareAuthenticator()
            let page = try await OperatorPasskey.get(server, "/console/invitation?code=\(code)&email=\(Self.email)")
            let made = try theirs.register(try OperatorPasskey.challenge(page), Self.ceremony())
            let enrolment = [("invitation", code), ("email", Self.email), ("way", "passkey"), ("response", made.text)]
            #expect(Self.token(try await post(server, "/console/invitation", enrolment)) != nil)
            let operatorID = try #require(try await console.directory.all().first?.operatorID)

            let user = try await server.verifiedUser(Self.email)
            let (another, same) = (SoftwareAuthenticator(), SoftwareAuthenticator(credentialID: theirs.credentialID))
            for key in [another, same] {
                let body: JSONValue = [
                    "idToken": .string(user.idToken),
                    "authenticatorRegistrationResponse": try key.register(
                        try await enrolmentChallenge(server, user),
                        Self.ceremony()
                    ),
                ]
                #expect(try await server.callV2("passkeyEnrollment:finalize", body).status == 200)
            }
            let before = try await Self.rows(server)
            for key in [another, same] {
                for handle in [user.localID, operatorID] {
                    #expect(try await signIn(server, key, handle, challenge: try await consoleChallenge(server)) == nil)
                    #expect(try await signIn(server, key, handle, challenge: try await userChallenge(server)) == nil)
                }
            }
            // A user's ceremony is none of the console, even if the operator's own passkey answers it.
            #expect(try await signIn(server, theirs, operatorID, challenge: try await userChallenge(server)) == nil)
            let invitation = try await console.invitations.invite(Self.email, role: .owner, tenantID: nil, actor: "cli")
            let planted = try another.register(try await enrolmentChallenge(server, user), Self.ceremony())
            let fields = [("invitation", invitation), ("email", Self.email), ("way", "passkey"), ("response", planted.text)]
            #expect(Self.token(try await post(server, "/console/invitation", fields)) == nil)
            #expect(try await Self.rows(server) == before)
            #expect(try await signIn(server, theirs, operatorID, challenge: try await consoleChallenge(server)) != nil)
        }
    }

    private func post(_ server: TestServer, _ path: String, _ fields: [(String, String)]) async throws -> ConsoleClient.Page {
        let headers = [
            ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", Self.origin), ("Sec-Fetch-Site", "same-origin"),
        ]
        let body = Data(TestClient.encode(fields).utf8)
        return ConsoleClient.Page(answer: try await server.client.send("POST", path, headers: headers, body: body))
    }

    private func signIn(
        _ server: TestServer,
        _ key: SoftwareAuthenticator,
        _ handle: String,
        challenge: String
    ) async throws -> String? {
        let response = try key.assert(challenge, Self.ceremony(handle)).text
        let page = try await post(server, "/console/sign-in", [("way", "passkey"), ("response", response)])
        #expect(page.status == 200 || page.status == 303, "\(page.html)")
        return Self.token(page)
    }

    private func consoleChallenge(_ server: TestServer) async throws -> String {
        try OperatorPasskey.challenge(try await OperatorPasskey.get(server, "/console/sign-in"))
    }

    private func userChallenge(_ server: TestServer) async throws -> String {
        let started = try await server.callV2("passkeySignIn:start", [:])
        return try #require(started["credentialRequestOptions"]?["challenge"]?.string)
    }

    private func enrolmentChallenge(_ server: TestServer, _ user: TestServer.Session) async throws -> String {
        let started = try await server.callV2("passkeyEnrollment:start", ["idToken": .string(user.idToken)])
        return try #require(started["credentialCreationOptions"]?["challenge"]?.string, "\(started.json)")
    }

    /// The token of a session that an answer begins.
    private static func token(_ page: ConsoleClient.Page) -> String? {
        page.answer.header("Set-Cookie")?.firstMatch(of: /^__Host-postern-console=([^;]+);/).map { String($0.1) }
    }

    /// The operators with their passkeys and sessions, but for the times of their use.
    private static func rows(_ server: TestServer) async throws -> [String] {
        try await server.core.database.read { transaction in
            try transaction.consoleOperators("demo-test").flatMap { record in
                let id = record.operatorID
                let keys = try transaction.operatorPasskeys("demo-test", operatorID: id).map(\.credentialID)
                let sessions = try transaction.operatorSessions("demo-test", operatorID: id).map { hexadecimal($0.sessionHash) }
                return ["\(id) \(record.email) \(record.role) \(record.passwordHash ?? "-")"] + keys + sessions.sorted()
            }
        }
    }
}
