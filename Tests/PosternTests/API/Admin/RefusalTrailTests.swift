import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Refusals in the audit trail", .teardown, .timeLimit(.minutes(15)))
struct RefusalTrailTests {
    private struct Record: Equatable {
        let code: String
        let localID: String?
        let address: String?
        let repeats: Int64
        var requestID: String?
    }

    private static let email = "ada@example.com"

    private func records(_ server: TestServer) async throws -> [Record] {
        await server.recordRefusals()
        return try await server.core.database.read { transaction in
            try transaction.query(
                "SELECT local_id, address, detail, repeats FROM audit_events WHERE event = 'refused' ORDER BY occurred_at, event_id"
            ).map { row in
                let detail = try JSONValue.parse(row.text("detail").utf8)
                return Record(
                    code: detail["code"]?.string ?? "",
                    localID: try row.textIfPresent("local_id"),
                    address: try row.textIfPresent("address"),
                    repeats: try row.integer("repeats"),
                    requestID: detail["requestId"]?.string
                )
            }
        }
    }

    private func post(_ server: TestServer, _ method: String, _ body: JSONValue, _ id: String) async throws -> TestClient.Answer {
        try await server.client.post(
            "/v1/accounts:\(method)?key=\(TestServer.apiKey)",
            body,
            headers: [("X-Request-Id", id), ("X-Forwarded-For", "192.0.2.1")]
        )
    }

