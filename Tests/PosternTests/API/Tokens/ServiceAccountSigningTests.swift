import Accounts
import Foundation
import Project
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("Signatures of service accounts whose key Postern holds", .teardown, .timeLimit(.minutes(15)))
struct ServiceAccountSigningTests {
    /// An application server without a key file, as the Admin SDKs are one.
    private struct Caller {
        let server: TestServer
        let account: ServiceAccount
        var headers = [("Authorization", "Bearer \(TestServer.adminToken)")]

        init(on server: TestServer) async throws {
            self.server = server
            let registry = CustomTokenTests.Minter.registry(of: server)
            account = try await registry.createHeld("minter", sealer: server.core.keys.sealer)
        }

        func sign(_ blob: some Sequence<UInt8>, as email: String? = nil, host: String = "") async throws -> TestClient.Answer {
            let path = "\(host)/v1/projects/-/serviceAccounts/\(email ?? account.email):signBlob"
            let body: JSONValue = ["payload": .string(Data(blob).base64EncodedString())]
            return try await server.client.post(path, body, headers: headers)
        }

        /// What the SDKs let the server sign: a header without a key id, and the claims of a custom token.
        func input(_ overrides: JSONValue = [:], header: JSONValue = ["alg": "RS256", "typ": "JWT"]) -> String {
            let claims = CustomTokenTests.claims("ada", account.email, server, overrides)
            return [header, claims].map { Base64URL.encode($0.serialized()) }.joined(separator: ".")
        }

