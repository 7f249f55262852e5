import Project
import TestKit
import Testing

@testable import Server

/// Threat case LNK-20: a proof belongs to an address.
@Suite("An account without an address that is said to be verified", .teardown, .timeLimit(.minutes(15)))
struct AddresslessProofTests {
    /// Who says that the address is verified.
    enum Sayer: String, CaseIterable, CustomTestStringConvertible {
        case creation, update, importing, function

        var testDescription: String { rawValue }
    }

    private static let email = "own@example.com"

    private func start(_ sayer: Sayer, on engine: Engine) async throws -> (TestServer, TestServer.Session) {
        let hooked = try await HookedServer.start(sayer == .function ? ["beforeSignIn"] : [], on: engine)
        let server = hooked.server
        func signIn() async throws -> TestServer.Session {
            try server.session(try await server.signIn("oidc.test", server.oidcToken("u")))
        }
        let identity: JSONValue = ["providerId": "oidc.test", "rawId": "u"]
        switch sayer {
        case .creation:
            let created = try await server.admin("accounts", ["localId": "u", "emailVerified": true])
            #expect(created.status == 200, "\(created.json)")
            let link: JSONValue = ["localId": "u", "linkProviderUserInfo": identity]
            #expect(try await server.admin("accounts:update", link).status == 200)
        case .update:
            let session = try await signIn()
            let change: JSONValue = ["localId": .string(session.localID), "emailVerified": true]
            #expect(try await server.admin("accounts:update", change).status == 200)
        case .importing:
            let user: JSONValue = ["localId": "u", "emailVerified": true, "providerUserInfo": [identity]]
            let answer = try await server.admin("accounts:batchCreate", ["users": [user]])
            #expect(answer.status == 200 && answer["error"] == nil, "\(answer.json)")
        case .function: hooked.change("beforeSignIn", mask: "emailVerified", ["emailVerified": true])
        }
        return (server, try await signIn())
    }

    @Test(
        "gets one like any other, and it is proven only by a proof of its own (LNK-20)",
        arguments: Engine.allCases,
        Sayer.allCases
    )
    func address(engine: Engine, sayer: Sayer) async throws {
        for byLink in [false, true] {
            let (server, session) = try await start(sayer, on: engine)
            #expect(try await server.account(session)["email"] == nil)
            let token: JSONValue = ["idToken": .string(session.idToken)]
            let taken: TestClient.Answer
            if byLink {
                let mail: JSONValue = ["email": .string(Self.email), "continueUrl": "https://app.example.com/"]
                let code = try await server.code("EMAIL_SIGNIN", mail)
                let body: JSONValue = ["email": .string(Self.email), "oobCode": .string(code)]
                taken = try await server.call("signInWithEmailLink", body.merging(token))
            } else {
                let body: JSONValue = ["email": .string(Self.email), "password": "secret-1"]
                taken = try await server.call("signUp", body.merging(token))
            }
            #expect(taken.status == 200, "\(taken.json)")
            let user = try #require(try await server.user(session.localID))
            #expect(user["email"] == .string(Self.email), "\(user)")
            // The function says it of the address that the account has by now, too.
            #expect(user["emailVerified"]?.bool == byLink, "\(user)")
        }
    }

    @Test("and had a proven one counts as one that had it: neither statement opens the way round its proof (LNK-15, LNK-20)")
    func removed() async throws {
        for isVerified in [true, false] {
            let server = try await TestServer.start(project: TestServer.emailProject())
            let owner = try await server.verifiedUser("owner@example.com")
            #expect(try await server.call("update", owner.token.merging(["deleteAttribute": ["EMAIL"]])).status == 200)
            let said: JSONValue = ["localId": .string(owner.localID), "emailVerified": .bool(isVerified)]
            #expect(try await server.callAsAdmin("update", said).status == 200)
            let body: JSONValue = ["email": .string(Self.email), "password": "secret-2"]
            let refused = try await server.call("signUp", body.merging(owner.token)).errorMessage
            #expect(refused == "OPERATION_NOT_ALLOWED : Please verify the new email before changing email.")
            // An administrator gives the account an address.
            let given: JSONValue = ["localId": .string(owner.localID), "email": .string(Self.email)]
            #expect(try await server.callAsAdmin("update", given).status == 200)
            #expect(try await server.user(owner.localID)?["emailVerified"] == false)
        }
    }

    @Test("shows the flag in development, as the emulator does")
    func emulated() async throws {
        let server = try await TestServer.startEmulator()
        let created = try await server.admin("accounts", ["localId": "u", "emailVerified": true])
        #expect(created.status == 200, "\(created.json)")
        #expect(try await server.user("u")?["emailVerified"] == true)
    }
}
