import Foundation
import Project
import Settings
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("Signing keys", .teardown, .timeLimit(.minutes(15)))
struct SigningKeyTests {
    private let operatorCall = CallContext(scope: Scope(projectID: "demo-test"), actor: "cli")

    private func successor(in ring: KeyRing) throws -> String {
        try #require(ring.published.first { $0.record.activatedAt == nil }).record.kid
    }

    private func published(_ server: TestServer) async throws -> [String] {
        let keys = try await server.client.get("/.well-known/jwks.json")["keys"]?.array ?? []
        return keys.compactMap { $0["kid"]?.string }
    }

    @Test("rotate while serving: no token is refused, and the new key was published long before")
    func rotation() async throws {
        let server = try await TestServer.start()
        let before = try await published(server)
        #expect(before.count == 2)
        let old = try server.session(try await server.call("signUp", [:]))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    for _ in 0..<10 {
                        let session = try server.session(try await server.call("signUp", [:]))
                        #expect(try await server.call("lookup", session.token).status == 200)
                        #expect(try await server.refresh(session.refreshToken).status == 200)
                    }
                }
            }
            tasks.addTask {
                for _ in 0..<3 {
                    server.clock.advance(by: .milliseconds(1))
                    try await server.core.keyRing.rotate()
                }
            }
            try await tasks.waitForAll()
        }
        let session = try server.session(try await server.call("signUp", [:]))
        let kid = try #require(try header(session)["kid"]?.string)
        #expect(kid != (try header(old)["kid"]?.string))
        #expect(try await published(server).contains(kid))
        #expect(try await server.call("lookup", ["idToken": .string(old.idToken)]).status == 200)
        server.clock.advance(by: .seconds(3601))
        let refreshed = try await server.refresh(old.refreshToken)
        #expect(try decode(try #require(refreshed["id_token"]?.string), 0)["kid"]?.string == kid)
    }

    @Test("promote the published successor, and are forgotten once every token of theirs has expired")
    func lifecycle() async throws {
        let server = try await TestServer.start()
        let ring = server.core.keyRing
        let session = try server.session(try await server.call("signUp", [:]))
        #expect(try await server.call("lookup", session.token).status == 200)
        let successor = try #require(ring.published.first { $0.record.activatedAt == nil }).record.kid
        #expect(try await ring.rotate() == successor)
        #expect(ring.published.count == 3)
        server.clock.advance(by: .seconds(7100))
        try await ring.refresh()
        #expect(ring.published.count == 3)
        server.clock.advance(by: .seconds(200))
        try await ring.refresh()
        #expect(ring.published.count == 2)
        // The token was verified before, but a deleted key verifies nothing.
        let answer = try await server.call("lookup", session.token)
        #expect(answer.errorMessage == "INVALID_ID_TOKEN")
        let current = try ring.current().kid
        try await ring.rotateIfDue(days: 1)
        #expect(try ring.current().kid == current)
        server.clock.advance(by: .seconds(86_400))
        try await ring.rotateIfDue(days: 1)
        #expect(try ring.current().kid != current)
    }

    @Test("are forgotten when they are revoked: their ID tokens and cookies are refused at once, and refresh tokens go on")
    func revocation() async throws {
        let server = try await TestServer.start()
        let ring = server.core.keyRing
        let session = try server.session(try await server.call("signUp", [:]))
        // It is remembered as verified from now on.
        #expect(try await server.call("lookup", session.token).status == 200)
        let (old, next) = (try ring.current().kid, try successor(in: ring))
        #expect(try await ring.revoke(old, context: operatorCall) == next)
        #expect(try await server.call("lookup", session.token).errorMessage == "INVALID_ID_TOKEN")
        #expect(try await !published(server).contains(old))
        let refreshed = try await server.refresh(session.refreshToken)
        #expect(try decode(try #require(refreshed["id_token"]?.string), 0)["kid"]?.string == next)

        // The one that waits.
        let waiting = try successor(in: ring)
        #expect(try await ring.revoke(waiting, context: operatorCall) == next)
        #expect(try await published(server).count == 2)
        #expect(try await !published(server).contains(waiting))

        // One that has ceased to sign.
        server.clock.advance(by: .milliseconds(1))
        let third = try await ring.rotate()
        #expect(try await ring.revoke(next, context: operatorCall) == third)
        let token: JSONValue = ["idToken": .string(try #require(refreshed["id_token"]?.string))]
        #expect(try await server.call("lookup", token).errorMessage == "INVALID_ID_TOKEN")
        #expect(try await published(server).count == 2)
        await #expect(throws: KeyRing.UnknownKey.self) { try await ring.revoke(next, context: operatorCall) }
        #expect(try await server.refresh(session.refreshToken).status == 200)
    }

    @Test("are taken over from the store when another node rotates, and two nodes do not rotate twice")
    func otherNode() async throws {
        let server = try await TestServer.start()
        let environment = server.clock.environment()
        let core = server.core
        let other = try StoreKeys(core.settings, of: core.database, environment: environment).ring
        try await other.load()
        let old = try other.current().kid
        #expect(try server.core.keyRing.current().kid == old)
        let new = try await other.rotate(ifCurrentIs: old)
        #expect(try await server.core.keyRing.rotate(ifCurrentIs: old) == new)
        try await server.core.keyRing.refresh()
        let session = try server.session(try await server.call("signUp", [:]))
        #expect(try header(session)["kid"]?.string == new)
    }

    @Test("are sealed in the store, and a wrong master key stops the start")
    func sealed() async throws {
        let server = try await TestServer.start()
        let stored = try await server.core.database.read {
            try $0.query("SELECT private_key FROM signing_keys").map { try $0.text("private_key") }
        }
        #expect(stored.count == 2)
        #expect(stored.allSatisfy { !$0.contains("PRIVATE KEY") && !$0.hasPrefix("MII") })
        let environment = server.clock.environment()
        let sealer = TokenSealer(masterKey: try MasterKey(bytes: Array(repeating: 8, count: 32)), environment: environment)
        let core = server.core
        let ring = StoreKeys.ring(core.settings, of: core.database, sealer: sealer, environment: environment)
        await #expect(throws: KeyRing.CannotUnseal.self) { try await ring.load() }
    }

    @Test("and the documents name what the settings say, whatever host a request claims")
    func forgedHost() async throws {
        let server = try await TestServer.start(environment: ["POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com"])
        let headers = [("X-Forwarded-Host", "evil.example"), ("Forwarded", "host=evil.example")]
        // Below the path of Firebase's issuer, too, with and without its host.
        for place in ["", "/demo-test", "/securetoken.google.com/demo-test"] {
            let answer = try await server.client.get("\(place)/.well-known/openid-configuration", headers: headers)
            #expect(answer["issuer"] == "https://securetoken.google.com/demo-test", "\(place)")
            #expect(answer["jwks_uri"] == "https://auth.example.com/.well-known/jwks.json")
            #expect(answer.header("Cache-Control")?.hasPrefix("public, max-age=") == true)
        }
        #expect(try await server.client.get("/other/.well-known/openid-configuration", headers: headers).status == 404)
    }

    @Test(
        "of the other mode keep a server off the store (EMU-01)",
        arguments: Engine.allCases,
        [ServerMode.development, .production]
    )
    func otherMode(engine: Engine, mode: ServerMode) async throws {
        let server = try await TestServer.start(mode: mode, on: engine)
        let environment = server.core.environment
        let ring = KeyRing(
            database: server.core.database,
            sealer: TokenSealer(masterKey: try MasterKey(bytes: environment.random(32)), environment: environment),
            environment: environment,
            purpose: mode == .production ? .developmentIDToken : .idToken,
            tokenLifetime: .seconds(3600)
        )
        await #expect(throws: KeyRing.OtherMode.self) { try await ring.load() }
        try await ring.loadForCommand(makesKeys: true)
        #expect(!ring.isLoaded)
        #expect(try await server.core.database.read { try $0.signingKeyPurposes() }.count == 1)
    }
}
