import Crypto
import Foundation
import Project
import TestKit
import Testing

/// LINE and others sign the ID token of a code flow with the client secret (OpenID Connect Core 1.0 §3.1.3.7, point 8).
@Suite("An ID token that is signed with the client secret", .teardown, .timeLimit(.minutes(15)))
struct SharedSecretTokenTests {
    private static let refused = "INVALID_IDP_RESPONSE : The ID token's signature algorithm is not allowed."

    /// Has the ID token of the token endpoint signed anew.
    private static func sign(
        _ server: TestServer,
        at path: String,
        _ changes: JSONValue = [:],
        by token: @escaping @Sendable (_ claims: JSONValue) -> String
    ) {
        server.provider.rewrite(at: path) { answer in
            var document = try JSONValue.parse(answer.body)
            guard let segments = document["id_token"]?.string?.split(separator: "."),
                let payload = Base64URL.decode(segments[1].utf8)
            else { return answer }
            let claims = try JSONValue.parse(payload).merging(changes)
            document["id_token"] = .string(token(.object((claims.object ?? [:]).filter { $0.value != .null })))
            var answer = answer
            answer.body = Array(document.serialized())
            return answer
        }
    }

    private static func hmac(_ secret: String) -> @Sendable (JSONValue) -> String {
        { HostileToken.hmac($0, kid: "1", secret: Data(secret.utf8)) }
    }

    @Test("is taken from the token endpoint in a flow, announced or not", arguments: [nil, "RS256", "HS256"] as [String?])
    func tokenEndpoint(announced: String?) async throws {
        let server = try await FlowServer.start()
        if let announced {
            server.provider.overrideDiscovery(["id_token_signing_alg_values_supported": [.string(announced)]])
        }
        server.provider.authorization.setUser(["sub": "line-1", "email": "a@b.c", "name": "Ada"])
        Self.sign(server, at: "/code/token", by: Self.hmac("code-secret"))
        let result = try await server.signInByFlow("oidc.code")
        let session = try server.session(result)
        #expect(result["federatedId"] == "line-1")
        #expect(try await server.entry("oidc.code", of: session)["rawId"] == "line-1")
    }

    @Test(
        "is refused there with another secret, another algorithm, without the flow's nonce, or for somebody else (JWT-02, JWT-03)"
    )
    func hostile() async throws {
        let server = try await FlowServer.start()
        let kid = server.provider.key().kid
        let jwk = server.provider.key().jwk
        for secret in ["", "wrong", "post-secret", jwk.text, jwk["n"]?.string ?? "", "code-secre"] {
            Self.sign(server, at: "/code/token", by: Self.hmac(secret))
            expectRefused(try await server.signInByFlow("oidc.code"), "INVALID_IDP_RESPONSE : ", secret)
        }
        for name in ["HS384", "HS512", "hs256", "none"] {
            Self.sign(server, at: "/code/token") { claims in
                let input = TestKey.segments(["alg": .string(name), "kid": .string(kid)], claims)
                let key = SymmetricKey(data: Data("code-secret".utf8))
                let code: Data =
                    switch name {
                    case "HS384": Data(HMAC<SHA384>.authenticationCode(for: Data(input.utf8), using: key))
                    case "HS512": Data(HMAC<SHA512>.authenticationCode(for: Data(input.utf8), using: key))
                    default: Data(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: key))
                    }
                return "\(input).\(Base64URL.encode(code))"
            }
            expectRefused(try await server.signInByFlow("oidc.code"), "INVALID_IDP_RESPONSE : ", name)
        }
        for changes: JSONValue in [
            ["aud": "other"], ["iss": "https://evil.example"], ["exp": 1], ["sub": .null], ["at_hash": "AAAA"],
        ] {
            Self.sign(server, at: "/code/token", changes, by: Self.hmac("code-secret"))
            expectRefused(try await server.signInByFlow("oidc.code"), "INVALID_IDP_RESPONSE : ", changes.text)
        }
        for nonce: JSONValue in [.null, "other"] {
            Self.sign(server, at: "/code/token", ["nonce": nonce], by: Self.hmac("code-secret"))
            expectRefused(try await server.signInByFlow("oidc.code"), "MISSING_OR_INVALID_NONCE : ")
        }
    }

    @Test("is never taken from an app or a browser (JWT-02)")
    func elsewhere() async throws {
        let server = try await FlowServer.start()
        // From an app.
        let claims = server.claims("code", "code-client", "u")
        expectRefused(try await server.signIn("oidc.code", Self.hmac("code-secret")(claims)), Self.refused)
        // From the browser, in a flow without a code, with a client secret that the provider and we share.
        let change: JSONValue = ["clientSecret": "implicit-secret"]
        let changed = try await server.admin("PATCH", "/oauthIdpConfigs/oidc.implicit?updateMask=clientSecret", change)
        #expect(changed.status == 200)
        let flow = try await server.begin("oidc.implicit")
        let own = server.claims("implicit", "implicit-client", "u", ["nonce": .string(flow.query["nonce"] ?? "")])
        let form = TestClient.encode([("state", flow.query["state"] ?? ""), ("id_token", Self.hmac("implicit-secret")(own))])
        let body: JSONValue = [
            "requestUri": .string(FlowServer.redirect), "postBody": .string(form), "sessionId": .string(flow.sessionID),
        ]
        expectRefused(try await server.call("signInWithIdp", body), Self.refused)
    }

    @Test("is never taken from another provider, and not for a server auth code of an app (JWT-02)")
    func otherProviders() async throws {
        let server = try await FlowServer.start()
        for (provider, path, secret) in [
            ("google.com", "/google/token", "google-secret"), ("yahoo.com", "/yahoo/token", "yahoo-secret"),
            ("linkedin.com", "/linkedin/token", "linkedin-secret"),
            ("microsoft.com", "/microsoft/common/oauth2/v2.0/token", "microsoft-secret"),
        ] {
            // Microsoft's tokens name a directory.
            Self.sign(server, at: path, ["tid": "tenant-1"], by: Self.hmac(secret))
            expectRefused(try await server.signInByFlow(provider), Self.refused, provider)
        }
        let authorization = server.provider.authorization
        let code = authorization.nativeCode(issuer: "google", clientID: "google-client", claims: ["sub": "g"])
        let form = TestClient.encode([("providerId", "google.com"), ("code", code)])
        let body: JSONValue = ["requestUri": "http://localhost", "postBody": .string(form)]
        expectRefused(try await server.call("signInWithIdp", body), Self.refused)
    }
}
