import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("The session of an operator who acts as a user", .teardown, .timeLimit(.minutes(15)))
struct OperatorActingTests {
    private static let refusal =
        "OPERATION_NOT_ALLOWED : An operator who signs in as a user does not change how the user signs in."

    private func start(mode: ServerMode = .production, on engine: Engine = .sqlite) async throws -> TestServer {
        func project(_ provider: FakeIDP) -> String {
            let numbers = #"phoneNumber: {enabled: true, testPhoneNumbers: {"+16505550101": "123456"}}, email:"#
            return TestServer.factorProject(provider).replacing("email:", with: numbers, maxReplacements: 1)
        }
        let environment = ["POSTERN_CONSOLE_IMPERSONATION": "true"]
        let server = try await TestServer.start(mode: mode, environment: environment, project: project, on: engine)
        let registry = CustomTokenTests.Minter.registry(of: server)
        _ = try await registry.createHeld("minter", sealer: server.core.keys.sealer)
        server.clock.advance(by: .seconds(2))
        return server
    }

    private func act(_ server: TestServer, as localID: String) async throws -> TestServer.Session {
        let call = CallContext(
            scope: Scope(projectID: "demo-test"),
            isPrivileged: true,
            actor: "operator:owner@example.com",
            adminScopes: .all
        )
        let token = try await server.core.useCases.operators.impersonation.impersonate(localID, reason: "ticket 7", context: call)
        let answer = try await server.call("signInWithCustomToken", ["token": .string(token.text), "returnSecureToken": true])
        let (idToken, refreshToken) = (answer["idToken"]?.string, answer["refreshToken"]?.string)
        return TestServer.Session(
            idToken: try #require(idToken, "\(answer.json)"),
            refreshToken: try #require(refreshToken),
            localID: localID
        )
    }

