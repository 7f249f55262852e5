import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A credential is refused", .teardown, .timeLimit(.minutes(15)))
struct RefusedCredentialTests {
    private func expectRefused(
        _ answer: TestClient.Answer,
        _ reason: String = "INVALID_IDP_RESPONSE : ",
        _ comment: String = "",
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == 400, "\(comment)", sourceLocation: location)
        let message = answer.errorMessage ?? "none"
        #expect(message.hasPrefix(reason), "\(comment) \(message)", sourceLocation: location)
        #expect(answer["idToken"] == nil, sourceLocation: location)
        #expect(answer["error"]?["status"] == nil, sourceLocation: location)
        #expect(answer["error"]?["errors"]?[0]?["reason"] == "invalid", sourceLocation: location)
    }

    /// Every claim and every signature are in `OIDCVerifierTests`.
    @Test("when it is not for us, has expired, or is not the provider's")
    func tokens() async throws {
        let server = try await TestServer.start()
        let claims = server.claims("oidc", TestServer.oidcClient, "u")
        let stranger = try TestKey.rsa(kid: server.provider.key().kid)
        for (name, token) in [
            ("foreign audience", try server.oidcToken("u", ["aud": "another"])),
            ("issuer of another provider", try server.oidcToken("u", ["iss": .string(server.provider.issuer("other"))])),
            ("expired", try server.oidcToken("u", ["exp": .integer(server.clock.now.seconds - 61)])),
            ("no subject", try server.oidcToken("u", ["sub": .null])), ("unsigned", HostileToken.unsigned(claims)),
            ("foreign key under our key id", try stranger.token(claims: claims)), ("no token", "a.b"),
        ] {
            expectRefused(try await server.signIn("oidc.test", token), "INVALID_IDP_RESPONSE : ", name)
        }
        _ = try server.session(try await server.signIn("oidc.test", try server.oidcToken("u")))
    }

    @Test("when the nonce is missing, wrong, or in the wrong form")
    func nonces() async throws {
        let server = try await TestServer.start()
        let hash = hexadecimal(sha256("raw".utf8))
        let double = hexadecimal(sha256(hash.utf8))
        let base64 = Data(sha256("raw".utf8)).base64EncodedString()
        // Google's tokens may have a nonce that the request lacks (ruling 37).
        let cases: [(claim: JSONValue, nonce: String?, apple: Bool, others: Bool)] = [
            (.string(hash), "raw", true, true), (.string(hash), nil, false, false), (.string(hash), "other", false, false),
            ("raw", "raw", false, true), (.string(hash.uppercased()), "raw", false, false),
            (.string(base64), "raw", false, false), (.string(double), "raw", false, false), ("", nil, false, false),
            ("", "", false, false), (7, "7", false, false), (.null, "raw", false, true), (.null, nil, true, true),
        ]
        for (index, row) in cases.enumerated() {
            for (provider, token, accepted) in [
                ("apple.com", try server.appleToken("a\(index)", ["nonce": row.claim]), row.apple),
                (
                    "google.com", try server.googleToken("g\(index)", ["nonce": row.claim]),
                    row.others || row.nonce == nil && row.claim == .string(hash)
                ),
                ("oidc.test", try server.oidcToken("o\(index)", ["nonce": row.claim]), row.others),
            ] {
                let answer = try await server.signIn(provider, token, nonce: row.nonce)
                if accepted {
                    _ = try server.session(answer)
                } else {
                    expectRefused(answer, "MISSING_OR_INVALID_NONCE : ", "\(provider) case \(index)")
                }
            }
        }
        let unsupported = try server.appleToken("a-old", ["nonce_supported": false])
        _ = try server.session(try await server.signIn("apple.com", unsupported, nonce: "raw"))
    }

    @Test("when it carries a nonce and was accepted before, also by another door, but not when it was refused before")
    func replay() async throws {
        let server = try await TestServer.start()
        let nonce: JSONValue = ["nonce": .string(hexadecimal(sha256("raw".utf8)))]
        let duplicate = "MISSING_OR_INVALID_NONCE : Duplicate credential received."
        let token = try server.appleToken("a-1", nonce)
        expectRefused(try await server.signIn("apple.com", token, nonce: "wrong"), "MISSING_OR_INVALID_NONCE : ")
        let session = try server.session(try await server.signIn("apple.com", token, nonce: "raw"))
        expectRefused(try await server.signIn("apple.com", token, nonce: "raw"), duplicate)
        let sameNonce = try server.appleToken("a-1", nonce.merging(["iat": .integer(server.clock.now.seconds - 1)]))
        expectRefused(try await server.signIn("apple.com", sameNonce, nonce: "raw"), duplicate)
        #expect(try await server.account(session)["providerUserInfo"]?.array?.count == 1)
        // Without a nonce a replay cannot be detected, and the contract accepts it.
        let plain = try server.oidcToken()
        for _ in 0..<2 { _ = try server.session(try await server.signIn("oidc.test", plain)) }
    }

    @Test("when it does not belong to the access token beside it")
    func accessTokenHash() async throws {
        let server = try await TestServer.start()
        let half = Base64URL.encode(Array(sha256("access".utf8).prefix(16)))
        let token = try server.oidcToken("u", ["at_hash": .string(half)])
        expectRefused(try await server.signIn("oidc.test", token, form: [("access_token", "other")]))
        _ = try server.session(try await server.signIn("oidc.test", token, form: [("access_token", "access")]))
        let code = try server.oidcToken("u", ["c_hash": .string(half)])
        expectRefused(try await server.signIn("oidc.test", code, form: [("code", "other")]))
    }

    @Test("when its provider is unknown, off, without a client id, or not named at all")
    func providers() async throws {
        let server = try await TestServer.start()
        let token = try server.oidcToken()
        for (provider, message) in [
            ("oidc.nobody", "OPERATION_NOT_ALLOWED : The identity provider configuration is not found."),
            ("oidc.off", "OPERATION_NOT_ALLOWED : The identity provider configuration is disabled."),
            ("nonsense", "INVALID_PROVIDER_ID"), ("oidc.", "INVALID_PROVIDER_ID"),
        ] {
            expectRefused(try await server.signIn(provider, token), message)
        }
        let empty = try server.provider.token(server.claims("empty", "", "u"))
        expectRefused(try await server.signIn("oidc.empty", empty))
        #expect(server.log.lines.contains { $0.contains("client id") && $0.contains("oidc.empty") })

        let calls: [(JSONValue, String)] = [
            ([:], "MISSING_REQUEST_URI"), (["requestUri": ""], "MISSING_REQUEST_URI"),
            (["requestUri": "not a url"], "INVALID_REQUEST_URI"), (["requestUri": "/path"], "INVALID_REQUEST_URI"),
            (
                ["requestUri": "http://localhost/cb?id_token=secret", "postBody": "id_token=x"],
                "INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: http://localhost/cb"
            ),
            (["requestUri": "http://localhost", "postBody": "providerId=oidc.test"], "INVALID_CREDENTIAL_OR_PROVIDER_ID : "),
            (["requestUri": "http://localhost", "pendingToken": "forged"], "INVALID_PENDING_TOKEN"),
        ]
        for (body, message) in calls {
            let answer = try await server.call("signInWithIdp", body)
            expectRefused(answer, message)
            #expect(answer.errorMessage?.contains("secret") == false)
        }
        let fragment: JSONValue = [
            "requestUri": .string("http://localhost/cb?providerId=nonsense#providerId=OIDC.test&id_token=\(token)")
        ]
        _ = try server.session(try await server.call("signInWithIdp", fragment))
    }

    @Test("leaving one audit record and nothing secret in the log")
    func traces() async throws {
        let server = try await TestServer.start()
        let token = try server.oidcToken("u", ["aud": "another"])
        expectRefused(try await server.signIn("oidc.test", token))
        let good = try server.oidcToken("u", ["nonce": "the-raw-nonce"])
        let session = try server.session(try await server.signIn("oidc.test", good, nonce: "the-raw-nonce"))
        _ = try await server.refresh(session.refreshToken)
        await server.recordRefusals()
        let records = try await server.core.database.read {
            try $0.query("SELECT event, detail FROM audit_events ORDER BY occurred_at, event").map { try $0.text("event") }
        }
        #expect(records.sorted() == ["refused", "signUp"])
        let log = server.log.lines.joined(separator: "\n")
        #expect(!log.isEmpty)
        for secret in [token, good, session.idToken, session.refreshToken, "the-raw-nonce", TestServer.apiKey] {
            #expect(!log.contains(secret))
        }
    }
}
