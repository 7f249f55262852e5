import Accounts
import CryptoExtras
import Foundation
import HTTPAPI
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("Access tokens of service accounts (RFC 7523)", .teardown, .timeLimit(.minutes(15)))
struct ServiceAccountTokenTests {
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    /// A service account in one of Google's libraries, which reads the key file.
    private struct Account {
        let server: TestServer
        let key: TestKey
        let email: String
        let tokenURI: String

        init(_ name: String = "backend", on server: TestServer) async throws {
            let registry = CustomTokenTests.Minter.registry(of: server)
            let (account, file) = try await registry.create(name, publicURL: "http://127.0.0.1:\(server.port)")
            let pem = try #require(file["private_key"]?.string)
            key = .rsa(kid: account.keyID, try _RSA.Signing.PrivateKey(pemRepresentation: pem))
            email = try #require(file["client_email"]?.string)
            tokenURI = try #require(file["token_uri"]?.string)
            #expect(file["private_key_id"]?.string == account.keyID)
            #expect(file["auth_uri"] == nil)
            self.server = server
        }

        func assertion(_ overrides: JSONValue = [:], key other: TestKey? = nil, header: JSONValue = [:]) throws -> String {
            let now = server.clock.now.seconds
            let claims: JSONValue = [
                "iss": .string(email), "aud": .string(tokenURI), "iat": .integer(now), "exp": .integer(now + 3600),
                "scope": "https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/identitytoolkit",
            ]
            return try (other ?? key).token(claims: claims.merging(overrides), header: header)
        }

        func exchange(_ assertion: String) async throws -> TestClient.Answer {
            try await server.client.post(
                tokenURI,
                form: [("grant_type", ServiceAccountTokenTests.grantType), ("assertion", assertion)]
            )
        }

        func accessToken() async throws -> String {
            let answer = try await exchange(try assertion())
            #expect(answer.status == 200, "\(answer.json)")
            return try #require(answer["access_token"]?.string)
        }
    }

    private func lookup(_ server: TestServer, _ token: String) async throws -> Int {
        let headers = [("Authorization", "Bearer \(token)")]
        return try await server.client.post("/v1/projects/demo-test/accounts:lookup", ["localId": ["x"]], headers: headers).status
    }

    @Test("an assertion of the key file gets an administrator's token of an hour")
    func exchange() async throws {
        let server = try await TestServer.start()
        let account = try await Account(on: server)
        #expect(account.tokenURI == "http://127.0.0.1:\(server.port)/oauth2/token")
        let answer = try await account.exchange(try account.assertion())
        #expect(answer.status == 200)
        #expect(answer["token_type"] == "Bearer")
        #expect(answer["expires_in"] == 3600)
        #expect(answer.json.object?.count == 3)
        #expect(answer.header("Cache-Control") == "no-store")
        let token = try #require(answer["access_token"]?.string)
        #expect(try await lookup(server, token) == 200)
        let user = try server.session(try await server.call("signUp", [:]))
        let headers = [("Authorization", "Bearer \(token)")]
        let change: JSONValue = ["localId": .string(user.localID), "displayName": "x"]
        #expect(try await server.client.post("/v1/accounts:update", change, headers: headers).status == 200)
        let trail = try await server.core.useCases.operators.auditTrail.events(
            AuditFilter(limit: 4),
            in: Scope(projectID: "demo-test")
        ).events
        #expect(trail.contains { $0.event == "update" && $0.actor == "service-account:\(account.email)" })
        #expect(trail.contains { $0.event == "serviceAccountToken" && $0.address == "127.0.0.1" })
        #expect(!"\(trail)".contains(token))
        for wrong in [token + "A", String(token.dropLast(2)), "postern_sa_", "postern_sa_" + token] {
            #expect(try await lookup(server, wrong) == 401)
        }
        server.clock.advance(by: .seconds(3600))
        #expect(try await lookup(server, token) == 401)
    }

