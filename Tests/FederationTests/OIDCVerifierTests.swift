import Crypto
import CryptoExtras
import Foundation
import Project
import Synchronization
import TestKit
import Testing

@testable import Federation

@Suite("The ID token of an OpenID provider is refused")
struct OIDCVerifierTests {
    private static let issuer = "https://id.example"
    private static let keys = Result { [try TestKey.rsa(kid: "rsa-1"), TestKey.p256(kid: "ec-1")] }

    private let clock = TestClock()
    private let fetched = Fetched()

    /// The URLs that were asked for.
    private final class Fetched: Sendable {
        private let state = Mutex<[String]>([])
        var urls: [String] { state.withLock { $0 } }
        func add(_ url: String) { state.withLock { $0.append(url) } }
    }

    private func verifier() throws -> OIDCVerifier {
        let keySet: JSONValue = ["keys": .array(try Self.keys.get().map(\.jwk))]
        let discovery: JSONValue = [
            "issuer": .string(Self.issuer), "jwks_uri": .string(Self.issuer + "/jwks"),
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
        ]
        let http = OutboundHTTP { request, _ in
            fetched.add(request.url)
            let document = request.url.hasSuffix("/jwks") ? keySet : discovery
            return .init(status: 200, headers: [], body: Array(document.serialized()))
        }
        let environment = clock.environment(http: http)
        return OIDCVerifier(
            keySets: KeySetCache(environment: environment, logger: LogCapture().logger()),
            environment: environment
        )
    }

    /// The claims of a good token; null removes one.
    private func goodClaims(_ overrides: JSONValue = [:]) -> JSONValue {
        let claims: JSONValue = [
            "iss": .string(Self.issuer), "aud": "client", "sub": "u", "iat": .integer(clock.now.seconds),
            "exp": .integer(clock.now.seconds + 600),
        ]
        return .object((claims.merging(overrides).object ?? [:]).filter { $0.value != .null })
    }

    private func token(_ overrides: JSONValue = [:], header: JSONValue = [:], by key: TestKey? = nil) throws -> String {
        try (key ?? Self.keys.get()[0]).token(claims: goodClaims(overrides), header: header)
    }

    /// The step at which a token is refused; `nil` when it is good.
    private func refusal(_ token: String, _ verifier: OIDCVerifier, beside change: (inout IdPCredential) -> Void = { _ in })
        async throws -> ProviderError.Step?
    {
        var credential = IdPCredential(providerID: "oidc.test", idToken: token)
        change(&credential)
        let policy = OIDCVerifier.Policy(
            issuers: [Self.issuer],
            audiences: ["client"],
            keys: .discovery(issuer: Self.issuer),
            nonce: .hashOrExact
        )
        do {
            _ = try await verifier.verify(token, of: credential, policy: policy)
            return nil
        } catch let error as ProviderError {
            return error.step
        }
    }

    @Test("when its claims are not those of a token for us")
    func claims() async throws {
        let verifier = try verifier()
        let now = clock.now.seconds
        let bad: [(String, JSONValue)] = [
            ("foreign audience", ["aud": "another"]), ("audience cut short", ["aud": "clien"]),
            ("audience too long", ["aud": "client2"]), ("no audience", ["aud": .null]), ("audience number", ["aud": 1]),
            ("several audiences without azp", ["aud": ["client", "another"]]),
            ("an audience that is no text", ["aud": ["client", 7]]), ("foreign azp", ["azp": "another"]),
            ("azp of another type", ["azp": 7]),
            ("several audiences, foreign azp", ["aud": ["client", "another"], "azp": "another"]),
            ("issuer with slash", ["iss": .string(Self.issuer + "/")]), ("issuer in capitals", ["iss": "https://ID.example"]),
            ("issuer of another provider", ["iss": "https://other.example"]),
            ("issuer as prefix", ["iss": .string(Self.issuer + ".evil.example")]), ("no issuer", ["iss": .null]),
            ("expired beyond the skew", ["exp": .integer(now - 61)]), ("expired at the skew", ["exp": .integer(now - 60)]),
            ("no expiry", ["exp": .null]), ("expiry as text", ["exp": "9999999999"]),
            ("expired by a fraction", ["exp": .number(Double(now) - 60.5)]),
            ("issued in the future by fractions", ["iat": .number(Double(now) + 61.5)]), ("huge expiry", ["exp": 1e308]),
            ("largest integer expiry", ["exp": .integer(.max)]), ("negative expiry", ["exp": -1]),
            ("smallest integer expiry", ["exp": .integer(.min)]), ("issued in the future", ["iat": .integer(now + 61)]),
            ("no issue time", ["iat": .null]), ("largest issue time", ["iat": .integer(.max)]),
            ("not yet valid", ["nbf": .integer(now + 61)]), ("nbf of another type", ["nbf": "soon"]),
            ("largest nbf", ["nbf": .integer(.max)]), ("no subject", ["sub": .null]), ("empty subject", ["sub": ""]),
            ("numeric subject", ["sub": 12]), ("long subject", ["sub": .string(String(repeating: "x", count: 300))]),
        ]
        for (name, overrides) in bad {
            let step = try await refusal(token(overrides), verifier)
            #expect(step == .claims, "\(name)")
        }
        for overrides: JSONValue in [
            ["exp": .number(Double(now) + 100.5)], ["exp": .number(Double(now) + 100)], ["iat": .number(Double(now) - 0.5)],
            ["nbf": .number(Double(now) - 0.25)], ["exp": .integer(now - 59)], ["iat": .integer(now + 60)],
            ["nbf": .integer(now + 60)], ["aud": ["client"]], ["aud": ["another", "client"], "azp": "client"],
        ] {
            let step = try await refusal(token(overrides), verifier)
            #expect(step == nil, "\(overrides)")
        }
    }

