import Crypto
import CryptoExtras
import Federation
import Foundation
import Project
import Storage
import TestKit
import Testing

@Suite("Identity provider configurations", .teardown, .timeLimit(.minutes(15)))
struct ProviderConfigTests {
    let oidc = "/oauthIdpConfigs"
    let saml = "/inboundSamlConfigs"
    let builtIn = "/defaultSupportedIdpConfigs"

    func certificate() async throws -> String {
        let directory = try await makeTemporaryDirectory()
        return try String(contentsOfFile: TestCertificate(dnsName: "idp.example", in: directory).certificateFile, encoding: .utf8)
    }

    func samlConfig(_ certificate: String) -> JSONValue {
        [
            "displayName": "SAML", "enabled": true,
            "idpConfig": [
                "idpEntityId": "idp", "ssoUrl": "https://idp.example/sso",
                "idpCertificates": [["x509Certificate": .string(certificate)]],
            ],
            "spConfig": ["spEntityId": "sp", "callbackUri": "https://sp.example/__/auth/handler"],
        ]
    }

    @Test("work for a sign-in as soon as they are made, and no longer once they are gone", arguments: Engine.allCases)
    func inForce(engine: Engine) async throws {
        let server = try await TestServer.start(project: { _ in "config: {}" }, on: engine)
        func signIn() async throws -> TestClient.Answer { try await server.signIn("oidc.new", try server.oidcToken()) }
        #expect(try await signIn().errorMessage?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
        let config: JSONValue = [
            "displayName": "New", "enabled": true, "clientId": .string(TestServer.oidcClient),
            "issuer": .string(server.provider.issuer("oidc")),
        ]
        let created = try await server.admin("POST", oidc + "?oauthIdpConfigId=oidc.new", config)
        #expect(created.status == 200, "\(created.errorMessage ?? "")")
        let shown = config.merging(["name": "projects/demo-test/oauthIdpConfigs/oidc.new", "responseType": ["idToken": true]])
        #expect(created.json == shown)
        #expect(try await server.admin("GET", oidc + "/oidc.new").json == shown)
        _ = try server.session(try await signIn())
        let off = try await server.admin("PATCH", oidc + "/oidc.new?updateMask=enabled", ["enabled": false])
        #expect(off["enabled"] == false)
        #expect(try await signIn().errorMessage?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
        _ = try await server.admin("PATCH", oidc + "/oidc.new?updateMask=enabled", ["enabled": true])
        _ = try server.session(try await signIn())
        // Node sends a body with DELETE.
        let deleted = try await server.admin("DELETE", oidc + "/oidc.new", [:])
        #expect(deleted.status == 200)
        #expect(deleted.json == [:])
        #expect(try await signIn().errorMessage?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
        for method in ["GET", "PATCH", "DELETE"] {
            let gone = try await server.admin(method, oidc + "/oidc.new", method == "PATCH" ? [:] : nil)
            #expect(gone.status == 404)
            #expect(gone.errorMessage == "CONFIGURATION_NOT_FOUND")
        }
        for event in ["configCreated", "configUpdated", "configDeleted"] {
            let details = try await server.auditDetails(event)
            #expect(details.contains { $0["resource"] == shown["name"] }, "\(event)")
        }
    }

