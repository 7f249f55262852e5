import Foundation
import Project
import TestKit
import Testing

@Suite("An access token", .teardown, .timeLimit(.minutes(15)))
struct AccessTokenTests {
    @Test("of our app signs its user in with their profile", arguments: AccessTokenProvider.all)
    func success(provider: AccessTokenProvider) async throws {
        let server = try await TestServer.startWithProviders()
        server.provider.apps.grant(provider.grant(), at: provider.name)
        let answer = try await server.signIn(provider.providerID, form: provider.form())
        let session = try server.session(answer)
        #expect(answer["isNewUser"] == true)
        #expect(answer["providerId"]?.string == provider.providerID)
        #expect(answer["email"] == "ada@example.com")
        #expect(answer["emailVerified"]?.bool == (provider.name == "google"))
        #expect(answer["displayName"] == "Ada Lovelace")
        #expect(answer["fullName"] == "Ada Lovelace")
        #expect(answer["photoUrl"] == "https://cdn.example/ada.jpg")
        #expect(answer["oauthAccessToken"] == "token-1")
        #expect(answer["oauthTokenSecret"]?.string == (provider.name == "twitter" ? "token-secret" : nil))
        #expect(answer["screenName"]?.string == (["twitter", "github"].contains(provider.name) ? "ada" : nil))
        // The SDK for iOS reads the name from this member only.
        #expect(answer["username"] == answer["screenName"])
        #expect(answer["firstName"]?.string == (["facebook", "google"].contains(provider.name) ? "Ada" : nil))
        let raw = try JSONValue.parse(try #require(answer["rawUserInfo"]?.string).utf8)
        #expect(raw["name"] == "Ada Lovelace")
        let entry = try await server.entry(provider.providerID, of: session)
        #expect(entry["rawId"]?.string == provider.rawID)
        #expect(entry["federatedId"]?.string == provider.rawID)
        #expect(entry["email"] == "ada@example.com")
        let again = try await server.signIn(provider.providerID, form: provider.form())
        #expect(try server.session(again).localID == session.localID)
        #expect(again["isNewUser"] == false)
    }

    @Test("of another app, or taken back, or made up is refused", arguments: AccessTokenProvider.all)
    func foreign(provider: AccessTokenProvider) async throws {
        let server = try await TestServer.startWithProviders()
        server.provider.apps.grant(provider.grant("theirs", app: "their-app"), at: provider.name)
        server.provider.apps.grant(provider.grant("ours"), at: provider.name)
        server.provider.apps.revoke("ours", at: provider.name)
        for token in ["theirs", "ours", "made-up", "with space", "with\r\nX-Evil: 1", String(repeating: "x", count: 9000)] {
            let answer = try await server.signIn(provider.providerID, form: provider.form(token))
            expectRefused(answer, "INVALID_IDP_RESPONSE : ", token)
            #expect(answer.errorMessage?.contains(token) == false)
        }
        #expect(!server.log.lines.joined().contains("made-up"))
    }

    @Test("is refused while the provider is down or answers nonsense", arguments: AccessTokenProvider.all)
    func faults(provider: AccessTokenProvider) async throws {
        let server = try await TestServer.startWithProviders()
        server.provider.apps.grant(provider.grant(), at: provider.name)
        let faults: [FakeIDP.Fault] = [
            .status(500), .status(429), .status(301), .redirect(to: server.provider.issuer("evil")), .body("<html>no</html>"),
            .body("[]"), .body("{}"), .body("null"), .body(#"{"data":7,"aud":7,"active":1,"id":{},"sub":[],"id_str":null}"#),
            .oversized(bytes: 2 << 20),
        ]
        for path in provider.paths where path != "/github-api/user/emails" {
            for fault in faults {
                // GitHub's status is the only proof. The body may have less.
                if case .body = fault, path.hasPrefix("/github-api/applications") { continue }
                server.provider.setFault(fault, at: path)
                let answer = try await server.signIn(provider.providerID, form: provider.form())
                expectRefused(answer, "INVALID_IDP_RESPONSE : ", "\(path) \(fault)")
                #expect(answer.errorMessage?.contains("html") == false)
            }
            server.provider.setFault(nil, at: path)
        }
        _ = try server.session(try await server.signIn(provider.providerID, form: provider.form()))
        #expect(server.provider.count("/evil") == 0)
    }

    @Test("is refused when the profile lacks its user, or is another's", arguments: AccessTokenProvider.all)
    func damagedProfile(provider: AccessTokenProvider) async throws {
        let server = try await TestServer.startWithProviders()
        server.provider.apps.grant(provider.grant("damaged", provider.damage), at: provider.name)
        expectRefused(try await server.signIn(provider.providerID, form: provider.form("damaged")))
        let others: JSONObject = ["facebook": ["user_id": "999"], "github": ["user": ["id": 999]], "google": ["sub": "another"]]
        guard let other = others[provider.name] else { return }
        server.provider.apps.grant(provider.grant("mixed", check: other), at: provider.name)
        expectRefused(try await server.signIn(provider.providerID, form: provider.form("mixed")))
    }

    @Test("is refused without our secret, by which it would be checked", arguments: AccessTokenProvider.all)
    func unconfigured(provider: AccessTokenProvider) async throws {
        let server = try await TestServer.startWithProviders()
        server.provider.apps.grant(provider.grant(), at: provider.name)
        let tenant: JSONValue = ["tenantId": "bare"]
        expectRefused(try await server.signIn(provider.providerID, form: provider.form(), tenant))
        let closed: JSONValue = ["tenantId": "closed"]
        expectRefused(try await server.signIn(provider.providerID, form: provider.form(), closed), "OPERATION_NOT_ALLOWED : ")
        expectRefused(try await server.signIn(provider.providerID, form: []), "INVALID_CREDENTIAL_OR_PROVIDER_ID : ")
        if ["twitter", "github"].contains(provider.name) {
            #expect(server.log.lines.contains { $0.contains("client secret") && $0.contains(provider.providerID) })
        }
    }

    @Test("never lets an address that nobody checked into somebody's account", arguments: AccessTokenProvider.all)
    func collision(provider: AccessTokenProvider) async throws {
        let server = try await TestServer.startWithProviders()
        let owner = try server.session(
            try await server.signIn("oidc.test", try server.oidcToken("o", TestServer.email("ada@example.com")))
        )
        server.provider.apps.grant(provider.grant(), at: provider.name)
        let answer = try await server.signIn(provider.providerID, form: provider.form())
        #expect(answer.status == 200)
        if provider.name == "google" {
            #expect(try server.session(answer).localID == owner.localID)
        } else {
            #expect(answer["needConfirmation"] == true)
            #expect(answer["verifiedProvider"] == ["oidc.test"])
            #expect(answer["idToken"] == nil)
            #expect(answer["oauthAccessToken"] == "token-1")
        }
    }

    @Test("that is no user's, or expired, is refused")
    func wrongKind() async throws {
        let server = try await TestServer.startWithProviders()
        let facebook = AccessTokenProvider.all[0]
        let now = server.clock.now.seconds
        let checks: [JSONValue] = [
            ["type": "APP"], ["type": "PAGE"], ["is_valid": "true"], ["is_valid": false], ["expires_at": .integer(now - 60)],
            ["expires_at": 1], ["expires_at": "soon"],
        ]
        for (index, check) in checks.enumerated() {
            server.provider.apps.grant(facebook.grant("f\(index)", check: check), at: "facebook")
            expectRefused(try await server.signIn("facebook.com", form: facebook.form("f\(index)")))
        }
        // Graph writes 0 for a token that does not expire.
        for (index, end) in [0, now + 1].enumerated() {
            server.provider.apps.grant(facebook.grant("e\(index)", check: ["expires_at": .integer(end)]), at: "facebook")
            _ = try server.session(try await server.signIn("facebook.com", form: facebook.form("e\(index)")))
        }
        let google = AccessTokenProvider.all[2]
        let lifetimes: [JSONValue] = [0, "-5", "soon", .null]
        for (index, seconds) in lifetimes.enumerated() {
            server.provider.apps.grant(google.grant("g\(index)", check: ["expires_in": seconds]), at: "google")
            expectRefused(try await server.signIn("google.com", form: google.form("g\(index)")))
        }
        // A Google app on a device is the authorized party with our web client as audience, or the reverse.
        let party: JSONValue = ["aud": "google-web-of-others", "azp": "google-ios"]
        server.provider.apps.grant(google.grant("azp", check: party), at: "google")
        let answer = try await server.signIn("google.com", form: google.form("azp"))
        _ = try server.session(answer)
        #expect(answer["oauthExpireIn"] == 3599)
        #expect(answer["federatedId"] == "https://accounts.google.com/google-1")
        let raw = try JSONValue.parse(try #require(answer["rawUserInfo"]?.string).utf8)
        #expect(raw["granted_scopes"] == "openid email")
    }

    @Test("of Google needs of its discovery document only what it uses")
    func sparseDiscovery() async throws {
        let server = try await TestServer.startWithProviders()
        let google = AccessTokenProvider.all[2]
        server.provider.overrideDiscovery(["authorization_endpoint": .null, "token_endpoint": .null])
        server.provider.apps.grant(google.grant(), at: "google")
        _ = try server.session(try await server.signIn("google.com", form: google.form()))
    }

    @Test("of GitHub brings the primary verified address, not the public one")
    func gitHubAddresses() async throws {
        let server = try await TestServer.startWithProviders()
        let gitHub = AccessTokenProvider.all[1]
        var grant = gitHub.grant()
        grant.emails = [
            ["email": "old@example.com", "primary": false, "verified": true],
            ["email": "main@example.com", "primary": true, "verified": true],
        ]
        server.provider.apps.grant(grant, at: "github")
        let answer = try await server.signIn("github.com", form: gitHub.form())
        #expect(answer["email"] == "main@example.com")
        #expect(answer["emailVerified"] == false)
        server.provider.setFault(.status(503), at: "/github-api/user/emails")
        expectRefused(try await server.signIn("github.com", form: gitHub.form()))
    }
}
