import Crypto
import Foundation
import Project
import Storage
import TestKit
import Testing

extension ProviderConfigTests {
    @Test("are refused with the errors that the SDKs know")
    func refused() async throws {
        let server = try await TestServer.start()
        let good: JSONValue = ["clientId": "c", "issuer": "https://issuer.example"]
        let cases: [(String, JSONValue, Int, String)] = [
            (oidc, good, 400, "MISSING_CONFIG_ID"),
            (oidc + "?oauthIdpConfigId=test", good, 400, "INVALID_CONFIG_ID"),
            (oidc + "?oauthIdpConfigId=oidc.", good, 400, "INVALID_CONFIG_ID"),
            (oidc + "?oauthIdpConfigId=oidc.a%2fb", good, 400, "INVALID_CONFIG_ID"),
            (oidc + "?oauthIdpConfigId=oidc." + String(repeating: "a", count: 33), good, 400, "INVALID_CONFIG_ID"),
            (oidc + "?oauthIdpConfigId=oidc.test", good, 409, "CONFIGURATION_EXISTS"),
            (oidc + "?oauthIdpConfigId=oidc.x", [:], 400, "MISSING_CONFIG"),
            (oidc + "?oauthIdpConfigId=oidc.x", ["clientId": "c"], 400, "MISSING_ISSUER"),
            (oidc + "?oauthIdpConfigId=oidc.x", ["issuer": "https://issuer.example"], 400, "MISSING_OAUTH_CLIENT_ID"),
            (oidc + "?oauthIdpConfigId=oidc.x", good.merging(["clientId": "a b"]), 400, "INVALID_OAUTH_CLIENT_ID"),
            (oidc + "?oauthIdpConfigId=oidc.x", good.merging(["issuer": "ftp://a.example"]), 400, "INVALID_CONFIG : "),
            (oidc + "?oauthIdpConfigId=oidc.x", good.merging(["issuer": "https://u:p@a.example"]), 400, "INVALID_CONFIG : "),
            (oidc + "?oauthIdpConfigId=oidc.x", good.merging(["issuer": "https://a.example/?x"]), 400, "INVALID_CONFIG : "),
            (
                oidc + "?oauthIdpConfigId=oidc.x", good.merging(["responseType": ["code": true]]), 400,
                "MISSING_OAUTH_CLIENT_SECRET"
            ),
            (builtIn, good, 400, "MISSING_CONFIG_ID"),
            (builtIn + "?idpId=example.com", good, 400, "INVALID_PROVIDER_ID"),
            (builtIn + "?idpId=github.com", ["enabled": true], 400, "MISSING_OAUTH_CLIENT_ID"),
            (builtIn + "?idpId=google.com", good, 409, "CONFIGURATION_EXISTS"),
            (saml + "?inboundSamlConfigId=oidc.x", good, 400, "INVALID_CONFIG_ID"),
            (saml + "?inboundSamlConfigId=saml.x", ["enabled": true], 400, "INVALID_CONFIG : "),
            (saml + "?inboundSamlConfigId=saml.x", samlConfig(String(repeating: "x", count: 17_000)), 400, "INVALID_CONFIG : "),
            (
                saml + "?inboundSamlConfigId=saml.x", samlConfig(try await certificate()).merging(["spConfig": .null]),
                400, "MISSING_SAML_RELYING_PARTY_CONFIG"
            ),
            ("/tenants/nobody" + oidc + "?oauthIdpConfigId=oidc.x", good, 404, "TENANT_NOT_FOUND"),
        ]
        for (path, body, status, message) in cases {
            let refused = try await server.admin("POST", path, body)
            #expect(refused.status == status, "\(path) \(body.text)")
            #expect(refused.errorMessage?.hasPrefix(message) == true, "\(path) \(body.text): \(refused.errorMessage ?? "")")
        }
        for id in ["oidc.nobody", "google.com", "..", "%2e%2e", "oidc.%00", "oidc.a%2Fb", "saml.x"] {
            #expect(try await server.admin("GET", oidc + "/" + id).status == 404, "\(id)")
        }
        for method in ["GET", "POST"] {
            let refused = try await server.admin(method, oidc, method == "GET" ? nil : [:], token: nil)
            #expect(refused["error"]?["errors"]?[0]?["message"] == "Login Required.")
        }
        #expect(try await server.admin("PATCH", oidc + "/oidc.test?updateMask=nonsense", [:]).status == 400)
    }