    @Test(
        "libraries that ask Google get theirs on the paths of Google's endpoints",
        arguments: ServiceAccountAssertion.googleEndpoints
    )
    func googleEndpoints(endpoint: String) async throws {
        let server = try await TestServer.start()
        let account = try await Account(on: server)
        let path = try #require(endpoint.firstIndex(of: "/").map { String(endpoint[$0...]) })
        for (number, place) in [path, "/" + endpoint].enumerated() {
            let assertion = try account.assertion(["aud": .string("https://\(endpoint)"), "jti": .string("\(number)")])
            let answer = try await server.client.post(place, form: [("grant_type", Self.grantType), ("assertion", assertion)])
            #expect(try await lookup(server, answer["access_token"]?.string ?? "") == 200, "\(place)")
            let again = try await server.client.post(place, form: [("grant_type", Self.grantType), ("assertion", assertion)])
            #expect(again["error"] == "invalid_grant", "\(place)")
        }
    }

    @Test("assertions that are forged, foreign, stale or meant for somebody else get nothing (TEN-05)")
    func refusals() async throws {
        let server = try await TestServer.start()
        let account = try await Account(on: server)
        let stranger = try await Account("stranger", on: server)
        let now = server.clock.now.seconds
        let selfMade = "me@demo-test.iam.gserviceaccount.com"
        let bad: [(String, String)] = [
            ("audience", try account.assertion(["aud": "https://other.example/oauth2/token"])),
            // A token that an app gives to browsers must never make an administrator.
            ("custom token", try account.assertion(["aud": .string(CustomToken.audience), "sub": .string(account.email)])),
            ("no audience", try account.assertion(["aud": .null])),
            ("self-made issuer", try account.assertion(["iss": .string(selfMade)], key: try .rsa(kid: "k"))),
            ("foreign project", try account.assertion(["iss": "backend@other.iam.gserviceaccount.com"])),
            ("other account's key", try account.assertion(key: stranger.key)),
            ("other key", try account.assertion(key: try .rsa(kid: account.key.kid))),
            ("other algorithm", try account.assertion(key: .p256(kid: account.key.kid))),
            ("expired", try account.assertion(["iat": .integer(now - 3700), "exp": .integer(now - 61)])),
            ("too long", try account.assertion(["exp": .integer(now + 3721)])),
            ("from the future", try account.assertion(["iat": .integer(now + 61), "exp": .integer(now + 600)])),
            ("not yet", try account.assertion(["nbf": .integer(now + 61)])),
            ("no times", try account.assertion(["iat": .null, "exp": .null])),
            ("in another's name", try account.assertion(["sub": "admin@example.com"])),
            ("none", TestKey.segments(["alg": "none", "typ": "JWT"], ["iss": .string(account.email)]) + "."),
            ("another type", try account.assertion(header: ["typ": "JOSE"])),
            ("a type that is no text", try account.assertion(header: ["typ": 7])),
            ("no JWT", "nonsense"),
        ]
        for (name, assertion) in bad {
            let answer = try await account.exchange(assertion)
            #expect(answer.status == 400, "\(name)")
            #expect(answer["error"] == "invalid_grant", "\(name)")
            #expect(answer["error_description"]?.string?.isEmpty == false)
            #expect(answer["access_token"] == nil)
        }
        #expect(try await account.exchange(try account.assertion(header: ["typ": "jwt"])).status == 200)
        let good = try account.assertion(["sub": .string(account.email), "aud": [.string(account.tokenURI)]])
        #expect(try await account.exchange(good).status == 200)
        // Google's Python library names Google's endpoint, independently of where it sends the assertion.
        let google = try account.assertion(["aud": "https://oauth2.googleapis.com/token"])
        #expect(try await account.exchange(google).status == 200)
        let elsewhere = try account.assertion(["target_audience": "https://x.example"])
        #expect(try await account.exchange(elsewhere)["error"] == "invalid_request")
        for (form, error) in [
            ([("assertion", good)], "invalid_request"),
            ([("grant_type", Self.grantType)], "invalid_request"),
            ([("grant_type", "refresh_token"), ("refresh_token", "x")], "unsupported_grant_type"),
        ] {
            let answer = try await server.client.post(account.tokenURI, form: form)
            #expect(answer.status == 400)
            #expect(answer["error"]?.string == error)
        }
        #expect(try await server.client.get(account.tokenURI).status == 405)
        let huge = [("grant_type", Self.grantType), ("assertion", String(repeating: "a", count: 40_000))]
        #expect(try await server.client.post(account.tokenURI, form: huge).status == 413)
    }