    /// Every change of a way in that a session may ask for.
    private func attempts(_ server: TestServer, _ token: JSONValue, _ factor: String?) async throws -> [(
        String, TestClient.Answer
    )] {
        let mail: JSONValue = ["email": "staff@example.com", "continueUrl": "https://app.example.com/done"]
        let link: JSONValue = ["email": "staff@example.com", "oobCode": .string(try await server.code("EMAIL_SIGNIN", mail))]
        let sms = try await server.sendCode(TestServer.testNumber)["sessionInfo"]
        var attempts = [
            ("provider", try await server.signIn("oidc.test", server.oidcToken("staff"), token)),
            ("password", try await server.call("signUp", token.merging(["email": "a@b.c", "password": "secret-2"]))),
            (
                "new address",
                try await server.call("signUp", token.merging(["email": "staff@example.com", "password": "secret-2"]))
            ),
            ("link", try await server.call("signInWithEmailLink", token.merging(link))),
            ("phone", try await server.signInWithPhone(sms, TestServer.testNumberCode, token)),
            (
                "address by code",
                try await server.call(
                    "sendOobCode",
                    token.merging(["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "staff@example.com"])
                )
            ),
            ("passkey", try await server.callV2("passkeyEnrollment:start", token)),
            (
                "Apple",
                try await server.client.post("/v2/accounts:revokeToken?key=\(TestServer.apiKey)", token.merging(Self.apple))
            ),
            ("deletion", try await server.call("delete", token)),
        ]
        let changes: [JSONValue] = [
            ["password": "secret-2"], ["email": "staff@example.com"], ["deleteProvider": ["oidc.test"]],
            ["deleteProvider": ["password"]], ["deleteProvider": ["phone"]], ["deleteAttribute": ["EMAIL"]],
            ["deletePasskey": ["any"]],
        ]
        for change in changes { attempts.append((change.text, try await server.call("update", token.merging(change)))) }
        if let factor {
            let body = token.merging(["mfaEnrollmentId": .string(factor)])
            attempts.append(("factor", try await server.callV2("mfaEnrollment:withdraw", body)))
        }
        return attempts
    }

    private static let apple: JSONValue = ["providerId": "apple.com", "tokenType": "ACCESS_TOKEN", "token": "x"]

    @Test("changes none of the user's ways in, and shows the rest", arguments: Engine.allCases)
    func waysIn(engine: Engine) async throws {
        let server = try await start(on: engine)
        let user = try await server.verifiedUser("a@b.c")
        let linked = try server.session(
            try await server.signIn("oidc.test", server.oidcToken("user"), ["idToken": .string(user.idToken)])
        )
        for hasFactor in [false, true] {
            let factor = hasFactor ? try await server.enrollApp(linked).enrollmentID : nil
            let before = try await server.user(user.localID)
            let session = try await act(server, as: user.localID)
            let token: JSONValue = ["idToken": .string(session.idToken)]
            for (name, answer) in try await attempts(server, token, factor) {
                #expect(answer.errorMessage == Self.refusal, "\(name): \(answer.json)")
            }
            let enrollment = try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]]))
            #expect(enrollment.errorMessage?.hasPrefix("UNSUPPORTED_FIRST_FACTOR") == true)
            for member in ["providerUserInfo", "mfaInfo", "passkeyInfo", "email", "phoneNumber", "passwordUpdatedAt"] {
                #expect(try await server.user(user.localID)?[member] == before?[member], "\(member)")
            }
            #expect(try await server.account(session)["email"] == "a@b.c")
            #expect(try await server.call("update", token.merging(["displayName": "Ada"]))["displayName"] == "Ada")
        }
    }

    @Test("also where the user is anonymous, and in development")
    func others() async throws {
        do {
            let server = try await start()
            let guest = try server.session(try await server.call("signUp", [:]))
            let session = try await act(server, as: guest.localID)
            let body: JSONValue = ["idToken": .string(session.idToken), "email": "staff@example.com", "password": "secret-2"]
            #expect(try await server.call("signUp", body).errorMessage == Self.refusal)
        }
        let server = try await start(mode: .development)
        let user = try await server.signUp("a@b.c")
        let session = try await act(server, as: user.localID)
        let token: JSONValue = ["idToken": .string(session.idToken)]
        let changes: [JSONValue] = [
            ["password": "secret-2"], ["deleteProvider": ["password"]],
            ["linkProviderUserInfo": ["providerId": "oidc.test", "rawId": "staff"]],
        ]
        for change in changes {
            #expect(try await server.call("update", token.merging(change)).errorMessage == Self.refusal, "\(change)")
        }
        #expect(try await server.call("delete", token).errorMessage == Self.refusal)
    }

    @Test("ends after an hour, with its tokens and cookies", arguments: Engine.allCases)
    func end(engine: Engine) async throws {
        let server = try await start(on: engine)
        let user = try await server.verifiedUser("a@b.c")
        let session = try await act(server, as: user.localID)
        let began = server.clock.now.seconds
        func end(_ token: JSONValue?) throws -> Int64? { try decode(try #require(token?.string), 1)["exp"]?.integer }
        #expect(try end(.string(session.idToken)) == began + 3600)
        server.clock.advance(by: .seconds(3000))
        let refreshed = try await server.refresh(session.refreshToken)
        #expect(refreshed["expires_in"] == "600", "\(refreshed.json)")
        #expect(try end(refreshed["id_token"]) == began + 3600)
        let body: JSONValue = ["idToken": refreshed["id_token"] ?? .null, "validDuration": 86_400]
        let cookie = try await server.admin(":createSessionCookie", body)
        #expect(try end(cookie["sessionCookie"]) == began + 3600)
        server.clock.advance(by: .seconds(600))
        #expect(try await server.refresh(session.refreshToken).errorMessage == "TOKEN_EXPIRED")
        // The user's own session goes on.
        #expect(try await server.refresh(user.refreshToken)["expires_in"] == "3600")
    }

    @Test("is told from sessions of a project's own tokens that name an actor")
    func foreignActors() async throws {
        let server = try await start()
        let minter = try await CustomTokenTests.Minter("other", on: server)
        for actor in ["support@example.com", "operators", "Operator:x"] {
            let token = try minter.token("ada", ["claims": ["act": ["sub": .string(actor)]]])
            let session = try server.session(try await server.call("signInWithCustomToken", ["token": .string(token)]))
            let body: JSONValue = ["idToken": .string(session.idToken)]
            let linked = try await server.signIn("oidc.test", server.oidcToken(actor), body)
            #expect(linked.status == 200, "\(actor): \(linked.json)")
            server.clock.advance(by: .seconds(3700))
            #expect(try await server.refresh(session.refreshToken).status == 200)
        }
    }
}
