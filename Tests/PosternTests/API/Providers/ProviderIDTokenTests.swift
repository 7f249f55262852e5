import Foundation
import Project
import TestKit
import Testing

@Suite("An ID token", .teardown, .timeLimit(.minutes(15)))
struct ProviderIDTokenTests {
    private func microsoft(
        _ server: TestServer,
        _ tenant: String,
        _ subject: String = "m-1",
        _ overrides: JSONValue = [:]
    ) throws -> String {
        let own: JSONValue = ["tid": .string(tenant)]
        return try server.providerToken("microsoft/\(tenant)/v2.0", subject, own.merging(overrides))
    }

    private let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

    @Test("of Facebook's Limited Login signs in, with its nonce and once")
    func limitedLogin() async throws {
        let server = try await TestServer.startWithProviders()
        let nonce: JSONValue = ["nonce": .string(hexadecimal(sha256("raw".utf8)))]
        let profile: JSONValue = ["name": "Ada", "email": "a@b.c", "email_verified": true, "picture": "https://cdn.example/a"]
        let token = try server.providerToken("facebook-web", "10203", nonce.merging(profile))
        expectRefused(try await server.signIn("facebook.com", token), "MISSING_OR_INVALID_NONCE : ")
        expectRefused(try await server.signIn("facebook.com", token, nonce: "other"), "MISSING_OR_INVALID_NONCE : ")
        let answer = try await server.signIn("facebook.com", token, nonce: "raw")
        let session = try server.session(answer)
        #expect(answer["emailVerified"] == false)
        #expect(answer["photoUrl"] == "https://cdn.example/a")
        expectRefused(try await server.signIn("facebook.com", token, nonce: "raw"), "MISSING_OR_INVALID_NONCE : Duplicate")
        // A classic login of this user leads to the same account.
        server.provider.apps.grant(AccessTokenProvider.all[0].grant(), at: "facebook")
        let classic = try await server.signIn("facebook.com", form: AccessTokenProvider.all[0].form())
        #expect(try server.session(classic).localID == session.localID)
        for overrides: JSONValue in [["aud": "their-app"], ["iss": .string(server.provider.issuer("oidc"))]] {
            let foreign = try server.providerToken("facebook-web", "10203", overrides)
            expectRefused(try await server.signIn("facebook.com", foreign))
        }
    }

    @Test("of Microsoft is of the directory whose issuer it has, and users of two directories are two users")
    func microsoftDirectories() async throws {
        let server = try await TestServer.startWithProviders()
        let one = try server.session(try await server.signIn("microsoft.com", try microsoft(server, "tenant-1")))
        let two = try server.session(try await server.signIn("microsoft.com", try microsoft(server, "tenant-2")))
        #expect(one.localID != two.localID)
        let again = try server.session(try await server.signIn("microsoft.com", try microsoft(server, "tenant-1")))
        #expect(again.localID == one.localID)
        #expect(server.provider.count("/microsoft/common/v2.0/.well-known/openid-configuration") == 1)
        let foreign: [JSONValue] = [
            ["tid": "tenant-2"], ["tid": .null], ["tid": "../tenant-1"], ["tid": "tenant-1/v2.0#"], ["tid": 7],
            ["iss": .string(server.provider.issuer("microsoft/tenant-1"))], ["aud": "their-app"],
            ["iss": .string(server.provider.issuer("microsoft/{tenantid}/v2.0")), "tid": "{tenantid}"],
        ]
        for overrides in foreign {
            let token = try microsoft(server, "tenant-1", "m-1", overrides)
            expectRefused(try await server.signIn("microsoft.com", token), "INVALID_IDP_RESPONSE : ", "\(overrides)")
        }
        let tenant: JSONValue = ["tenantId": "bare"]
        expectRefused(try await server.signIn("microsoft.com", try microsoft(server, "tenant-1"), tenant))
        _ = try server.session(try await server.signIn("microsoft.com", try microsoft(server, "ours"), tenant))
        expectRefused(try await server.signIn("microsoft.com", form: []), "INVALID_CREDENTIAL_OR_PROVIDER_ID : ")
    }

    @Test("of Microsoft proves an address only of Microsoft's own mail and a personal account")
    func microsoftAddresses() async throws {
        let server = try await TestServer.startWithProviders()
        let cases: [(tenant: String, email: String, isVerified: Bool)] = [
            (consumers, "ada@outlook.com", true), (consumers, "ada@hotmail.com", true), (consumers, "ada@gmail.com", false),
            (consumers, "ada@outlook.com.evil.example", false), ("tenant-1", "bob@outlook.com", false),
            ("tenant-1", "bob@company.example", false),
        ]
        for (index, row) in cases.enumerated() {
            let claims: JSONValue = ["email": .string(row.email), "email_verified": true, "xms_edov": true]
            let token = try microsoft(server, row.tenant, "m\(index)", claims)
            let answer = try await server.signIn("microsoft.com", token)
            #expect(answer["emailVerified"]?.bool == row.isVerified, "\(row.email) of \(row.tenant)")
        }
        // A directory's administrator who writes a victim's address into a record gains nothing.
        let owner = try server.session(
            try await server.signIn("google.com", try server.googleToken("g", TestServer.email("victim@b.c")))
        )
        let planted = try microsoft(server, "tenant-1", "evil", ["email": "victim@b.c", "email_verified": true])
        let answer = try await server.signIn("microsoft.com", planted)
        #expect(answer["needConfirmation"] == true)
        #expect(try await server.account(owner)["providerUserInfo"]?.array?.count == 1)
        let named = try microsoft(server, "tenant-1", "n", ["preferred_username": "Cleo@company.example"])
        #expect(try await server.signIn("microsoft.com", named)["email"] == "cleo@company.example")
    }