    @Test("have their client secret sealed at rest, shown to administrators, and used for the code flow")
    func clientSecret() async throws {
        let server = try await TestServer.start()
        let secret = "a client secret nobody logs"
        let config: JSONValue = [
            "clientId": "c", "issuer": "https://issuer.example", "clientSecret": .string(secret),
            "responseType": ["code": true],
        ]
        let created = try await server.admin("POST", oidc + "?oauthIdpConfigId=oidc.code", config)
        #expect(created["clientSecret"] == .string(secret))
        #expect(created["responseType"] == ["code": true])
        #expect(created["enabled"] == false)
        #expect(try await !server.storedText().contains(secret))
        #expect(!server.log.lines.joined().contains(secret))

        // Node's update names both flags, one of them false.
        func update(_ mask: String, _ body: JSONValue) async throws -> TestClient.Answer {
            try await server.admin("PATCH", oidc + "/oidc.code?updateMask=\(mask)", body)
        }
        let both = "responseType.idToken,responseType.code"
        #expect(try await update(both, ["responseType": ["idToken": true, "code": false]])["responseType"] == ["idToken": true])
        #expect(try await update(both, ["responseType": ["idToken": false, "code": true]])["responseType"] == ["code": true])
        #expect(
            try await update("responseType.idToken", ["responseType": ["idToken": true]])["responseType"] == ["idToken": true]
        )
        #expect(try await update("responseType.code", ["responseType": ["code": true]])["responseType"] == ["code": true])
        for type in [["idToken": true, "code": true], ["idToken": false, "code": false], ["token": true]] as [JSONValue] {
            #expect(try await update("responseType", ["responseType": type]).errorMessage == "INVALID_OAUTH_RESPONSETYPE")
        }
        #expect(try await update("clientSecret", ["clientSecret": .null]).errorMessage == "MISSING_OAUTH_CLIENT_SECRET")
        #expect(try await update("clientSecret", ["clientSecret": ""]).errorMessage == "MISSING_OAUTH_CLIENT_SECRET")
        let named = try await update("displayName", ["displayName": "Named"])
        #expect(named["displayName"] == "Named")
        #expect(named["clientSecret"] == .string(secret))
        #expect(try await update("displayName", ["displayName": .null])["displayName"] == nil)
        // Without a mask nothing changes.
        let unmasked = try await server.admin("PATCH", oidc + "/oidc.code", ["displayName": "x", "clientId": "y"])
        #expect(unmasked.json == (try await server.admin("GET", oidc + "/oidc.code").json))
        #expect(unmasked["clientId"] == "c")
        let cleared = try await update(both + ",clientSecret", ["responseType": ["idToken": true]])
        #expect(cleared["clientSecret"] == nil)
    }

    @Test("of Apple never show the private key, and keep it for the same team and key only")
    func apple() async throws {
        let server = try await TestServer.start(project: { _ in "config: {}" })
        let key = P256.Signing.PrivateKey().pemRepresentation
        func flow(_ team: String, _ key: String?) -> JSONValue {
            var flow: JSONValue = ["teamId": .string(team), "keyId": "KEY"]
            if let key { flow["privateKey"] = .string(key) }
            return ["enabled": true, "clientId": "com.example.web", "appleSignInConfig": ["codeFlowConfig": flow]]
        }
        let path = builtIn + "?idpId=apple.com"
        for bad in ["nonsense", "", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"] {
            let refused = try await server.admin("POST", path, flow("TEAM", bad))
            #expect(refused.errorMessage?.hasPrefix("INVALID_CONFIG : ") == true)
            if !bad.isEmpty { #expect(refused.errorMessage?.contains(bad) == false) }
        }
        let created = try await server.admin("POST", path, flow("TEAM", key))
        #expect(created.status == 200, "\(created.errorMessage ?? "")")
        #expect(created["appleSignInConfig"]?["codeFlowConfig"] == ["teamId": "TEAM", "keyId": "KEY"])
        #expect(try await !server.storedText().contains("PRIVATE KEY"))
        let shown = try await server.admin("GET", builtIn + "/apple.com")
        #expect(!String(decoding: shown.bytes, as: UTF8.self).contains("privateKey"))
        // Without a mask the whole resource is replaced. A resource that was read can be written back.
        let written = try await server.admin("PATCH", builtIn + "/apple.com", shown.json.merging(["enabled": false]))
        #expect(written.status == 200, "\(written.errorMessage ?? "")")
        let other = try await server.admin("PATCH", builtIn + "/apple.com", flow("OTHER", nil))
        #expect(other.errorMessage?.hasPrefix("INVALID_CONFIG : ") == true)
    }

    @Test("of SAML keep their certificates in order, and a mask replaces them")
    func samlConfigs() async throws {
        let server = try await TestServer.start()
        let (one, two) = (try await certificate(), try await certificate())
        let created = try await server.admin("POST", saml + "?inboundSamlConfigId=saml.one", samlConfig(one))
        #expect(created.json == samlConfig(one).merging(["name": "projects/demo-test/inboundSamlConfigs/saml.one"]))
        let certificates: JSONValue = [["x509Certificate": .string(two)], ["x509Certificate": .string(one)]]
        let changed = try await server.admin(
            "PATCH",
            saml + "/saml.one?updateMask=idpConfig.idpCertificates,idpConfig.signRequest,spConfig.spCertificates",
            ["idpConfig": ["idpCertificates": certificates, "signRequest": true]]
        )
        #expect(changed["idpConfig"]?["idpCertificates"] == certificates)
        #expect(changed["idpConfig"]?["signRequest"] == true)
        #expect(changed["idpConfig"]?["idpEntityId"] == "idp")
        for mask in ["idpConfig.ssoUrl", "spConfig", "idpConfig.idpCertificates"] {
            #expect(try await server.admin("PATCH", saml + "/saml.one?updateMask=\(mask)", [:]).status == 400)
        }
    }

    @Test("of SAML are refused with a certificate whose key can be factored (CVE-2017-15361)")
    func factorableCertificate() async throws {
        let server = try await TestServer.start()
        let weak = samlConfig(try TestCertificate.pem(of: try WeakKey.rsa()))
        let refused = try await server.admin("POST", saml + "?inboundSamlConfigId=saml.weak", weak)
        #expect(refused.errorMessage?.hasPrefix("INVALID_CONFIG : ") == true)
        let good = samlConfig(try TestCertificate.pem(of: try _RSA.Signing.PrivateKey(keySize: .bits2048)))
        #expect(try await server.admin("POST", saml + "?inboundSamlConfigId=saml.good", good).status == 200)
    }

    @Test("of SAML take a certificate of 1024 bits as Firebase does, and say in the log and the resource that it is weak")
    func weakCertificate() async throws {
        let server = try await TestServer.start()
        let weak = samlConfig(WeakCertificates.rsa1024)
        let warnings: JSONValue = ["idpConfig.idpCertificates[0]: The RSA key has 1024 bits, and should have 2048 at least."]
        let created = try await server.admin("POST", saml + "?inboundSamlConfigId=saml.weak", weak)
        #expect(created.json == weak.merging(["name": "projects/demo-test/inboundSamlConfigs/saml.weak", "warnings": warnings]))
        #expect(server.log.lines.count { $0.hasPrefix("warning ") && $0.contains("needs a look") } == 1)
        // Writing back a resource that was read changes nothing.
        let mask = "?updateMask=displayName,warnings"
        let written = try await server.admin("PATCH", saml + "/saml.weak" + mask, created.json.merging(["warnings": ["x"]]))
        #expect(written["warnings"] == warnings, "\(written.errorMessage ?? "")")
        for certificate in [WeakCertificates.rsa1016, WeakCertificates.ed25519] {
            let refused = try await server.admin("POST", saml + "?inboundSamlConfigId=saml.x", samlConfig(certificate))
            #expect(refused.errorMessage?.hasPrefix("INVALID_CONFIG : ") == true)
        }
        let strong = samlConfig(WeakCertificates.p256)
        #expect(try await server.admin("POST", saml + "?inboundSamlConfigId=saml.ec", strong)["warnings"] == nil)
    }

    @Test("are listed in pages, the oldest first, and only with tokens of the same list", arguments: Engine.allCases)
    func pages(engine: Engine) async throws {
        let project = { (provider: FakeIDP) in "config: {multiTenant: {allowTenants: true}}\ntenants: {acme: {}, other: {}}" }
        let server = try await TestServer.start(project: project, on: engine)
        #expect(try await server.admin("GET", "/tenants/acme" + oidc)["oauthIdpConfigs"] == [])
        for name in ["c", "a", "b"] {
            server.clock.advance(by: .milliseconds(5))
            let config: JSONValue = ["clientId": .string(name), "issuer": "https://issuer.example"]
            let created = try await server.admin("POST", "/tenants/acme\(oidc)?oauthIdpConfigId=oidc.\(name)", config)
            #expect(created["name"] == .string("projects/demo-test/tenants/acme/oauthIdpConfigs/oidc.\(name)"))
        }
        func ids(_ answer: TestClient.Answer) -> [String] {
            (answer["oauthIdpConfigs"]?.array ?? []).compactMap { $0["clientId"]?.string }
        }
        let first = try await server.admin("GET", "/tenants/acme\(oidc)?pageSize=2")
        #expect(ids(first) == ["c", "a"])
        let token = try #require(first["nextPageToken"]?.string)
        let second = try await server.admin("GET", "/tenants/acme\(oidc)?pageSize=2&pageToken=\(token)")
        #expect(ids(second) == ["b"])
        #expect(second["nextPageToken"] == nil)
        #expect(ids(try await server.admin("GET", "/tenants/acme\(oidc)?pageSize=1000000000")) == ["c", "a", "b"])
        for path in [
            "/tenants/other\(oidc)?pageToken=\(token)", "/tenants/acme\(saml)?pageToken=\(token)",
            "\(oidc)?pageToken=\(token)",
            "/tenants/acme\(oidc)?pageToken=oidc.a", "/tenants/acme\(oidc)?pageToken=\(token.dropLast())",
        ] {
            #expect(try await server.admin("GET", path).errorMessage == "INVALID_PAGE_SELECTION", "\(path)")
        }
        #expect(try await server.admin("GET", oidc + "?pageSize=-1").status == 400)
        #expect(try await server.admin("GET", oidc + "?pageSize=x").status == 400)
    }

    @Test("can be made for every provider of the list, which is public to administrators")
    func supported() async throws {
        let server = try await TestServer.start(project: { _ in "config: {}" })
        let bearer = [("Authorization", "Bearer \(TestServer.adminToken)")]
        let listed = try await server.client.get("/v2/defaultSupportedIdps", headers: bearer)
        let ids = (listed["defaultSupportedIdps"]?.array ?? []).compactMap { $0["idpId"]?.string }
        #expect(ids == Providers.builtIn.map(\.id))
        for id in ids {
            let config: JSONValue = ["enabled": true, "clientId": "c", "clientSecret": "s"]
            let created = try await server.admin("POST", "\(builtIn)?idpId=\(id)", config)
            #expect(created.json == config.merging(["name": .string("projects/demo-test/defaultSupportedIdpConfigs/\(id)")]))
        }
        let refused = try await server.client.get("/v2/defaultSupportedIdps?key=\(TestServer.apiKey)")
        #expect(refused["error"]?["errors"]?[0]?["message"] == "Login Required.")
        let path = "/v2/projects/demo-test/identityPlatform:initializeAuth"
        #expect(try await server.client.post(path, [:], headers: bearer).json == [:])
        #expect(try await server.client.post(path, [:]).status == 401)
    }
}
