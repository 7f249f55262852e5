import Foundation
import Project
import TestKit
import Testing

/// OpenID Connect Core 1.0 §5.3.2: ProConnect sends nothing else.
@Suite("User info as a signed token", .teardown, .timeLimit(.minutes(15)))
struct SignedUserInfoTests {
    private static let path = "/code/userinfo"

    private static func answer(_ server: TestServer, _ text: String, type: String = "application/jwt") {
        server.provider.rewrite(at: path) { _ in
            .init(status: 200, headers: [("Content-Type", type)], body: Array(text.utf8))
        }
    }

    private static func claims(_ server: TestServer, _ changes: JSONValue = [:]) -> JSONValue {
        let profile: JSONValue = ["email": "ada@example.com", "email_verified": true, "name": "Ada", "iat": .null, "exp": .null]
        return server.claims("code", "code-client", "ada", profile.merging(changes))
    }

    @Test("is verified by the provider's keys and completes the ID token")
    func signed() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setUser(["sub": "ada"])
        for (algorithm, type) in [("RS256", "application/jwt"), ("ES256", "Application/JWT; charset=utf-8")] {
            Self.answer(server, try server.provider.token(Self.claims(server), algorithm: algorithm), type: type)
            let result = try await server.signInByFlow("oidc.code")
            _ = try server.session(result)
            #expect(result["email"] == "ada@example.com")
            #expect(result["emailVerified"] == true)
            #expect(result["displayName"] == "Ada")
        }
        let several: JSONValue = ["aud": ["code-client", "other"], "azp": "code-client"]
        Self.answer(server, try server.provider.token(Self.claims(server, several)))
        _ = try server.session(try await server.signInByFlow("oidc.code"))
    }

    @Test("says nothing of another address than its own, signed or not", arguments: [true, false])
    func otherAddress(isSigned: Bool) async throws {
        let server = try await FlowServer.start()
        for (subject, email, isVerified) in [("eve", "own@example.com", false), ("ada", "victim@example.com", true)] {
            server.provider.authorization.setUser(["sub": .string(subject), "email": "victim@example.com"])
            let profile = Self.claims(server, ["sub": .string(subject), "email": .string(email)])
            if isSigned {
                Self.answer(server, try server.provider.token(profile))
            } else {
                server.provider.authorization.setProfile(profile)
            }
            let result = try await server.signInByFlow("oidc.code")
            #expect(result["email"] == "victim@example.com")
            #expect((result["emailVerified"] == true) == isVerified)
        }
    }

    @Test("is signed by an algorithm that is announced for user info, not for ID tokens")
    func algorithms() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setUser(["sub": "ada"])
        server.provider.overrideDiscovery([
            "id_token_signing_alg_values_supported": ["RS256"], "userinfo_signing_alg_values_supported": ["ES256"],
        ])
        Self.answer(server, try server.provider.token(Self.claims(server), algorithm: "ES256"))
        _ = try server.session(try await server.signInByFlow("oidc.code"))
        Self.answer(server, try server.provider.token(Self.claims(server)))
        expectRefused(try await server.signInByFlow("oidc.code"))
    }

    @Test("is refused when it is not the provider's, not for us, of somebody else, or not signed")
    func hostile() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setUser(["sub": "ada"])
        for changes: JSONValue in [
            ["iss": "https://evil.example"], ["iss": .null], ["aud": "other"], ["aud": .null],
            ["aud": ["code-client", "other"]], ["azp": "other"], ["sub": "bob"], ["sub": .null], ["sub": 1], ["exp": 1],
        ] {
            Self.answer(server, try server.provider.token(Self.claims(server, changes)))
            expectRefused(try await server.signInByFlow("oidc.code"), "INVALID_IDP_RESPONSE : ", changes.text)
        }
        let good = Self.claims(server)
        let kid = server.provider.key().kid
        for text in [
            HostileToken.unsigned(good), HostileToken.hmac(good, kid: kid, secret: Data("code-secret".utf8)),
            try TestKey.rsa(kid: kid).token(claims: good),
            HostileToken.resigned(try server.provider.token(good), signature: Data()),
            good.text, "", "a.b.c.d.e",
        ] {
            Self.answer(server, text)
            expectRefused(try await server.signInByFlow("oidc.code"), "INVALID_IDP_RESPONSE : ", text)
        }
        // The type of the answer decides how it is read: a token that is said to be JSON is none.
        Self.answer(server, try server.provider.token(good), type: "application/json")
        expectRefused(try await server.signInByFlow("oidc.code"))
    }

    @Test("does not let an ID token that has all of it be refused for it")
    func unneeded() async throws {
        let server = try await FlowServer.start()
        server.provider.authorization.setUser(["sub": "ada", "name": "Ada", "email": "ada@example.com"])
        Self.answer(server, "nonsense")
        _ = try server.session(try await server.signInByFlow("oidc.code"))
    }
}
