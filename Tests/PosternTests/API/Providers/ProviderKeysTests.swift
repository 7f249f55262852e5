import Crypto
import Foundation
import Project
import TestKit
import Testing

@testable import Server

@Suite("A provider's keys are fetched, kept and renewed", .teardown, .timeLimit(.minutes(15)))
struct ProviderKeysTests {
    private let jwks = "/oidc/jwks"
    private let discovery = "/oidc/.well-known/openid-configuration"

    private func succeeds(_ server: TestServer, _ token: String, _ location: SourceLocation = #_sourceLocation) async throws {
        _ = try server.session(try await server.signIn("oidc.test", token), location)
    }

    private func fails(_ server: TestServer, _ token: String, _ location: SourceLocation = #_sourceLocation) async throws {
        let answer = try await server.signIn("oidc.test", token)
        #expect(answer.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : ") == true, sourceLocation: location)
    }

    @Test("once for a hundred sign-ins at once, and not again while they are fresh")
    func oneFetch() async throws {
        let server = try await TestServer.start()
        server.provider.setFault(.delay(.milliseconds(200)), at: jwks)
        let token = try server.oidcToken()
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<100 { tasks.addTask { try await server.signIn("oidc.test", token).status } }
            for try await status in tasks { #expect(status == 200) }
        }
        #expect(server.provider.count(jwks) == 1)
        #expect(server.provider.count(discovery) == 1)
        server.clock.advance(by: .seconds(500))
        try await succeeds(server, try server.oidcToken())
        #expect(server.provider.count(jwks) == 1)
    }

    @Test("once for all who wait, and all are refused alike when there are none")
    func sharedOutage() async throws {
        let server = try await TestServer.start()
        server.provider.setFault(.drip, at: jwks)
        server.outgoing.limit(to: .seconds(1), at: jwks)
        let token = try server.oidcToken()
        try await withThrowingTaskGroup(of: TestClient.Answer.self) { tasks in
            for _ in 0..<6 { tasks.addTask { try await server.signIn("oidc.test", token) } }
            for try await answer in tasks {
                #expect(answer.status == 400)
                let message = "INVALID_IDP_RESPONSE : The identity provider's keys could not be fetched."
                #expect(answer.errorMessage == message)
            }
        }
        #expect(server.provider.count(jwks) == 1)
    }

    @Test("as long as Cache-Control says, within sane bounds")
    func freshness() async throws {
        for (header, fresh, stale) in [
            ("public, max-age=300", 299, 2), ("no-store", 59, 2), ("max-age=0", 59, 2), ("max-age=99999999999999999999", 599, 2),
            ("max-age=9999999", 86_399, 2),
        ] {
            let server = try await TestServer.start()
            server.provider.setCacheControl(header)
            try await succeeds(server, try server.oidcToken())
            server.clock.advance(by: .seconds(fresh))
            try await succeeds(server, try server.oidcToken())
            #expect(server.provider.count(jwks) == 1, "\(header)")
            server.clock.advance(by: .seconds(stale))
            try await succeeds(server, try server.oidcToken())
            #expect(server.provider.count(jwks) == 2, "\(header)")
        }
    }

    @Test("again for an unknown key, at most once in the cool-down, whatever strangers send")
    func unknownKey() async throws {
        let server = try await TestServer.start()
        try await succeeds(server, try server.oidcToken())
        try server.provider.rotate()
        try await succeeds(server, try server.oidcToken())
        #expect(server.provider.count(jwks) == 2)
        let claims = server.claims("oidc", TestServer.oidcClient, "u")
        for number in 0..<20 {
            try await fails(server, try server.provider.key().token(claims: claims, header: ["kid": .string("random-\(number)")]))
        }
        #expect(server.provider.count(jwks) == 2)
        try await succeeds(server, try server.oidcToken())
        server.clock.advance(by: .seconds(30))
        try server.provider.rotate()
        try await succeeds(server, try server.oidcToken())
        #expect(server.provider.count(jwks) == 3)
    }