    /// The times that an assertion has, from now, as each of Google's libraries writes it.
    private static let shapes: [(library: String, issuedAt: Int64, expiresAt: Int64)] = [
        ("google-auth for Python, google-auth-library and gtoken for Node, Java, .NET, google-cloud-cpp", 0, 3600),
        ("google/auth for PHP", -60, 3600), ("golang.org/x/oauth2, google-cloud-auth for Rust", -10, 3600),
        ("Signet for Ruby", -60, 60), ("gcp_auth and yup-oauth2 for Rust", 0, 3595),
        ("PHP on a clock that is a minute ahead", 0, 3660), ("PHP on a clock that is a minute behind", -120, 3540),
    ]

    @Test("the times that every library of Google's writes are accepted, in assertions and in custom tokens")
    func timeShapes() async throws {
        let server = try await TestServer.start()
        let account = try await Account(on: server)
        let minter = try await CustomTokenTests.Minter(on: server)
        for (library, issuedAt, expiresAt) in Self.shapes {
            let now = server.clock.now.seconds
            let times: JSONValue = ["iat": .integer(now + issuedAt), "exp": .integer(now + expiresAt)]
            #expect(try await account.exchange(try account.assertion(times)).status == 200, "\(library)")
            let token = try minter.token("u", times)
            #expect(try await server.call("signInWithCustomToken", ["token": .string(token)]).status == 200, "\(library)")
            server.clock.advance(by: .seconds(1))
        }
    }

    @Test("an assertion with the longest span is remembered for as long as it is good (TEN-05)")
    func longestSpan() async throws {
        let server = try await TestServer.start()
        let account = try await Account(on: server)
        let now = server.clock.now.seconds
        let times: JSONValue = ["jti": "long", "iat": .integer(now + 60), "exp": .integer(now + 60 + 3720)]
        let assertion = try account.assertion(times)
        #expect(try await account.exchange(assertion).status == 200)
        server.clock.advance(by: .seconds(3839))
        try await server.core.expiredRows.remove { false }
        #expect(try await account.exchange(assertion)["error_description"] == "The assertion has been used before.")
        server.clock.advance(by: .seconds(1))
        #expect(try await account.exchange(assertion)["error_description"] == "The assertion has expired (exp).")
    }

    @Test("an assertion is good once; only twins of one second, which name no jti, may follow within ten seconds (TEN-05)")
    func replay() async throws {
        let server = try await TestServer.start()
        let account = try await Account(on: server)
        let named = try account.assertion(["jti": "once"])
        #expect(try await account.exchange(named).status == 200)
        #expect(try await account.exchange(named)["error"] == "invalid_grant")
        // Another assertion with the same name is a replay too.
        #expect(try await account.exchange(try account.assertion(["jti": "once", "scope": "x"]))["error"] == "invalid_grant")
        let twin = try account.assertion()
        #expect(try await account.exchange(twin).status == 200)
        server.clock.advance(by: .seconds(10))
        #expect(try await account.exchange(twin).status == 200)
        // Clocks of nodes may differ by five seconds.
        server.clock.advance(by: .seconds(6))
        let late = try await account.exchange(twin)
        #expect(late["error"] == "invalid_grant")
        #expect(late["error_description"] == "The assertion has been used before.")
    }

    @Test("tokens die with their account, and with their key", arguments: Engine.allCases)
    func revocation(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let account = try await Account(on: server)
        let token = try await account.accessToken()
        #expect(try await lookup(server, token) == 200)
        let registry = CustomTokenTests.Minter.registry(of: server)
        try await registry.delete("backend")
        server.clock.advance(by: .seconds(1))
        #expect(try await lookup(server, token) == 401)
        #expect(try await account.exchange(try account.assertion())["error"] == "invalid_grant")
        // A new account with the same name has another key.
        let successor = try await Account(on: server)
        server.clock.advance(by: .seconds(1))
        #expect(try await lookup(server, token) == 401)
        #expect(try await lookup(server, try await successor.accessToken()) == 200)
    }
}
