import Crypto
import Foundation
import Project
import TestKit
import Testing

extension ProviderKeysTests {
    @Test("of Ed25519 verify under both names of the algorithm, in key, header and discovery document (RFC 9864)")
    func ed25519() async throws {
        try await TestServer.running { server in
            let key = TestKey.ed25519(kid: "ed")
            let other = TestKey.ed25519(kid: "ed")
            let names: [JSONValue] = ["EdDSA", "Ed25519"]
            for published in names + [.null] {
                for announced in names {
                    let jwk = published == .null ? key.jwk : key.jwk.merging(["alg": published])
                    server.provider.publish(keySet: ["keys": [jwk]])
                    server.provider.overrideDiscovery(["id_token_signing_alg_values_supported": [announced]])
                    // Later than documents are cached.
                    server.clock.advance(by: .seconds(90_000))
                    let claims = server.claims("oidc", TestServer.oidcClient, "u")
                    for name in names {
                        let answer = try await server.signIn("oidc.test", try key.token(claims: claims, header: ["alg": name]))
                        #expect(answer.status == 200, "\(published) \(announced) \(name): \(answer.errorMessage ?? "")")
                        let forged = try await server.signIn("oidc.test", try other.token(claims: claims, header: ["alg": name]))
                        #expect(forged.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : ") == true)
                    }
                }
            }
            let claims = server.claims("oidc", TestServer.oidcClient, "u")
            for name in ["ed25519", "Ed448", "EDDSA", "ES256", "Ed25519 ", "none"] as [JSONValue] {
                let answer = try await server.signIn("oidc.test", try key.token(claims: claims, header: ["alg": name]))
                #expect(answer.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : ") == true, "\(name)")
            }
        }
    }

    @Test("of Ed25519 bind access tokens by SHA-512, whichever name the header has")
    func ed25519Hash() async throws {
        try await TestServer.running { server in
            let key = TestKey.ed25519(kid: "ed")
            server.provider.publish(keySet: ["keys": [key.jwk]])
            server.provider.overrideDiscovery(["id_token_signing_alg_values_supported": ["EdDSA"]])
            let half = Array(SHA512.hash(data: Data("access".utf8)).prefix(32))
            for name in ["EdDSA", "Ed25519"] as [JSONValue] {
                for (hash, status) in [(half, 200), (Array(SHA256.hash(data: Data("access".utf8)).prefix(16)), 400)] {
                    let claims = server.claims("oidc", TestServer.oidcClient, "u", ["at_hash": .string(Base64URL.encode(hash))])
                    let token = try key.token(claims: claims, header: ["alg": name])
                    let form = [("id_token", token), ("access_token", "access")]
                    #expect(try await server.signIn("oidc.test", form: form).status == status, "\(name)")
                }
            }
        }
    }

    @Test("are refused when they can be factored (CVE-2017-15361), with good keys beside them as well")
    func weakGenerator() async throws {
        try await TestServer.running { server in
            let weak = TestKey.rsa(kid: "weak", try WeakKey.rsa())
            let good = try TestKey.rsa(kid: "good")
            let claims = server.claims("oidc", TestServer.oidcClient, "u")
            server.provider.publish(keySet: ["keys": [weak.jwk, good.jwk]])
            let refused = try await server.signIn("oidc.test", try weak.token(claims: claims))
            #expect(refused.errorMessage == "INVALID_IDP_RESPONSE : The ID token's signature is invalid or of an unknown key.")
            #expect(try await server.signIn("oidc.test", try good.token(claims: claims)).status == 200)
        }
    }
}
