import Accounts
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A clock that jumps (OPS-03)", .teardown)
struct ClockTests {
    @Test("makes tokens from the future good for nothing, also those that were verified before, and ends no session")
    func back() async throws {
        let server = try await TestServer.start()
        let session = try server.session(try await server.call("signUp", [:]))
        #expect(try await server.call("lookup", session.token).status == 200)
        server.clock.advance(by: .seconds(-60))
        #expect(try await server.call("lookup", session.token).status == 200)
        server.clock.advance(by: .seconds(-3600))
        #expect(try await server.call("lookup", session.token).errorMessage == "INVALID_ID_TOKEN")
        #expect(try await server.refresh(session.refreshToken).status == 200)
        server.clock.advance(by: .seconds(3660))
        #expect(try await server.call("lookup", session.token).status == 200)
    }

    @Test("removes nothing and lets no count begin anew until it is right again, and monitors see it", arguments: Engine.allCases)
    func pause(engine: Engine) async throws {
        let email = "user@example.com"
        let limit = ["POSTERN_LIMITS_PASSWORD_FAILURES_PER_ACCOUNT": "1", "POSTERN_LIMITS_AUDIT_DAYS": "10"]
        let server = try await TestServer.start(environment: limit, project: TestServer.emailProject(), on: engine)
        _ = try await server.signUp(email)
        server.clock.advance(by: .seconds(121))
        _ = try await server.core.auditSequencer.sequence()
        let scope = Scope(projectID: "demo-test")
        let expiry = server.clock.now.advanced(by: .seconds(600))
        _ = try await server.core.database.write { try $0.useCredential(scope, hash: [1], expiresAt: expiry) }
        try await server.core.clock.review(server.core.database)
        for jump in [Duration.seconds(86_400 * 500), .seconds(10_800), .seconds(-10_800)] {
            for _ in 0..<3 { _ = try await server.signIn(email, password: "wrong") }
            let records = try await server.core.database.read { try $0.auditEvents(scope, AuditFilter(limit: 1000)).count }
            server.clock.jump(by: jump)
            #expect(try await server.signIn(email).errorMessage?.hasPrefix("TOO_MANY") == true, "\(jump)")
            #expect(try await server.core.expiredRows.remove() == nil)
            #expect(try await isPaused(server))
            let metrics = try await server.client.get("/metrics", headers: TestServer.bearer)
            #expect(String(decoding: metrics.bytes, as: UTF8.self).contains("postern_clock_believed 0\n"))
            server.clock.jump(by: .zero - jump)
            try await server.core.clock.review(server.core.database)
            #expect(try await !isPaused(server))
            try await server.core.database.write { transaction throws in
                #expect(try !transaction.useCredential(scope, hash: [1], expiresAt: expiry))
                #expect(try transaction.auditEvents(scope, AuditFilter(limit: 1000)).count >= records)
            }
            #expect(try await server.signIn(email).errorMessage?.hasPrefix("TOO_MANY") == true)
        }
    }

    private func isPaused(_ server: TestServer) async throws -> Bool {
        let answer = try await server.client.get("/readyz")
        #expect(answer.status == 200)
        return answer["warnings"]?.array?.contains { $0.string?.contains("clock has jumped") == true } == true
    }
}