    @Test("of SAML let assertions pass over https or on this machine only, in production", arguments: ServerMode.allCases)
    func callbacks(mode: ServerMode) async throws {
        let server = try await TestServer.start(mode: mode)
        let config = samlConfig(try await certificate())
        let cases: [(callback: String, isTaken: Bool)] = [
            ("https://sp.example/handler", true), ("http://localhost:9099/handler", true), ("http://127.0.0.1/handler", true),
            ("http://[::1]:8080/handler", true), ("http://app.localhost/handler", true), ("http://sp.example/handler", false),
            ("http://localhost.sp.example/handler", false), ("http://192.168.1.1/handler", false),
            ("http://notlocalhost/handler", false), ("HTTP://sp.example/handler", false),
        ]
        for (number, (callback, isTaken)) in cases.enumerated() {
            let body = config.merging(["spConfig": ["spEntityId": "sp", "callbackUri": .string(callback)]])
            let token = mode == .production ? TestServer.adminToken : "owner"
            let path = saml + "?inboundSamlConfigId=saml.c\(number)"
            let answer = try await server.admin("POST", path, body, token: token)
            if isTaken || mode == .development {
                #expect(answer.status == 200, "\(callback): \(answer.errorMessage ?? "")")
            } else {
                let text = "INVALID_CONFIG : spConfig.callbackUri must be https, except on this machine"
                #expect(answer.errorMessage == text, "\(callback)")
            }
        }
    }

    @Test("of an enabled OpenID provider are refused when its issuer says something else, and taken when it is not there")
    func discovery() async throws {
        try await TestServer.running { server in
            func create(_ id: String, _ issuer: String, enabled: Bool = true) async throws -> TestClient.Answer {
                let config: JSONValue = ["clientId": "c", "issuer": .string(issuer), "enabled": .bool(enabled)]
                return try await server.admin("POST", oidc + "?oauthIdpConfigId=\(id)", config)
            }
            let document = "/bad/.well-known/openid-configuration"
            let faults: [FakeIDP.Fault] = [
                .status(500), .body("<html>"), .body("{}"), .redirect(to: server.provider.issuer("oidc")),
                .oversized(bytes: 2 << 20),
            ]
            var messages: Set<String> = []
            for fault in faults {
                server.provider.setFault(fault, at: document)
                let refused = try await create("oidc.bad", server.provider.issuer("bad"))
                #expect(refused.status == 400)
                messages.insert(refused.errorMessage ?? "")
            }
            // The answer is always the same, so it reveals nothing about the network.
            #expect(messages.count == 1)
            #expect(messages.first?.hasPrefix("INVALID_CONFIG : ") == true)
            #expect(try await create("oidc.bad", server.provider.issuer("bad"), enabled: false).status == 200)
            let enabling = try await server.admin("PATCH", oidc + "/oidc.bad?updateMask=enabled", ["enabled": true])
            #expect(enabling.errorMessage == messages.first)
            #expect(try await server.admin("GET", oidc + "/oidc.bad")["enabled"] == false)
            server.provider.setFault(nil, at: document)
            #expect(try await server.admin("PATCH", oidc + "/oidc.bad?updateMask=enabled", ["enabled": true]).status == 200)
            #expect(try await create("oidc.absent", "http://127.0.0.1:1").status == 200)
            #expect(server.log.lines.count { $0.contains("an issuer cannot be reached") } == 1)
            let asked = server.provider.count(document)
            _ = try await server.admin("PATCH", oidc + "/oidc.bad?updateMask=displayName", ["displayName": "x"])
            #expect(server.provider.count(document) == asked)
        }
        let guarded = [
            "POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "false", "POSTERN_ENDPOINTS_APPLE": "", "POSTERN_ENDPOINTS_GOOGLE": "",
        ]
        let server = try await TestServer.start(environment: guarded, project: { _ in "config: {}" })
        for issuer in [
            server.provider.issuer("oidc"), "https://127.0.0.1", "https://169.254.169.254/latest", "https://[::1]",
            "https://localhost", "https://0/", "https://2130706433",
        ] {
            let config: JSONValue = ["clientId": "c", "issuer": .string(issuer), "enabled": true]
            let refused = try await server.admin("POST", oidc + "?oauthIdpConfigId=oidc.in", config)
            #expect(refused.errorMessage?.hasPrefix("INVALID_CONFIG : ") == true, "\(issuer)")
        }
        #expect(server.provider.count("/oidc/.well-known/openid-configuration") == 0)
    }
}
