import Accounts
import Project
import TestKit
import Testing

@Suite("A client secret that its caller may not read (TEN-04)", .teardown)
struct MovedSecretTests {
    @Test("goes to no other issuer and serves no other client, unless a full administrator says so")
    func moved() async throws {
        let server = try await TestServer.start(project: { _ in "config: {}" })
        let (_, tuner) = try await AdminTokenTests.registry(server).create("tuner", scopes: .config, days: nil)
        let (oidc, builtIn) = ("/oauthIdpConfigs", "/defaultSupportedIdpConfigs")
        let issuers = ["oidc", "other"].map { JSONValue.string(server.provider.issuer($0)) }
        func set(
            _ mask: String,
            _ body: JSONValue,
            at path: String = "/oauthIdpConfigs/oidc.x",
            by token: String = TestServer.adminToken
        ) async throws -> String {
            TestServer.outcome(try await server.admin("PATCH", "\(path)?updateMask=\(mask)", body, token: token))
        }
        func secret(_ path: String = "/oauthIdpConfigs/oidc.x") async throws -> JSONValue? {
            try await server.admin("GET", path)["clientSecret"]
        }
        let client: JSONValue = ["enabled": true, "clientId": "c", "clientSecret": "hush"]
        let config = client.merging(["issuer": issuers[0]])
        #expect(try await server.admin("POST", oidc + "?oauthIdpConfigId=oidc.x", config).status == 200)
        #expect(try await set("issuer", ["issuer": issuers[1]]) == "200")
        #expect(try await set("displayName", ["displayName": "X"], by: tuner) == "200")
        #expect(try await secret() == "hush")
        #expect(try await set("issuer", ["issuer": issuers[0]], by: tuner) == "200")
        #expect(try await secret() == nil)
        #expect(try await set("clientSecret", ["clientSecret": "hush"], by: tuner) == "200")
        #expect(try await set("clientId", ["clientId": "d"], by: tuner) == "200")
        #expect(try await secret() == nil)
        #expect(try await set("clientId,clientSecret", ["clientId": "e", "clientSecret": "new"], by: tuner) == "200")
        #expect(try await secret() == "new")
        #expect(try await set("responseType", ["responseType": ["code": true]], by: tuner) == "200")
        #expect(try await set("issuer", ["issuer": issuers[1]], by: tuner) == "MISSING_OAUTH_CLIENT_SECRET")
        #expect(try await secret() == "new")

        let google = builtIn + "/google.com"
        #expect(try await server.admin("POST", builtIn + "?idpId=google.com", client).status == 200)
        #expect(try await set("enabled", ["enabled": false], at: google, by: tuner) == "200")
        #expect(try await secret(google) == "hush")
        #expect(try await set("clientId", ["clientId": "d"], at: google, by: tuner) == "200")
        #expect(try await secret(google) == nil)
    }
}