    @Test("when its signature is not one of the provider's key and algorithm")
    func signatures() async throws {
        let verifier = try verifier()
        let claims = goodClaims()
        let good = try token()
        let key = try Self.keys.get()[0]
        guard case .rsa(_, let rsa) = key else { return }
        let elliptic = try Self.keys.get()[1].token(claims: claims)
        let rawSignature = Data(try #require(Base64URL.decode(elliptic.split(separator: ".")[2].utf8)))
        let derSignature = try P256.Signing.ECDSASignature(rawRepresentation: rawSignature).derRepresentation
        let stranger = try TestKey.rsa(kid: key.kid)
        var hostile: [(String, String)] = [
            ("no algorithm", HostileToken.withoutAlgorithm(claims)), ("foreign key under our key id", try token(by: stranger)),
            ("key in the header", try token(header: ["jwk": stranger.jwk], by: stranger)),
            ("key URL in the header", try token(header: ["jku": "https://evil.example/jwks"], by: stranger)),
            ("unknown key id", try token(header: ["kid": "nobody"])),
            ("key id as SQL", try token(header: ["kid": "' OR 1=1 --"])),
            ("key id as path", try token(header: ["kid": "../../etc/passwd\u{0}"])),
            ("key id as list", try token(header: ["kid": ["rsa-1"]])), ("key id as number", try token(header: ["kid": 1])),
            ("long key id", try token(header: ["kid": .string(String(repeating: "k", count: 10_000))])),
            ("unknown critical extension", try token(header: ["crit": ["x"], "x": 1])),
            ("unencoded payload extension", try token(header: ["b64": false])),
            ("an algorithm that is not the key's", try token(header: ["alg": "ES256"])),
            ("an algorithm that is not announced", try token(header: ["alg": "PS256"])),
            ("zero signature", HostileToken.zeroSignature(claims, kid: "ec-1")),
            ("DER signature", HostileToken.resigned(elliptic, signature: derSignature)),
            ("empty signature", HostileToken.resigned(good, signature: Data())),
            ("signature of another token", HostileToken.resigned(good, signature: rawSignature)), ("five parts", "a.b.c.d.e"),
            ("two parts", "a.b"), ("dots", String(repeating: ".", count: 1000)), ("padding", good + "="),
            ("white space", good.replacing(".", with: ". ")), ("not base64", "é.é.é"), ("nothing in it", ".."),
            ("nested", TestKey.segments(["alg": "RS256"], ["a": .string("x")]) + ".e30"),
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
            let step = try await refusal(token, verifier)
            #expect(step == .signature || name == "nested" && step == .claims, "\(name)")
        }
        #expect(Set(fetched.urls) == [Self.issuer + "/.well-known/openid-configuration", Self.issuer + "/jwks"])
        for good in [good, elliptic] {
            let step = try await refusal(good, verifier)
            #expect(step == nil)
        }
    }

    @Test("when a single bit of it has changed")
    func bitFlips() async throws {
        let verifier = try verifier()
        let flipped = HostileToken.bitFlips(try token())
        #expect(flipped.count > 350)
        for token in flipped {
            let step = try await refusal(token, verifier)
            #expect(step != nil, "\(token)")
        }
    }

    @Test("when it does not belong to the access token or the code beside it")
    func hashes() async throws {
        let verifier = try verifier()
        let half = JSONValue.string(Base64URL.encode(Array(sha256("beside".utf8).prefix(16))))
        for (claim, member) in [("at_hash", \IdPCredential.accessToken), ("c_hash", \.authorizationCode)] {
            let token = try token([claim: half])
            for (value, expected) in [("other", ProviderError.Step.claims), ("beside", nil)] {
                let step = try await refusal(token, verifier) { $0[keyPath: member] = value }
                #expect(step == expected, "\(claim)")
            }
        }
    }
}
