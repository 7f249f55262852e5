import Project
import TestKit
import Testing

/// The provider that `Docs/AddingAProvider.md` adds.
@Suite("An access token of Discord", .teardown, .timeLimit(.minutes(15)))
struct DiscordTests {
    private static let profile: JSONValue = [
        "id": "80351110224678912", "username": "ada", "global_name": "Ada Lovelace", "email": "ada@example.com", "verified": true,
    ]
    private static let paths = ["/discord/api/v10/oauth2/@me", "/discord/api/v10/users/@me"]

    private func start() async throws -> TestServer {
        let project = """
            defaultSupportedIdpConfigs:
              discord.com: {enabled: true, clientId: our-app}
            oauthIdpConfigs:
              oidc.test: {enabled: true, clientId: \(TestServer.oidcClient), issuer: "ISSUER"}
            tenants: {closed: {enableAnonymousUser: true}}
            """
        return try await TestServer.start(project: { project.replacing("ISSUER", with: $0.issuer("oidc")) })
    }

    private func grant(
        _ token: String,
        app: String = "our-app",
        check: JSONValue = [:],
        _ more: JSONValue = [:],
        on server: TestServer
    ) {
        let profile = Self.profile.merging(more)
        server.provider.apps.grant(.init(app: app, token: token, profile: profile, check: check), at: "discord")
    }

    private func signIn(_ token: String, _ extra: JSONValue = [:], on server: TestServer) async throws -> TestClient.Answer {
        try await server.signIn("discord.com", form: [("access_token", token)], extra)
    }

    @Test("of our app signs its user in, with an address that proves nothing")
    func success() async throws {
        let server = try await start()
        let owner = try server.session(
            try await server.signIn("oidc.test", try server.oidcToken("o", TestServer.email("ada@example.com")))
        )
        grant("token-1", on: server)
        let meeting = try await signIn("token-1", on: server)
        #expect(meeting["needConfirmation"] == true)
        #expect(meeting["idToken"] == nil)
        #expect(try await server.account(owner)["providerUserInfo"]?.array?.count == 1)
        grant("token-2", ["email": "eve@example.com", "global_name": .null], on: server)
        let answer = try await signIn("token-2", on: server)
        let session = try server.session(answer)
        #expect(answer["emailVerified"] == false)
        #expect(answer["displayName"] == "ada")
        #expect(answer["photoUrl"] == nil)
        #expect(try await server.entry("discord.com", of: session)["rawId"] == "80351110224678912")
        // An address that Discord has not checked holds no address here.
        grant("token-3", ["id": "80351110224678913", "email": "victim@example.com", "verified": false], on: server)
        let unchecked = try await signIn("token-3", on: server)
        #expect(unchecked.status == 200)
        #expect(unchecked["email"] == nil)
    }

    @Test("of another app, taken back, made up or of another user is refused")
    func refusals() async throws {
        let server = try await start()
        grant("theirs", app: "their-app", on: server)
        grant("mixed", check: ["user": ["id": "999"]], on: server)
        grant("appless", check: ["application": .null], on: server)
        grant("userless", check: ["user": .null], on: server)
        grant("damaged", ["id": 80_351_110], on: server)
        grant("ours", on: server)
        server.provider.apps.revoke("ours", at: "discord")
        for token in ["theirs", "mixed", "appless", "userless", "damaged", "ours", "made-up", "with space"] {
            expectRefused(try await signIn(token, on: server), "INVALID_IDP_RESPONSE : ", token)
        }
        expectRefused(try await signIn("theirs", ["tenantId": "closed"], on: server), "OPERATION_NOT_ALLOWED : ")
        let bare = try await server.signIn("discord.com", form: [("id_token", "a.b.c")])
        expectRefused(bare, "INVALID_CREDENTIAL_OR_PROVIDER_ID : ")
    }

    @Test("is refused while Discord is down or answers nonsense", arguments: paths)
    func faults(path: String) async throws {
        let server = try await start()
        grant("token-1", on: server)
        let faults: [FakeIDP.Fault] = [.status(500), .status(429), .body("[]"), .body("{}"), .body(#"{"application":7,"id":7}"#)]
        for fault in faults {
            server.provider.setFault(fault, at: path)
            expectRefused(try await signIn("token-1", on: server), "INVALID_IDP_RESPONSE : ", "\(fault)")
        }
        server.provider.setFault(nil, at: path)
        _ = try server.session(try await signIn("token-1", on: server))
    }
}
