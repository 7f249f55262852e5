import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Sessions of one account are bounded, and so is what is left of them (RES-05)", .teardown, .timeLimit(.minutes(15)))
struct SessionGrowthTests {
    private static let email = "owner@example.com"
    private static let limit = 2

    private func rows(of localID: String, in server: TestServer) async throws -> (live: Int, all: Int) {
        let ends = try await server.core.database.read { transaction in
            try transaction.query("SELECT revoked_at FROM sessions WHERE local_id = \(localID)").map {
                try $0.timestampIfPresent("revoked_at")
            }
        }
        return (ends.filter { $0 == nil }.count, ends.count)
    }

    @Test("by every way in, in a loop", arguments: Engine.allCases)
    func everyWay(engine: Engine) async throws {
        let environment = PlantingTests.environment.merging(["POSTERN_LIMITS_SESSIONS_PER_USER": "\(Self.limit)"]) { $1 }
        let server = try await TestServer.start(environment: environment, project: PlantingTests.project, on: engine)
        let user = try await server.verifiedUser(Self.email)
        // Whoever changes ways in needs a session that has not ended for newer ones.
        func fresh() async throws -> PlantingGround {
            server.clock.advance(by: .seconds(1))
            let session = try server.session(try await server.signIn(Self.email))
            return PlantingGround(server: server, account: session, email: Self.email)
        }
        _ = try await fresh().linkProvider()
        try await fresh().linkPhone()
        let ground = try await fresh()
        let passkey = SoftwareAuthenticator()
        #expect(try await ground.register(passkey, ground.passkeyChallenge()).status == 200)
        let minter = try await CustomTokenTests.Minter(on: server)
        let ways: [(name: String, signIn: () async throws -> Bool)] = [
            ("password", { try await ground.opens(server.signIn(Self.email)) }),
            ("provider", { try await ground.opens(server.signIn("oidc.other", ground.otherToken())) }),
            (
                "custom token",
                {
                    let token = try minter.token(user.localID)
                    return try await ground.opens(server.call("signInWithCustomToken", ["token": .string(token)]))
                }
            ),
            (
                "e-mail link",
                {
                    let email: JSONValue = ["email": .string(Self.email)]
                    let code = try await server.code("EMAIL_SIGNIN", email.merging(["continueUrl": "http://localhost"]))
                    let proof = email.merging(["oobCode": .string(code)])
                    return try await ground.opens(server.call("signInWithEmailLink", proof))
                }
            ),
            (
                "phone",
                {
                    let sent = try await server.sendCode(TestServer.testNumber)
                    let answer = try await server.signInWithPhone(sent["sessionInfo"], TestServer.testNumberCode)
                    return try ground.opens(answer)
                }
            ), ("passkey", { try await ground.signIn(passkey) }),
            (
                "second factor",
                {
                    try await ground.addFactor()
                    let pending = try await server.signIn(Self.email)["mfaPendingCredential"]
                    return try await ground.showFactor(pending ?? .null)
                }
            ),
        ]
        for (name, signIn) in ways {
            for _ in 0..<3 {
                server.clock.advance(by: .seconds(1))
                #expect(try await signIn(), "\(name)")
            }
            let found = try await rows(of: user.localID, in: server)
            #expect(found.live == Self.limit && found.all <= 2 * Self.limit, "\(name): \(found)")
        }
        // The first that ended are remembered, and the next day's first again.
        #expect(try await server.refresh(user.refreshToken).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.refresh(ground.account.refreshToken).errorMessage == "INVALID_REFRESH_TOKEN")
        let before = try await rows(of: user.localID, in: server).all
        server.clock.advance(by: .seconds(86_401))
        #expect(try await ways[5].signIn())
        #expect(try await rows(of: user.localID, in: server).all == before + 1)
    }

    @Test("refreshing begins none", arguments: Engine.allCases)
    func refresh(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let session = try server.session(try await server.call("signUp", [:]))
        for _ in 0..<3 { #expect(try await server.refresh(session.refreshToken).status == 200) }
        #expect(try await rows(of: session.localID, in: server).all == 1)
    }
}
