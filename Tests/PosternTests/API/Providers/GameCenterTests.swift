import CryptoExtras
import Foundation
import Project
import TestKit
import Testing
import X509

@Suite("Game Center", .teardown, .timeLimit(.minutes(15)))
struct GameCenterTests {
    private func makeGameCenter() async throws -> (TestServer, FakeGameCenter) {
        let server = try await TestServer.startWithProviders()
        let key = try self.key(server)
        server.provider.publish(key, at: "public-key/gc.cer")
        server.provider.publish(certificate: try FakeAuthority.trusted.get().issuer, at: "ca/trusted.cer")
        return (server, key)
    }

    private func key(
        _ server: TestServer,
        by authority: FakeAuthority? = try? FakeAuthority.trusted.get(),
        issuer: String? = "ca/trusted.cer",
        organization: String = "Apple Inc.",
        usage: ExtendedKeyUsage.Usage = .codeSigning,
        age: TimeInterval = 0,
        own: _RSA.Signing.PrivateKey? = nil
    ) throws -> FakeGameCenter {
        let now = Date(timeIntervalSince1970: Double(server.clock.now.seconds) - age)
        return try FakeGameCenter(
            validIn: now.addingTimeInterval(-86_400)...now.addingTimeInterval(86_400),
            by: authority,
            issuerURL: issuer.map { server.provider.issuer("gamecenter") + "/" + $0 },
            organization: organization,
            usage: usage,
            key: own
        )
    }

    private func proof(
        _ server: TestServer,
        _ key: FakeGameCenter,
        player: String = "G:1",
        field: String = "playerId",
        bundleID: String = TestServer.appleClient,
        age: Int64 = 0
    ) throws -> JSONValue {
        let time = server.clock.now.milliseconds - age
        let salt = Data((0..<8).map { _ in UInt8.random(in: .min ... .max) })
        let signature = try key.signature(player: player, bundleID: bundleID, timestamp: time, salt: salt)
        return [
            field: .string(player), "publicKeyUrl": .string(server.provider.issuer("gamecenter") + "/public-key/gc.cer"),
            "signature": .string(Base64URL.encode(signature)), "salt": .string(Base64URL.encode(salt)),
            "timestamp": .integer(time), "displayName": "Ada",
        ]
    }

    private func call(
        _ server: TestServer,
        _ body: JSONValue,
        bundleID: String? = TestServer.appleClient
    ) async throws -> TestClient.Answer {
        let headers = bundleID.map { [("X-Ios-Bundle-Identifier", $0)] } ?? []
        return try await server.client.post("/v1/accounts:signInWithGameCenter?key=\(TestServer.apiKey)", body, headers: headers)
    }

    @Test("signs players in by the id that was signed")
    func success() async throws {
        let (server, key) = try await makeGameCenter()
        let answer = try await call(server, try proof(server, key).merging(["gamePlayerId": "A:9"]))
        let session = try server.session(answer)
        #expect(answer["isNewUser"] == true)
        #expect(answer["playerId"] == "G:1")
        #expect(answer["gamePlayerId"] == "A:9")
        #expect(answer["displayName"] == "Ada")
        #expect(answer["expiresIn"] == "3600")
        let entry = try await server.entry("gc.apple.com", of: session)
        #expect(entry["rawId"] == "G:1")
        let again = try await call(server, try proof(server, key))
        #expect(again["isNewUser"] == false)
        #expect(try server.session(again).localID == session.localID)
        // Newer systems sign the id within the team. The id beside it is then unsigned.
        let team = try proof(server, key, player: "T:7", field: "teamPlayerId").merging(["playerId": "G:1"])
        let other = try server.session(try await call(server, team))
        #expect(other.localID != session.localID)
        #expect(try await server.entry("gc.apple.com", of: other)["rawId"] == "T:7")
        #expect(server.provider.count("/gamecenter/public-key/gc.cer") == 1)
        let legacy = "/www.googleapis.com/identitytoolkit/v3/relyingparty/signInWithGameCenter?key=\(TestServer.apiKey)"
        let headers = [("X-Ios-Bundle-Identifier", TestServer.appleClient)]
        #expect(try await server.client.post(legacy, try proof(server, key), headers: headers).status == 200)
    }