        func token(_ input: String) async throws -> String {
            let answer = try await sign(input.utf8)
            #expect(answer.status == 200, "\(answer.json.text)")
            let signature = Data(base64Encoded: try #require(answer["signedBlob"]?.string))
            return input + "." + Base64URL.encode(try #require(signature))
        }
    }

    @Test("make custom tokens that sign in, without a key file", arguments: Engine.allCases)
    func customTokens(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let caller = try await Caller(on: server)
        let token = try await caller.token(caller.input(["claims": ["role": "clerk"]]))
        let session = try await server.call("signInWithCustomToken", ["token": .string(token)])
        #expect(session.status == 200, "\(session.errorMessage ?? "")")
        #expect(try decode(try #require(session["idToken"]?.string), 1)["role"] == "clerk")
        let trail = try await server.auditTrail()
        #expect(trail.contains(["serviceAccountSigned", "admin.token", "ada"]))
    }

    @Test("are there as soon as the account is, though accounts are kept for a second")
    func atOnce() async throws {
        let server = try await TestServer.start()
        let first = try await Caller(on: server)
        #expect(try await first.sign("x".utf8, as: "later@demo-test.iam.gserviceaccount.com").status == 404)
        let registry = CustomTokenTests.Minter.registry(of: server)
        let later = try await registry.createHeld("later", sealer: server.core.keys.sealer)
        #expect(try await first.sign("x".utf8, as: later.email).status == 200)
    }

    @Test("are those of the published key, also for bytes that are no token, and by Google's host before the path")
    func bytes() async throws {
        let server = try await TestServer.start()
        let caller = try await Caller(on: server)
        let blob = Array("no token".utf8) + [0, 0xFF]
        let answer = try await caller.sign(blob, host: "/iamcredentials.googleapis.com")
        #expect(answer.status == 200)
        #expect(answer["keyId"]?.string == caller.account.keyID)
        #expect(answer["signedBlob"]?.string == (try await caller.sign(blob))["signedBlob"]?.string)
        #expect(Data(base64Encoded: answer["signedBlob"]?.string ?? "")?.count == 256)
    }

    @Test("are refused for every token that would not sign a user in now")
    func tokens() async throws {
        let server = try await TestServer.start()
        let caller = try await Caller(on: server)
        let now = server.clock.now.seconds
        for (problem, overrides) in [
            ("an assertion", ["aud": .string("http://127.0.0.1:\(server.port)/oauth2/token")]),
            ("Google's assertion", ["aud": "https://oauth2.googleapis.com/token"]),
            ("two audiences", ["aud": [.string(CustomToken.audience), "https://oauth2.googleapis.com/token"]]),
            ("one for later", ["iat": .integer(now + 3600), "exp": .integer(now + 7200)]),
            ("one for long", ["exp": .integer(now + 7200)]),
            ("an expired one", ["iat": .integer(now - 7200), "exp": .integer(now - 3600)]),
            ("another's", ["iss": "a@demo-test.iam.gserviceaccount.com", "sub": "a@demo-test.iam.gserviceaccount.com"]),
            ("another subject", ["sub": "a@demo-test.iam.gserviceaccount.com"]),
        ] as [(String, JSONValue)] {
            let answer = try await caller.sign(caller.input(overrides).utf8)
            #expect(answer.status == 400, "\(problem)")
            #expect(answer.errorMessage?.hasPrefix("INVALID_CUSTOM_TOKEN : ") == true, "\(problem): \(answer.json.text)")
        }
        for header in [
            ["alg": "RS512"], ["alg": "RS256", "b64": false], ["alg": "RS256", "crit": ["exp"]],
            ["alg": "RS256", "typ": "at+jwt"],
        ] as [JSONValue] {
            #expect(try await caller.sign(caller.input(header: header).utf8).status == 400, "\(header.text)")
        }
        let input = caller.input()
        for blob in [input + ".", "." + input, input + "\n", input + ".x", "a.b", "."] {
            #expect(try await caller.sign(blob.utf8).status == 400, "\(blob)")
        }
        #expect(try await caller.sign(Array(input.utf8) + [0xFF]).status == 400)
        #expect(try await !server.auditTrail().contains { $0.first == "serviceAccountSigned" })
    }

    @Test("are made for accounts with key files, too, with a key beside the file's", arguments: Engine.allCases)
    func besideKeyFile(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let caller = try await Caller(on: server)
        let minter = try await CustomTokenTests.Minter("filed", on: server)
        let claims = CustomTokenTests.claims("ada", minter.email, server, [:])
        let input = [["alg": "RS256", "typ": "JWT"], claims].map { Base64URL.encode($0.serialized()) }.joined(separator: ".")
        // Two at once: one makes the key, and both sign with it.
        async let first = caller.sign(input.utf8, as: minter.email)
        async let second = caller.sign(input.utf8, as: minter.email)
        let answers = try await [first, second]
        #expect(answers.map(\.status) == [200, 200], "\(answers.map(\.json.text))")
        #expect(Set(answers.map { $0["signedBlob"]?.string }).count == 1)
        #expect(Set(answers.map { $0["keyId"]?.string }).count == 1)
        let accounts = try await CustomTokenTests.Minter.registry(of: server).list()
        let account = try #require(accounts.first { $0.email == minter.email })
        #expect(!account.isHeld && account.keyID != answers[0]["keyId"]?.string)
        #expect(try await server.auditTrail().count { $0.first == "serviceAccountKeyAdded" } == 1)
        server.clock.advance(by: .seconds(2))
        let signature = try #require(Data(base64Encoded: answers[0]["signedBlob"]?.string ?? ""))
        for token in [input + "." + Base64URL.encode(signature), try minter.token("ada")] {
            let session = try await server.call("signInWithCustomToken", ["token": .string(token)])
            #expect(session.status == 200, "\(session.json.text)")
        }
        let assertion = caller.input([
            "iss": .string(minter.email), "sub": .string(minter.email), "aud": "https://oauth2.googleapis.com/token",
        ])
        #expect(try await caller.sign(assertion.utf8, as: minter.email).status == 400)
    }

    @Test("are for administrators of users")
    func refusals() async throws {
        let server = try await TestServer.start()
        var caller = try await Caller(on: server)
        for email in ["nobody@demo-test.iam.gserviceaccount.com", "x", String(repeating: "x", count: 4000)] {
            let answer = try await caller.sign([1], as: email)
            #expect(answer.status == 404)
            #expect(answer.errorMessage == "SERVICE_ACCOUNT_NOT_FOUND")
        }
        #expect(try await caller.sign([UInt8](repeating: 7, count: 32 * 1024)).status == 200)
        #expect(try await caller.sign([UInt8](repeating: 7, count: 32 * 1024 + 1)).status == 400)
        let path = "/v1/projects/-/serviceAccounts/\(caller.account.email):signBlob"
        for body in [[:], ["payload": ""], ["payload": "?"], ["payload": ["AA=="]], ["payload": .null]] as [JSONValue] {
            #expect(try await server.client.post(path, body, headers: caller.headers).status == 400, "\(body.text)")
        }
        for (scopes, status) in [(AdminScopes.users, 200), (.read, 403), (.config, 403)] {
            let (_, token) = try await AdminTokenTests.registry(server).create("t\(scopes.rawValue)", scopes: scopes, days: nil)
            caller.headers = [("Authorization", "Bearer \(token)")]
            #expect(try await caller.sign([1]).status == status)
        }
        caller.headers = []
        #expect(try await caller.sign([1]).status == 401)
        try await CustomTokenTests.Minter.registry(of: server).delete("minter")
        server.clock.advance(by: .seconds(2))
        caller.headers = [("Authorization", "Bearer \(TestServer.adminToken)")]
        #expect(try await caller.sign([1]).status == 404)
    }
}