    @Test("and a token of a stranger's issuer causes no request at all")
    func strangers() async throws {
        let server = try await TestServer.start()
        try await fails(server, try server.oidcToken("u", ["iss": "https://accounts.google.com"]))
        try await fails(server, HostileToken.unsigned(server.claims("oidc", TestServer.oidcClient, "u")))
        #expect(server.provider.count(discovery) == 0)
        #expect(server.provider.count(jwks) == 0)
    }

    @Test(
        "or the old ones go on working through an outage, for a bounded time, and recovery is noticed",
        arguments: [
            .status(500), .body("<html>"), .body("{}"), .body(#"{"keys":[]}"#), .oversized(bytes: 2 << 20),
            .redirect(to: "http://127.0.0.1:1/elsewhere"), .drip,
        ] as [FakeIDP.Fault]
    )
    func outage(fault: FakeIDP.Fault) async throws {
        let server = try await TestServer.start()
        try await succeeds(server, try server.oidcToken())
        server.provider.setFault(fault, at: jwks)
        // Only a peer that never ends reaches a time limit.
        if case .drip = fault { server.outgoing.limit(to: .seconds(1), at: jwks) }
        server.clock.advance(by: .seconds(601))
        try await succeeds(server, try server.oidcToken())
        // A call that timed out may not have reached the provider.
        func asked() -> Int { server.outgoing.calls.count { $0.url.hasSuffix(jwks) } }
        #expect(asked() == 2)
        for _ in 0..<5 { try await succeeds(server, try server.oidcToken()) }
        #expect(asked() == 2)
        server.clock.advance(by: .seconds(86_400))
        try await fails(server, try server.oidcToken())
        server.provider.setFault(nil, at: jwks)
        server.outgoing.limit(to: TestServer.patience)
        server.clock.advance(by: .seconds(2))
        try await succeeds(server, try server.oidcToken())
    }

    @Test("never from a discovery document of another issuer; the good copy is kept")
    func foreignDiscovery() async throws {
        let server = try await TestServer.start()
        server.provider.overrideDiscovery(["issuer": .string(server.provider.issuer("evil"))])
        try await fails(server, try server.oidcToken())
        #expect(server.provider.count(jwks) == 0)
        server.provider.overrideDiscovery([:])
        server.clock.advance(by: .seconds(2))
        try await succeeds(server, try server.oidcToken())
        server.provider.overrideDiscovery(["issuer": .string(server.provider.issuer("evil"))])
        server.clock.advance(by: .seconds(601))
        try await succeeds(server, try server.oidcToken())
    }

    @Test("never by way of a redirect or a scheme that is not HTTP")
    func elsewhere() async throws {
        let server = try await TestServer.start()
        server.provider.setFault(.redirect(to: server.provider.issuer("other") + "/jwks"), at: jwks)
        try await fails(server, try server.oidcToken())
        #expect(server.provider.count("/other/jwks") == 0)
        server.provider.setFault(nil, at: jwks)
        for url in ["file:///etc/passwd", "gopher://127.0.0.1/", "ftp://127.0.0.1/", "//127.0.0.1", ""] {
            server.clock.advance(by: .seconds(2))
            server.provider.overrideDiscovery(["jwks_uri": .string(url)])
            try await fails(server, try server.oidcToken())
        }
    }

    @Test("from hostile key sets only as far as they are usable")
    func hostileKeySets() async throws {
        let server = try await TestServer.start()
        let good = server.provider.key().jwk
        let claims = server.claims("oidc", TestServer.oidcClient, "u")
        let weak: [JSONValue] = [
            good.merging(["use": "enc"]), good.merging(["key_ops": ["encrypt"]]), good.merging(["e": "AQ"]),
            good.merging(["e": "AA"]), good.merging(["n": "AQAB"]), good.merging(["alg": "HS256"]),
            good.merging(["kty": "oct", "k": "c2VjcmV0"]), good.merging(["kty": "nonsense"]), good.merging(["n": 7]), [:], [],
            7,
        ]
        for jwk in weak {
            server.clock.advance(by: .seconds(2))
            server.provider.publish(keySet: ["keys": [jwk]])
            try await fails(server, try server.provider.token(claims))
        }
        let flood = Array(repeating: good.merging(["use": "enc"]), count: 1000)
        server.clock.advance(by: .seconds(2))
        server.provider.publish(keySet: ["keys": .array(flood + [good])])
        try await fails(server, try server.provider.token(claims))
        server.clock.advance(by: .seconds(2))
        let twin = try TestKey.rsa(kid: server.provider.key().kid).jwk
        server.provider.publish(keySet: ["keys": .array([7, .object([:])] + weak + [twin, good])])
        try await succeeds(server, try server.provider.token(claims))
        // Nor does an HMAC under the published symmetric key pass.
        let symmetric = HostileToken.hmac(claims, kid: server.provider.key().kid, secret: Data("secret".utf8))
        try await fails(server, symmetric)
    }

    @Test("without an algorithm of its own, a key verifies what the issuer announces and nothing else")
    func keyWithoutAlgorithm() async throws {
        let server = try await TestServer.start()
        var jwk = server.provider.key().jwk
        jwk["alg"] = nil
        server.provider.publish(keySet: ["keys": [jwk]])
        try await succeeds(server, try server.oidcToken())
        let claims = server.claims("oidc", TestServer.oidcClient, "u")
        let empty = HostileToken.hmac(claims, kid: server.provider.key().kid, secret: Data())
        try await fails(server, empty)
    }

    @Test("on private networks only when that is allowed")
    func privateNetworks() async throws {
        let project = { (provider: FakeIDP) in
            "oauthIdpConfigs: {oidc.test: {enabled: true, clientId: oidc-client, issuer: \"\(provider.issuer("oidc"))\"}}"
        }
        var guarded = ["POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "false"]
        for name in [
            "APPLE", "GOOGLE", "FACEBOOK", "FACEBOOK_DIALOG", "GITHUB", "GITHUB_API", "MICROSOFT", "YAHOO", "LINKEDIN", "TWITTER",
            "PLAY_GAMES", "GAME_CENTER",
        ] { guarded["POSTERN_ENDPOINTS_\(name)"] = "" }
        let server = try await TestServer.start(environment: guarded, project: project)
        try await fails(server, try server.oidcToken())
        #expect(server.provider.count(discovery) == 0)
        let outbound = server.core.http.outbound
        for url in [
            "http://127.0.0.1/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/", "https://localhost/",
            "https://10.0.0.1/", "https://0/", "https://0177.0.0.1/", "https://2130706433/", "https://[::ffff:127.0.0.1]/",
        ] {
            await #expect(throws: OutboundError.self) { try await outbound(.init(url: url)) }
        }
        await #expect(throws: OutboundError.forbiddenAddress) { try await outbound(.init(url: "https://localhost/")) }
    }

    @Test("of Ed25519 verify under both names of the algorithm, in key, header and discovery document (RFC 9864)")
    func ed25519() async throws {
        let server = try await TestServer.start()
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

    @Test("of Ed25519 bind access tokens by SHA-512, whichever name the header has")
    func ed25519Hash() async throws {
        let server = try await TestServer.start()
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

    @Test("are refused when they can be factored (CVE-2017-15361), with good keys beside them as well")
    func weakGenerator() async throws {
        let server = try await TestServer.start()
        let weak = TestKey.rsa(kid: "weak", try WeakKey.rsa())
        let good = try TestKey.rsa(kid: "good")
        let claims = server.claims("oidc", TestServer.oidcClient, "u")
        server.provider.publish(keySet: ["keys": [weak.jwk, good.jwk]])
        let refused = try await server.signIn("oidc.test", try weak.token(claims: claims))
        #expect(refused.errorMessage == "INVALID_IDP_RESPONSE : The ID token's signature is invalid or of an unknown key.")
        #expect(try await server.signIn("oidc.test", try good.token(claims: claims)).status == 200)
    }
}
