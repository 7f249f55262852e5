import Crypto
import Foundation
import Project
import TestKit
import Testing

@testable import postern

@Suite("postern providers test", .timeLimit(.minutes(15)))
struct ProviderTestCommandTests {
    private struct Place {
        let directory: String
        let variables: [String: String]

        func project(_ providers: String) throws {
            let text = "config: {}\n\(providers)"
            try text.write(toFile: directory + "/project.yaml", atomically: true, encoding: .utf8)
        }

        /// Applies the project file.
        func serve() async throws {
            let server = try ServerProcess(["serve"], environment: variables, directory: directory)
            _ = try await server.waitUntilReady()
            #expect(await server.terminate() == 0)
        }

        /// What was found, by its subject.
        func findings(_ id: String) async throws -> (code: Int32, good: [String: Bool], text: String) {
            let arguments = ["providers", "test", id, "--json"]
            let (code, text) = try await ServerProcess(arguments, environment: variables, directory: directory).waitForOutput()
            let found = (try? JSONValue.parse((text.split(separator: "\n").last ?? "").utf8))?["findings"]?.array ?? []
            let pairs = found.map { ($0["subject"]?.string ?? "", $0["good"] == true) }
            return (code, Dictionary(pairs) { $0 && $1 }, text)
        }
    }

    private func withPlace(_ providers: (FakeIDP) -> String, _ body: (FakeIDP, Place) async throws -> Void) async throws {
        try await FakeIDP.running { provider in
            try await withTemporaryDirectory { directory in
                var variables = [
                    "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "0", "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
                    "POSTERN_LOG_LEVEL": "error", "POSTERN_PROJECT_ID": "shop", "POSTERN_PROJECT_API_KEYS": "k",
                    "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
                    "POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "true", "POSTERN_PROJECT_FILE": "project.yaml",
                    "POSTERN_OUTBOUND_TIMEOUT_SECONDS": "60",
                ]
                for name in ["apple", "google", "microsoft", "yahoo", "linkedin", "twitter", "facebook", "github"] {
                    variables["POSTERN_ENDPOINTS_\(name.uppercased())"] = provider.issuer(name)
                }
                variables["POSTERN_ENDPOINTS_FACEBOOK_DIALOG"] = provider.issuer("facebook-web")
                let place = Place(directory: directory, variables: variables)
                try place.project(providers(provider))
                try await place.serve()
                try await body(provider, place)
            }
        }
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
            let good = try await place.findings("apple.com")
            #expect(good.code == 0, "\(good.text)")
            #expect(good.good == ["keys": true, "flow": true, "client": true])
            #expect(good.text.contains("takes our client id"))
            #expect(!good.text.contains("PRIVATE KEY"))
            // A key of another team.
            provider.authorization.register("com.example.web", .signed(key.publicKey, teamID: "OTHER", keyID: "KEY"))
            let refused = try await place.findings("apple.com")
            #expect(refused.code == 2)
            #expect(refused.good == ["keys": true, "flow": true, "client": false])
            provider.setFault(.status(500), at: "/apple/auth/keys")
            let down = try await place.findings("apple.com")
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
            let bare = try await place.findings("apple.com")
            #expect(bare.code == 0, "\(bare.text)")
            #expect(bare.text.contains("there is no private key"))
            let arguments = ["providers", "test", "apple.com", "--tenant", "bad"]
            let process = try ServerProcess(arguments, environment: place.variables, directory: place.directory)
            let (code, text) = await process.waitForOutput()
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
                let found = try await place.findings(id)
                #expect(found.code == 0, "\(found.text)")
                #expect(found.good == ["keys": true, "endpoints": true, "clock": true, "flow": true, "client": true])
            }
            // These want the secret in the form.
            let refused = try await place.findings("microsoft.com")
            #expect(refused.code == 2)
            #expect(refused.good == ["keys": true, "flow": true, "client": false])
            provider.authorization.register("ours", .post("secret"))
            for (id, subjects) in [
                ("microsoft.com", ["keys", "flow", "client"]), ("facebook.com", ["keys", "flow", "client"]),
                ("github.com", ["flow", "client"]), ("twitter.com", ["flow"]),
            ] {
                let found = try await place.findings(id)
                #expect(found.code == 0, "\(found.text)")
                #expect(Set(found.good.keys) == Set(subjects), "\(found.text)")
            }
            let silent = try await place.findings("gc.apple.com")
            #expect(silent.code == 1)
            #expect(silent.text.contains("nothing to ask"))
        }
    }
}