    @Test("of Microsoft is signed by a key of its own directory")
    func microsoftKeys() async throws {
        let server = try await TestServer.startWithProviders()
        let issuer = server.provider.issuer("microsoft")
        func publish(for owner: String) {
            let jwk = server.provider.key().jwk.merging(["issuer": .string("\(issuer)/\(owner)/v2.0")])
            server.provider.publish(keySet: ["keys": [jwk]])
        }
        publish(for: consumers)
        expectRefused(try await server.signIn("microsoft.com", try microsoft(server, "tenant-1")))
        _ = try server.session(try await server.signIn("microsoft.com", try microsoft(server, consumers)))
        publish(for: "{tenantid}")
        server.clock.advance(by: .seconds(700))
        _ = try server.session(try await server.signIn("microsoft.com", try microsoft(server, "tenant-1")))
    }

    @Test("of Yahoo proves an address of Yahoo's own mail, with the profile of the access token beside it")
    func yahoo() async throws {
        let server = try await TestServer.startWithProviders()
        let cases: [(JSONValue, Bool)] = [
            (["email": "ada@yahoo.com", "email_verified": true], true), (["email": "bob@ymail.com"], true),
            (["email": "cleo@yahoo.com", "email_verified": false], false),
            (["email": "dora@gmail.com", "email_verified": true], false),
            (["email": "emil@yahoo.co.jp", "email_verified": true], false),
        ]
        for (index, row) in cases.enumerated() {
            let answer = try await server.signIn("yahoo.com", try server.providerToken("yahoo", "y\(index)", row.0))
            #expect(answer["emailVerified"]?.bool == row.1, "\(row.0)")
        }
        let profile: JSONValue = ["sub": "y-9", "email": "zoe@yahoo.com", "name": "Zoe"]
        server.provider.apps.grant(.init(app: TestServer.app, token: "t", profile: profile), at: "yahoo")
        let token = try server.providerToken("yahoo", "y-9")
        let answer = try await server.signIn("yahoo.com", token, form: [("access_token", "t")])
        #expect(answer["email"] == "zoe@yahoo.com")
        #expect(answer["displayName"] == "Zoe")
        let other = try server.providerToken("yahoo", "y-10")
        expectRefused(try await server.signIn("yahoo.com", other, form: [("access_token", "t")]))
        expectRefused(try await server.signIn("yahoo.com", form: [("access_token", "t")]), "INVALID_CREDENTIAL_OR_PROVIDER_ID : ")
    }

    @Test("goes to one of the providers that Firebase has, configured or not")
    func known() async throws {
        let server = try await TestServer.startWithProviders()
        for providerID in [
            "google.com", "facebook.com", "apple.com", "twitter.com", "github.com", "microsoft.com", "yahoo.com",
            "linkedin.com", "playgames.google.com", "gc.apple.com",
        ] {
            let answer = try await server.signIn(providerID, "a.b.c", ["tenantId": "closed"])
            expectRefused(answer, "OPERATION_NOT_ALLOWED : The identity provider configuration is not found.", providerID)
        }
        expectRefused(try await server.signIn("games.example", "a.b.c"), "INVALID_PROVIDER_ID")
    }

    @Test("of LinkedIn and of a configured Twitter issuer sign in, with addresses that prove nothing")
    func others() async throws {
        let server = try await TestServer.startWithProviders()
        let email: JSONValue = ["email": "ada@example.com", "email_verified": true, "preferred_username": "ada"]
        for (providerID, issuer) in [("linkedin.com", "linkedin"), ("twitter.com", "x")] {
            let answer = try await server.signIn(providerID, try server.providerToken(issuer, "s-1", email))
            #expect(answer.status == 200)
            #expect(answer["emailVerified"] == false)
            let foreign = try server.providerToken(issuer, "s-1", ["aud": "their-app"])
            expectRefused(try await server.signIn(providerID, foreign))
        }
        // Without a configured issuer an ID token cannot be checked.
        let token = try server.providerToken("x", "s-1")
        let bare = try await server.signIn("twitter.com", token, ["tenantId": "bare"])
        expectRefused(bare, "INVALID_CREDENTIAL_OR_PROVIDER_ID : ")
    }
}
