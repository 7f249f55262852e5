import Crypto
import Foundation
import Project
import TestKit
import Testing

@Suite("postern providers", .teardown, .timeLimit(.minutes(15)))
struct ProviderCommandTests {
    /// The findings by their subjects.
    private struct Findings {
        let code: Int32
        let good: [String: Bool]
        let text: String
    }

    private func findings(_ id: String, _ place: CommandPlace) async throws -> Findings {
        let (code, text) = try await place.run(["providers", "test", id, "--json"])
        let found = (try? JSONValue.parse((text.split(separator: "\n").last ?? "").utf8))?["findings"]?.array ?? []
        let pairs = found.map { ($0["subject"]?.string ?? "", $0["good"] == true) }
        return Findings(code: code, good: Dictionary(pairs) { $0 && $1 }, text: text)
    }

    private func withPlace(
        _ providers: (FakeIDP) -> String = { _ in "" },
        _ body: (FakeIDP, CommandPlace) async throws -> Void
    ) async throws {
        let provider = try await FakeIDP.start()
        var variables = ["POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "true", "POSTERN_OUTBOUND_TIMEOUT_SECONDS": "120"]
        for name in ["apple", "google", "microsoft", "yahoo", "linkedin", "twitter", "facebook", "github"] {
            variables["POSTERN_ENDPOINTS_\(name.uppercased())"] = provider.issuer(name)
        }
        variables["POSTERN_ENDPOINTS_FACEBOOK_DIALOG"] = provider.issuer("facebook-web")
        let place = try await CommandPlace.make(project: "config: {}\n\(providers(provider))", variables)
        try await place.serving { _ in }
        try await body(provider, place)
    }

    @Test("signs Apple's client secret and lets Apple judge it")
    func apple() async throws {
        let key = P256.Signing.PrivateKey()
        let text = key.pemRepresentation.replacing("\n", with: "\\n")
        try await withPlace({ _ in
            """
            defaultSupportedIdpConfigs:
              apple.com:
                enabled: true
                clientId: com.example.web
                appleSignInConfig: {codeFlowConfig: {teamId: TEAM, keyId: KEY, privateKey: "\(text)"}}
            """
        }) { provider, place in
            provider.authorization.register("com.example.web", .signed(key.publicKey, teamID: "TEAM", keyID: "KEY"))
            let good = try await findings("apple.com", place)
            #expect(good.code == 0, "\(good.text)")
            #expect(good.good == ["keys": true, "flow": true, "client": true])
            #expect(good.text.contains("takes our client id"))
            #expect(!good.text.contains("PRIVATE KEY"))
            // The key belongs to another team.
            provider.authorization.register("com.example.web", .signed(key.publicKey, teamID: "OTHER", keyID: "KEY"))
            let refused = try await findings("apple.com", place)
            #expect(refused.code == 2)
            #expect(refused.good == ["keys": true, "flow": true, "client": false])
            provider.setFault(.status(500), at: "/apple/auth/keys")
            let down = try await findings("apple.com", place)
            #expect(down.code == 2)
            #expect(down.good["keys"] == false)
        }
    }

    @Test("says what an Apple without a private key, or with a useless one, cannot do")
    func appleKeys() async throws {
        try await withPlace({ _ in
            """
            defaultSupportedIdpConfigs: {apple.com: {enabled: true, clientId: com.example.web}}
            tenants:
              bad:
                defaultSupportedIdpConfigs:
                  apple.com:
                    enabled: true
                    clientId: com.example.web
                    appleSignInConfig: {codeFlowConfig: {teamId: TEAM, keyId: KEY, privateKey: "no key"}}
            """
        }) { _, place in
            let bare = try await findings("apple.com", place)
            #expect(bare.code == 0, "\(bare.text)")
            #expect(bare.text.contains("there is no private key"))
            let (code, text) = try await place.run(["providers", "test", "apple.com", "--tenant", "bad"])
            #expect(code == 2, "\(text)")
            #expect(text.contains("no usable private key"))
            #expect(!text.contains("no key\""))
        }
    }

    @Test("asks every other provider for what it has, and whether it knows us")
    func others() async throws {
        try await withPlace({ _ in
            let ids = ["google.com", "microsoft.com", "yahoo.com", "linkedin.com", "facebook.com", "github.com", "twitter.com"]
            let lines = ids.map { "  \($0): {enabled: true, clientId: ours, clientSecret: secret}" }
            return "defaultSupportedIdpConfigs:\n  gc.apple.com: {enabled: true}\n" + lines.joined(separator: "\n")
        }) { provider, place in
            provider.authorization.register("ours", .basic("secret"))
            for id in ["google.com", "yahoo.com", "linkedin.com"] {
                let found = try await findings(id, place)
                #expect(found.code == 0, "\(found.text)")
                #expect(found.good == ["keys": true, "endpoints": true, "clock": true, "flow": true, "client": true])
            }
            // These providers require the secret in the form.
            let refused = try await findings("microsoft.com", place)
            #expect(refused.code == 2)
            #expect(refused.good == ["keys": true, "flow": true, "client": false])
            provider.authorization.register("ours", .post("secret"))
            for (id, subjects) in [
                ("microsoft.com", ["keys", "flow", "client"]), ("facebook.com", ["keys", "flow", "client"]),
                ("github.com", ["flow", "client"]), ("twitter.com", ["flow", "client"]),
            ] {
                let found = try await findings(id, place)
                #expect(found.code == 0, "\(found.text)")
                #expect(Set(found.good.keys) == Set(subjects), "\(found.text)")
                #expect(found.text.contains("takes our client id"), "\(found.text)")
            }
            provider.authorization.register("ours", .post("another"))
            for id in ["facebook.com", "github.com", "twitter.com"] {
                let found = try await findings(id, place)
                #expect(found.code == 2, "\(found.text)")
                #expect(found.good == found.good.merging(["flow": true, "client": false]) { $1 }, "\(found.text)")
            }
            // Twitter refuses callbacks that the app does not list.
            provider.setFault(.status(403), at: "/twitter/oauth/request_token")
            #expect(try await findings("twitter.com", place).text.contains("refuses our redirect URI"))
            let silent = try await findings("gc.apple.com", place)
            #expect(silent.code == 1)
            #expect(silent.text.contains("nothing to ask"))
        }
    }

    @Test("tries out a secret that the flow of ID tokens does not need, and says what to register and why a call failed")
    func reasons() async throws {
        let port = try RefusingPort()
        try await withPlace({ provider in
            """
            oauthIdpConfigs:
              oidc.corp: {enabled: true, clientId: c, clientSecret: secret, issuer: "\(provider.issuer("corp"))"}
              oidc.gone: {enabled: true, clientId: c, issuer: "http://127.0.0.1:\(port.number)"}
            """
        }) { provider, place in
            provider.authorization.register("c", .basic("secret"))
            let good = try await place.json(["providers", "test", "oidc.corp"])
            #expect(good["findings"]?.array?.contains { $0["subject"] == "client" && $0["good"] == true } == true, "\(good.text)")
            #expect(good["redirectURI"]?.string?.hasSuffix("/__/auth/handler") == true)
            provider.authorization.register("c", .basic("another"))
            let (code, text) = try await place.run(["providers", "test", "oidc.corp"])
            #expect(code == 2)
            #expect(text.contains("BAD   client: the provider refuses our client id or our secret"), "\(text)")
            #expect(text.contains("redirect URI to register at the provider: http"), "\(text)")
            let gone = try await findings("oidc.gone", place)
            #expect(gone.code == 2)
            #expect(gone.text.contains("the connection was refused"), "\(gone.text)")
        }
    }

    @Test("show prints what set takes, without secrets; delete asks")
    func showAndDelete() async throws {
        try await withPlace({ _ in
            "defaultSupportedIdpConfigs: {google.com: {enabled: true, clientId: c, clientSecret: client-secret-1}}"
        }) { _, place in
            let shown = try await place.run(["providers", "show", "google.com"])
            #expect(shown.code == 0)
            #expect(shown.text.contains("clientId=c\n") && shown.text.contains("enabled=true\n"), "\(shown.text)")
            #expect(!shown.text.contains("client-secret-1"))
            let json = try await place.json(["providers", "show", "google.com"])
            #expect(json["clientId"] == "c" && json["clientSecret"] == nil)
            for command in ["show", "delete"] {
                let missing = try await place.run(["providers", command, "oidc.nobody"])
                #expect(missing.code == 1 && missing.text.contains("CONFIGURATION_NOT_FOUND"), "\(missing.text)")
            }
            // Nobody is at a terminal here.
            let asked = try await place.run(["providers", "delete", "google.com"])
            #expect(asked.code == 1 && asked.text.contains("--yes"), "\(asked.text)")
            #expect(try await place.run(["providers", "show", "google.com"]).code == 0)
            #expect(try await place.run(["providers", "delete", "google.com", "--yes"]).text == "google.com is deleted\n")
            #expect(try await place.run(["providers", "show", "google.com"]).code == 1)
        }
    }

    @Test("set takes no secrets in arguments, list shows none, and what is set is tested")
    func providers() async throws {
        try await withPlace { provider, place in
            try place.write("client-secret-1\n", to: "secret")
            let issuer = provider.issuer("corp")
            provider.authorization.register("c", .basic("client-secret-1"))
            let set = [
                "providers", "set", "oidc.corp", "enabled=true", "clientId=c", "issuer=\(issuer)", "responseType.code=true",
            ]
            #expect(try await place.run(set).text.contains("MISSING_OAUTH_CLIENT_SECRET"))
            let made = try await place.json(set + ["--secret-file", "secret"])
            #expect(made["clientId"] == "c" && made["clientSecret"] == nil)
            #expect(try await place.run(["providers", "set", "oidc.corp", "clientSecret=x"]).code == 64)
            let listed = try await place.run(["providers", "list", "--json"]).text
            #expect(listed.contains("oidc.corp") && !listed.contains("client-secret-1"))
            #expect(try await place.run(["providers", "list"]).text.contains(issuer))
            let tested = try await place.json(["providers", "test", "oidc.corp"])
            #expect(tested["findings"]?.array?.allSatisfy { $0["good"] == true } == true, "\(tested.text)")
            #expect(try await place.run(["providers", "set", "oidc.corp", "enabled=false"]).code == 0)
            #expect(try await place.run(["providers", "test", "oidc.corp"]).code == 1)
            let other = ["providers", "set", "oidc.corp", "enabled=true", "issuer=\(provider.issuer("other"))"]
            #expect(try await place.run(other).code == 0)
            for id in ["oidc.corp", "oidc.new"] {
                let unknown = try await place.run(["providers", "set", id, "clientId=c", "issuer=\(issuer)", "enabledd=true"])
                #expect(unknown.code == 1)
                #expect(unknown.text == "Error: enabledd is nothing that can be set for \(id)\n")
            }
            let maybe = try await place.run(["providers", "set", "oidc.corp", "enabled=maybe"])
            #expect(maybe.text == "Error: Invalid JSON payload received. /enabled must be boolean\n")
            let wrong = ["providers", "set", "oidc.corp", "enabled=true", "issuer=\(provider.issuer("nobody"))/x"]
            #expect(try await place.run(wrong).text.contains("INVALID_CONFIG"))
        }
    }
}