    @Test("is no way round a second factor: it neither signs in nor is linked where the account has one")
    func secondFactor() async throws {
        let (server, key) = try await makeGameCenter()
        let player = try server.session(try await call(server, try proof(server, key)))
        let other = try server.session(try await server.call("signUp", [:]))
        for user in [player, other] {
            let factor: JSONValue = ["phoneInfo": "+15555550100"]
            let change: JSONValue = [
                "localId": .string(user.localID), "email": .string("\(user.localID)@example.com"), "emailVerified": true,
                "mfa": ["enrollments": [factor]],
            ]
            #expect(try await server.callAsAdmin("update", change).status == 200)
        }
        // An administrator's change of an address ends the sessions.
        let minter = try await CustomTokenTests.Minter(on: server)
        server.clock.advance(by: .seconds(1))
        let custom: JSONValue = ["token": .string(try minter.token(other.localID)), "returnSecureToken": true]
        let idToken = try #require(try await server.call("signInWithCustomToken", custom)["idToken"])
        let linking = try proof(server, key, player: "G:2").merging(["idToken": idToken])
        for body in [try proof(server, key), linking] {
            let message = try await call(server, body).errorMessage
            #expect(message == "UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor.")
        }
    }

    @Test("refuses whatever Game Center did not sign for our app just now")
    func refusals() async throws {
        let (server, key) = try await makeGameCenter()
        let good = try proof(server, key)
        let stranger = try self.key(server)
        let origin = server.provider.origin
        let bad: [(String, JSONValue)] = [
            ("other player", good.merging(["playerId": "G:2"])), ("no player", good.merging(["playerId": ""])),
            ("other salt", good.merging(["salt": "AAAA"])), ("no salt", good.merging(["salt": ""])),
            ("long salt", good.merging(["salt": .string(String(repeating: "A", count: 4000))])),
            ("no signature", good.merging(["signature": ""])), ("no base64", good.merging(["signature": "%%%"])),
            ("another time", good.merging(["timestamp": .integer(server.clock.now.milliseconds - 1)])),
            ("no time", good.merging(["timestamp": 0])), ("least time", good.merging(["timestamp": .integer(.min)])),
            ("last time", good.merging(["timestamp": .integer(.max)])),
            ("too old", try proof(server, key, age: 600_000)), ("of the future", try proof(server, key, age: -61_000)),
            ("another bundle signed", try proof(server, key, bundleID: "com.evil.app")),
            ("another key", try proof(server, stranger)),
            ("key of another path", good.merging(["publicKeyUrl": .string(origin + "/evil/gc.cer")])),
            ("key of another host", good.merging(["publicKeyUrl": "https://evil.example/public-key/gc.cer"])),
            (
                "user name in the URL",
                good.merging(["publicKeyUrl": .string(origin.replacing("http://", with: "http://a@") + "/gamecenter/x")])
            ),
            ("no certificate", good.merging(["publicKeyUrl": .string(server.provider.issuer("gamecenter") + "/no.cer")])),
            ("no URL", good.merging(["publicKeyUrl": ""])),
        ]
        for (name, body) in bad { expectRefused(try await call(server, body), "INVALID_IDP_RESPONSE : ", name) }
        #expect(server.provider.count("/evil/gc.cer") == 0)
        let evil = try await call(server, try proof(server, key, bundleID: "com.evil.app"), bundleID: "com.evil.app")
        expectRefused(evil)
        expectRefused(try await call(server, good, bundleID: nil), "MISSING_CLIENT_IDENTIFIER")
        expectRefused(try await call(server, good.merging(["tenantId": "bare"])))
        expectRefused(try await call(server, good.merging(["tenantId": "closed"])), "OPERATION_NOT_ALLOWED")
        let idp = try await server.signIn("gc.apple.com", form: [("access_token", "x")])
        expectRefused(idp, "INVALID_CREDENTIAL_OR_PROVIDER_ID : ")
        _ = try server.session(try await call(server, good))
    }

    @Test("believes a signature once; one that a refused link left unused can still sign in")
    func replay() async throws {
        let (server, key) = try await makeGameCenter()
        let first = try proof(server, key)
        _ = try server.session(try await call(server, first))
        expectRefused(try await call(server, first), "MISSING_OR_INVALID_NONCE : ")
        // The same signed bytes under other names are the same signature.
        let renamed = first.merging(["teamPlayerId": "G:1", "playerId": "G:9", "displayName": "Eve"])
        expectRefused(try await call(server, renamed), "MISSING_OR_INVALID_NONCE : ")
        let second = try proof(server, key)
        let other = try server.session(try await server.call("signUp", [:]))
        let link = second.merging(other.token)
        expectRefused(try await call(server, link), "FEDERATED_USER_ID_ALREADY_LINKED")
        #expect(try await call(server, second).status == 200)
    }