    @Test(
        "have code, account, address and request id: a wrong password, a throttled try, a refused refresh, a wrong bearer",
        arguments: Engine.allCases
    )
    func facts(engine: Engine) async throws {
        let environment = ["POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.1", "POSTERN_LIMITS_PASSWORD_FAILURES_PER_ACCOUNT": "1"]
        let server = try await TestServer.start(environment: environment, project: TestServer.emailProject(), on: engine)
        let user = try await server.signUp(Self.email)
        let wrong: JSONValue = ["email": .string(Self.email), "password": "wrong"]
        #expect(try await post(server, "signInWithPassword", wrong, "one").errorMessage == "INVALID_PASSWORD")
        server.clock.advance(by: .seconds(1))
        let throttled = try await post(server, "signInWithPassword", wrong, "two")
        #expect(throttled.errorMessage == "INVALID_PASSWORD")
        #expect(try await post(server, "signInWithPassword", wrong, "three").errorMessage?.hasPrefix("TOO_MANY") == true)
        server.clock.advance(by: .seconds(61))
        #expect(try await post(server, "update", ["idToken": .string(user.idToken), "email": "no"], "four").status == 400)
        _ = try await server.callAsAdmin("update", ["localId": .string(user.localID), "disableUser": true])
        #expect(try await server.refresh(user.refreshToken).errorMessage == "USER_DISABLED")
        #expect(try await server.refresh("made-up").errorMessage == "INVALID_REFRESH_TOKEN")
        #expect(try await server.client.get("/metrics", headers: [("Authorization", "Bearer x")]).status == 401)
        let found = try await records(server)
        let here = "127.0.0.1"
        for expected in [
            Record(code: "INVALID_PASSWORD", localID: user.localID, address: "192.0.2.1", repeats: 1),
            Record(code: "TOO_MANY_ATTEMPTS_TRY_LATER", localID: user.localID, address: "192.0.2.1", repeats: 0),
            Record(code: "INVALID_EMAIL", localID: user.localID, address: "192.0.2.1", repeats: 0),
            Record(code: "USER_DISABLED", localID: user.localID, address: here, repeats: 0),
            Record(code: "INVALID_REFRESH_TOKEN", localID: nil, address: here, repeats: 0),
            Record(code: "authError", localID: nil, address: here, repeats: 0),
        ] {
            #expect(
                found.contains {
                    var record = $0
                    record.requestID = nil
                    return record == expected && $0.requestID != nil
                },
                "\(expected) in \(found)"
            )
        }
        #expect(found.contains { $0.requestID == "one" } && !found.contains { $0.requestID == "two" })
        #expect(found.count == 6)
    }

    @Test(
        "name the account of a wrong or expired code, by text message or by mail, and none where the code leads to none",
        arguments: Engine.allCases
    )
    func codes(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.phoneProject(), on: engine)
        func newest(_ code: String) async throws -> [String?] {
            server.clock.advance(by: .seconds(61))
            return try await records(server).filter { $0.code == code }.map(\.localID)
        }
        let owner = try await server.phoneSession()
        let sent = try await server.sendCode(TestServer.testNumber)
        #expect(try await server.signInWithPhone(sent["sessionInfo"], "000000").errorMessage == "INVALID_CODE")
        #expect(try await newest("INVALID_CODE") == [owner.localID])
        // Nobody has this number.
        let free = try await server.sendCode("+16505550102")
        #expect(try await server.signInWithPhone(free["sessionInfo"], "000000").errorMessage == "INVALID_CODE")
        #expect(try await newest("INVALID_CODE") == [owner.localID, nil])
        // A caller with a token is refused as itself.
        let caller = try await server.signUp(Self.email)
        let again = try await server.sendCode(TestServer.testNumber)
        #expect(try await server.signInWithPhone(again["sessionInfo"], "000000", caller.token).errorMessage == "INVALID_CODE")
        #expect(try await newest("INVALID_CODE") == [owner.localID, nil, caller.localID])
        server.clock.advance(by: .seconds(700))
        #expect(try await server.signInWithPhone(sent["sessionInfo"], "000000").errorMessage == "SESSION_EXPIRED")
        #expect(try await newest("SESSION_EXPIRED") == [owner.localID])

        let reset = try await server.code("PASSWORD_RESET", ["email": .string(Self.email)])
        let verify = try await server.code("VERIFY_EMAIL", caller.token)
        // The right code at the wrong place, then too late; and one that was never made.
        #expect(try await server.call("update", ["oobCode": .string(reset)]).errorMessage == "INVALID_OOB_CODE")
        let misused = try await server.call("resetPassword", ["oobCode": .string(verify), "newPassword": "secret-2"])
        #expect(misused.errorMessage == "INVALID_OOB_CODE")
        #expect(try await newest("INVALID_OOB_CODE") == [caller.localID])
        #expect(try await server.call("resetPassword", ["oobCode": "made-up"]).errorMessage == "INVALID_OOB_CODE")
        #expect(try await newest("INVALID_OOB_CODE") == [caller.localID, nil])
        server.clock.advance(by: .seconds(3600))
        let late = try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"])
        #expect(late.errorMessage == "EXPIRED_OOB_CODE")
        #expect(try await newest("EXPIRED_OOB_CODE") == [caller.localID])
    }

    @Test("name no account to a stranger: known and unknown addresses are answered and logged alike")
    func enumeration() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(hidesAccounts: true))
        let user = try await server.signUp(Self.email)
        var answers: [String] = []
        for email in [Self.email, "nobody@example.com"] {
            let before = server.log.lines.count
            let answer = try await server.signIn(email, password: "wrong")
            #expect(server.log.lines.dropFirst(before).allSatisfy { !$0.contains(user.localID) && !$0.contains(email) })
            answers.append(answer.json.text)
        }
        #expect(answers[0] == answers[1])
        #expect(try await Set(records(server).map(\.localID)) == [user.localID, nil])
    }

    @Test("of invented tenants are the project's, and equal ones of a minute are one record")
    func coalescing() async throws {
        let server = try await TestServer.start()
        for number in 0..<100 {
            #expect(try await server.refresh("made-up \(number)").status == 400)
            #expect(try await server.call("signUp", ["tenantId": .string("tenant-\(number)")]).status == 400)
        }
        let found = try await records(server)
        #expect(Set(found.map(\.code)) == ["INVALID_REFRESH_TOKEN", "INVALID_TENANT_ID"])
        #expect(found.reduce(0) { $0 + $1.repeats + 1 } == 200 && found.count == 2)
        let tenants = try await server.core.database.read { try $0.query("SELECT DISTINCT tenant_id FROM audit_events") }
        #expect(try tenants.map { try $0.text("tenant_id") } == [""])
        server.clock.advance(by: .seconds(61))
        _ = try await server.refresh("made-up")
        #expect(try await records(server).count == 3)
    }

    @Test("of more networks than a node records in a minute are counted by their codes, and none is lost")
    func flood() async throws {
        let server = try await TestServer.start()
        let refusals = server.core.useCases.refusals
        for number in 0..<1500 {
            let context = CallContext(scope: Scope(projectID: "demo-test"), address: "10.0.\(number / 250).\(number % 250)")
            refusals.record(RefusedCall("INVALID_PASSWORD", subject: nil, context: context))
        }
        let found = try await records(server)
        #expect(found.reduce(0) { $0 + $1.repeats + 1 } == 1500)
        #expect(found.count <= 1201)
        #expect(found.count { $0.address == nil } == 1)
    }

    @Test("of an account keep their addresses: an attacker is not hidden behind twenty wrong passwords from elsewhere")
    func hiding() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let user = try await server.signUp(Self.email)
        let refusals = server.core.useCases.refusals
        for (address, count) in (1...20).map({ ("192.0.2.\($0)", 1) }) + [("203.0.113.99", 5)] {
            for _ in 0..<count {
                let context = CallContext(scope: Scope(projectID: "demo-test"), address: address)
                refusals.record(RefusedCall("INVALID_PASSWORD", subject: .account(user.localID), context: context))
            }
            await server.recordRefusals()
        }
        let found = try await records(server)
        #expect(found.count == 21 && found.allSatisfy { $0.localID == user.localID })
        #expect(found.filter { $0.repeats > 0 }.map(\.address) == ["203.0.113.99"])
        #expect(found.map(\.repeats).max() == 4)
    }

    @Test("of one network that changes its address within it are counted by their code, and on no other address's record")
    func sharedNetwork() async throws {
        let server = try await TestServer.start()
        let refusals = server.core.useCases.refusals
        for number in 0..<100 {
            let context = CallContext(scope: Scope(projectID: "demo-test"), address: "2001:db8::\(number)")
            refusals.record(RefusedCall("INVALID_PASSWORD", subject: nil, context: context))
        }
        let found = try await records(server)
        #expect(found.count == 65)
        #expect(found.filter { $0.address != nil }.allSatisfy { $0.repeats == 0 })
        #expect(found.filter { $0.address == nil }.map(\.repeats) == [35])
        #expect(try await server.auditDetails("refused").count { $0["beyondLimit"] == true } == 1)
    }

    @Test("that the store refuses hold up no others, and are counted as lost")
    func poison() async throws {
        let server = try await TestServer.start()
        try await server.core.database.write { transaction throws in
            let trigger: SQL = """
                CREATE TRIGGER poison BEFORE INSERT ON audit_events WHEN NEW.detail LIKE '%POISON%'
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """
            _ = try transaction.execute(trigger)
        }
        let refusals = server.core.useCases.refusals
        for code in ["INVALID_PASSWORD", "POISON", "EMAIL_NOT_FOUND"] {
            let context = CallContext(scope: Scope(projectID: "demo-test"), address: "192.0.2.1")
            refusals.record(RefusedCall(code, subject: nil, context: context))
        }
        #expect(try await Set(records(server).map(\.code)) == ["INVALID_PASSWORD", "EMAIL_NOT_FOUND"])
        let metrics = try await server.client.get("/metrics", headers: TestServer.bearer)
        #expect(String(decoding: metrics.bytes, as: UTF8.self).contains("postern_audit_dropped_total 1\n"))
    }

    @Test("answer at once while the store takes none, wait within bounds, and are written later")
    func awayStore() async throws {
        let server = try await TestServer.start()
        try await server.core.database.write { _ = try $0.execute("ALTER TABLE audit_events RENAME TO away") }
        #expect(try await server.refresh("made-up").errorMessage == "INVALID_REFRESH_TOKEN")
        for _ in 0..<2 { await server.recordRefusals() }
        #expect(server.log.lines.count { $0.contains("refusals wait for the audit trail") } == 1)
        let refusals = server.core.useCases.refusals
        for number in 0..<3000 {
            let context = CallContext(scope: Scope(projectID: "demo-test"), address: "10.\(number / 250).0.\(number % 250)")
            refusals.record(RefusedCall("INVALID_PASSWORD", subject: nil, context: context))
        }
        let metrics = try await server.client.get("/metrics", headers: TestServer.bearer)
        #expect(String(decoding: metrics.bytes, as: UTF8.self).contains("postern_audit_dropped_total 953\n"))
        try await server.core.database.write { _ = try $0.execute("ALTER TABLE away RENAME TO audit_events") }
        #expect(try await records(server).contains { $0.code == "INVALID_REFRESH_TOKEN" })
    }

    @Test("end when an operator unlocks the account: the next try is not held up", arguments: Engine.allCases)
    func unlocking(engine: Engine) async throws {
        let environment = ["POSTERN_LIMITS_PASSWORD_FAILURES_PER_ACCOUNT": "1"]
        let server = try await TestServer.start(environment: environment, project: TestServer.emailProject(), on: engine)
        let user = try await server.signUp(Self.email)
        #expect(try await server.signIn(Self.email).status == 200)
        for _ in 0..<2 { #expect(try await server.signIn(Self.email, password: "wrong").status == 400) }
        #expect(try await server.signIn(Self.email).errorMessage?.hasPrefix("TOO_MANY") == true)
        let scope = Scope(projectID: "demo-test")
        let context = CallContext(scope: scope, isPrivileged: true, actor: "cli")
        let account = try #require(try await server.core.database.read { try $0.account(scope, localID: user.localID) })
        #expect(try await server.core.useCases.operators.unlocking.unlock(account, context: context))
        #expect(try await server.signIn(Self.email).status == 200)
        #expect(try await !server.core.useCases.operators.unlocking.unlock(account, context: context))
    }
}
