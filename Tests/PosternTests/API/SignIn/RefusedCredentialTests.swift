import Crypto
import CryptoExtras
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A credential is refused", .timeLimit(.minutes(15)))
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

    @Test("when its claims are not those of a token for us")
    func claims() async throws {
        try await TestServer.running { server in
            let now = server.clock.now.seconds
            let long = String(repeating: "x", count: 300)
            let bad: [(String, JSONValue)] = [
                ("foreign audience", ["aud": "another"]), ("audience cut short", ["aud": "oidc-clien"]),
                ("audience too long", ["aud": "oidc-client2"]), ("no audience", ["aud": .null]), ("audience number", ["aud": 1]),
                ("several audiences without azp", ["aud": ["oidc-client", "another"]]),
                ("an audience that is no text", ["aud": ["oidc-client", 7]]),
                ("foreign azp", ["azp": "another"]), ("azp of another type", ["azp": 7]),
                ("several audiences, foreign azp", ["aud": ["oidc-client", "another"], "azp": "another"]),
                ("issuer with slash", ["iss": .string(server.provider.issuer("oidc") + "/")]),
                ("issuer in capitals", ["iss": .string(server.provider.issuer("OIDC"))]),
                ("issuer of another provider", ["iss": .string(server.provider.issuer("other"))]),
                ("issuer as prefix", ["iss": .string(server.provider.issuer("oidc") + ".evil.example")]),
                ("no issuer", ["iss": .null]),
                ("expired beyond the skew", ["exp": .integer(now - 61)]), ("expired at the skew", ["exp": .integer(now - 60)]),
                ("no expiry", ["exp": .null]), ("expiry as text", ["exp": "9999999999"]),
                ("expired by a fraction", ["exp": .number(Double(now) - 60.5)]),
                ("issued in the future by fractions", ["iat": .number(Double(now) + 61.5)]),
                ("huge expiry", ["exp": 1e308]), ("largest integer expiry", ["exp": .integer(.max)]),
                ("negative expiry", ["exp": -1]), ("smallest integer expiry", ["exp": .integer(.min)]),
                ("issued in the future", ["iat": .integer(now + 61)]), ("no issue time", ["iat": .null]),
                ("largest issue time", ["iat": .integer(.max)]), ("not yet valid", ["nbf": .integer(now + 61)]),
                ("nbf of another type", ["nbf": "soon"]), ("largest nbf", ["nbf": .integer(.max)]),
                ("no subject", ["sub": .null]), ("empty subject", ["sub": ""]), ("numeric subject", ["sub": 12]),
                ("long subject", ["sub": .string(long)]),
            ]
            for (name, overrides) in bad {
                expectRefused(
                    try await server.signIn("oidc.test", try server.oidcToken("u", overrides)),
                    "INVALID_IDP_RESPONSE : ",
                    name
                )
            }
            for overrides: JSONValue in [
                ["exp": .number(Double(now) + 100.5)], ["exp": .number(Double(now) + 100)], ["iat": .number(Double(now) - 0.5)],
                ["nbf": .number(Double(now) - 0.25)], ["exp": .integer(now - 59)], ["iat": .integer(now + 60)],
                ["nbf": .integer(now + 60)],
                ["aud": ["oidc-client"]], ["aud": ["another", "oidc-client"], "azp": "oidc-client"],
            ] {
                _ = try server.session(try await server.signIn("oidc.test", try server.oidcToken("u", overrides)))
            }
        }
    }

    @Test("when its signature is not one of the provider's key and algorithm")
    func signatures() async throws {
        try await TestServer.running { server in
            let claims = server.claims("oidc", TestServer.oidcClient, "u")
            let good = try server.oidcToken("u")
            let key = server.provider.key()
            guard case .rsa(_, let rsa) = key else { return }
            let elliptic = try server.provider.token(claims, algorithm: "ES256")
            let rawSignature = Data(try #require(Base64URL.decode(elliptic.split(separator: ".")[2].utf8)))
            let derSignature = try P256.Signing.ECDSASignature(rawRepresentation: rawSignature).derRepresentation
            let stranger = try TestKey.rsa(kid: key.kid)
            var hostile: [(String, String)] = [
                ("no algorithm", HostileToken.withoutAlgorithm(claims)),
                ("foreign key under our key id", try stranger.token(claims: claims)),
                ("key in the header", try stranger.token(claims: claims, header: ["jwk": stranger.jwk])),
                (
                    "key URL in the header",
                    try stranger.token(claims: claims, header: ["jku": .string(server.provider.issuer("evil") + "/jwks")])
                ),
                ("unknown key id", try key.token(claims: claims, header: ["kid": "nobody"])),
                ("key id as SQL", try key.token(claims: claims, header: ["kid": "' OR 1=1 --"])),
                ("key id as path", try key.token(claims: claims, header: ["kid": "../../etc/passwd\u{0}"])),
                ("key id as list", try key.token(claims: claims, header: ["kid": ["rsa-1"]])),
                ("key id as number", try key.token(claims: claims, header: ["kid": 1])),
                ("long key id", try key.token(claims: claims, header: ["kid": .string(String(repeating: "k", count: 10_000))])),
                ("unknown critical extension", try key.token(claims: claims, header: ["crit": ["x"], "x": 1])),
                ("unencoded payload extension", try key.token(claims: claims, header: ["b64": false])),
                ("an algorithm that is not the key's", try key.token(claims: claims, header: ["alg": "ES256"])),
                ("an algorithm that is not announced", try key.token(claims: claims, header: ["alg": "PS256"])),
                ("zero signature", HostileToken.zeroSignature(claims, kid: "ec-1")),
                ("DER signature", HostileToken.resigned(elliptic, signature: derSignature)),
                ("empty signature", HostileToken.resigned(good, signature: Data())),
                ("signature of another token", HostileToken.resigned(good, signature: rawSignature)),
                ("five parts", "a.b.c.d.e"), ("two parts", "a.b"), ("dots", String(repeating: ".", count: 1000)),
                ("padding", good + "="), ("white space", good.replacing(".", with: ". ")), ("not base64", "é.é.é"),
                ("nothing in it", ".."), ("nested", TestKey.segments(["alg": "RS256"], ["a": .string("x")]) + ".e30"),
            ]
            for algorithm in ["none", "None", "nOnE", "NONE", ""] {
                hostile.append(("alg \(algorithm)", HostileToken.unsigned(claims, algorithm: algorithm)))
            }
            for secret in [
                rsa.publicKey.derRepresentation, Data(rsa.publicKey.pemRepresentation.utf8), key.jwk.serialized(), Data(),
            ] {
                hostile.append(("HMAC with something public", HostileToken.hmac(claims, kid: key.kid, secret: secret)))
            }
            for (name, token) in hostile {
                expectRefused(try await server.signIn("oidc.test", token), "INVALID_IDP_RESPONSE : ", name)
            }
            #expect(server.provider.count("/evil/jwks") == 0)
            _ = try server.session(try await server.signIn("oidc.test", good))
        }
    }

    @Test("when a single bit of it has changed", .timeLimit(.minutes(15)))
    func bitFlips() async throws {
        try await TestServer.running { server in
            let token = try server.oidcToken()
            let pairs = HostileToken.bitFlips(token)
            #expect(pairs.count > 400)
            try await withThrowingTaskGroup(of: (String, Int).self) { tasks in
                for (index, flipped) in pairs.enumerated() {
                    if index >= 16 { try await check(tasks.next()) }
                    tasks.addTask { (flipped, try await server.signIn("oidc.test", flipped).status) }
                }
                for try await result in tasks { check(result) }
            }
        }

        func check(_ result: (String, Int)?) { #expect(result?.1 == 400, "\(result?.0 ?? "")") }
    }

    @Test("when the nonce is missing, wrong, or in the wrong form")
    func nonces() async throws {
        try await TestServer.running { server in
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
    }

    @Test("when it carries a nonce and was accepted before, also by another door, but not when it was refused before")
    func replay() async throws {
        try await TestServer.running { server in
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
    }

    @Test("when it does not belong to the access token beside it")
    func accessTokenHash() async throws {
        try await TestServer.running { server in
            let half = Base64URL.encode(Array(sha256("access".utf8).prefix(16)))
            let token = try server.oidcToken("u", ["at_hash": .string(half)])
            expectRefused(try await server.signIn("oidc.test", token, form: [("access_token", "other")]))
            _ = try server.session(try await server.signIn("oidc.test", token, form: [("access_token", "access")]))
            let code = try server.oidcToken("u", ["c_hash": .string(half)])
            expectRefused(try await server.signIn("oidc.test", code, form: [("code", "other")]))
        }
    }

    @Test("when its provider is unknown, off, without a client id, or not named at all")
    func providers() async throws {
        try await TestServer.running { server in
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
    }

    @Test("leaving one audit record and nothing secret in the log")
    func traces() async throws {
        try await TestServer.running { server in
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
}