    @Test("refuses a certificate that is not in force, and answers that are none")
    func certificates() async throws {
        let (server, _) = try await makeGameCenter()
        let expired = try key(server, age: 86_410)
        server.provider.publish(expired, at: "public-key/old.cer")
        let path = server.provider.issuer("gamecenter") + "/public-key/old.cer"
        let body = try proof(server, expired).merging(["publicKeyUrl": .string(path)])
        expectRefused(try await call(server, body))
        for fault: FakeIDP.Fault in [.status(500), .body("no"), .oversized(bytes: 1 << 17), .redirect(to: path)] {
            server.provider.setFault(fault, at: "/gamecenter/public-key/gc.cer")
            expectRefused(try await call(server, try proof(server, expired)))
        }
    }

    @Test("believes certificates only of Apple, for signing, and by an authority that we trust")
    func chains() async throws {
        let (server, _) = try await makeGameCenter()
        let trusted = try FakeAuthority.trusted.get()
        let stranger = try FakeAuthority(name: "Trusted")
        let weak = try FakeAuthority(name: "Weak", canCertify: false)
        server.provider.publish(certificate: stranger.issuer, at: "ca/stranger.cer")
        server.provider.publish(certificate: weak.issuer, at: "ca/weak.cer")
        let keys: [(String, FakeGameCenter, isGood: Bool)] = [
            ("good", try key(server), true),
            ("good, as written before", try key(server, organization: "Apple, Inc."), true),
            ("signed by itself", try key(server, by: nil), false),
            ("of another authority with the same name", try key(server, by: stranger, issuer: "ca/stranger.cer"), false),
            ("of another authority, under the trusted one's address", try key(server, by: stranger), false),
            ("of somebody who may not certify", try key(server, by: weak, issuer: "ca/weak.cer"), false),
            ("of nobody knows whom", try key(server, by: trusted, issuer: nil), false),
            ("of an authority that cannot be had", try key(server, issuer: "ca/none.cer"), false),
            ("somebody else's", try key(server, organization: "Apple Pie Inc."), false),
            ("a web site's", try key(server, usage: .serverAuth), false),
            ("not in force yet", try key(server, age: -90_000), false),
            ("of a key that can be factored (CVE-2017-15361)", try key(server, own: try WeakKey.rsa()), false),
        ]
        for (index, (name, key, isGood)) in keys.enumerated() {
            server.provider.publish(key, at: "public-key/\(index).cer")
            let url = server.provider.issuer("gamecenter") + "/public-key/\(index).cer"
            let answer = try await call(server, try proof(server, key).merging(["publicKeyUrl": .string(url)]))
            guard isGood else {
                expectRefused(answer, "INVALID_IDP_RESPONSE : ", name)
                continue
            }
            #expect(answer.status == 200, "\(name) \(answer.errorMessage ?? "")")
        }
    }

    @Test("signs players of Apple Arcade in by the id within the game")
    func arcade() async throws {
        let (server, key) = try await makeGameCenter()
        let body = try proof(server, key, player: "A:1", field: "gamePlayerId").merging(["teamPlayerId": "T:1"])
        let session = try server.session(try await call(server, body))
        #expect(try await server.entry("gc.apple.com", of: session)["rawId"] == "A:1")
    }

    @Test("links to a signed-in account, and to one only")
    func link() async throws {
        let (server, key) = try await makeGameCenter()
        let account = try server.session(try await server.call("signUp", [:]))
        let linked = try server.session(try await call(server, try proof(server, key).merging(account.token)))
        #expect(linked.localID == account.localID)
        let other = try server.session(try await server.call("signUp", [:]))
        let again = try proof(server, key).merging(other.token)
        expectRefused(try await call(server, again), "FEDERATED_USER_ID_ALREADY_LINKED")
        let forged = try proof(server, key, player: "G:5").merging(["idToken": "forged"])
        expectRefused(try await call(server, forged), "INVALID_ID_TOKEN")
    }
}
