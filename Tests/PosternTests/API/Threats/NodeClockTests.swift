import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("Nodes whose clocks are apart (OPS-11)", .teardown, .timeLimit(.minutes(15)))
struct NodeClockTests {
    private static let scope = Scope(projectID: "demo-test")

    /// Two nodes on one store; the second one's clock is so many seconds ahead.
    private func makeNodes(_ skew: Int, on engine: Engine) async throws -> (TestServer, TestServer) {
        let environment = ["POSTERN_DATABASE_URL": try await TestServer.makeSharedStore(on: engine)]
        let project = TestServer.emailProject()
        let first = try await TestServer.start(environment: environment, project: project)
        let second = try await TestServer.start(environment: environment, project: project)
        second.clock.advance(by: .seconds(skew))
        // Each node must know the keys that the other has made.
        try await first.core.keyRing.refresh()
        try await second.core.keyRing.refresh()
        return (first, second)
    }

    private func expectAlive(_ session: TestServer.Session, _ nodes: [TestServer], _ note: String) async throws {
        for node in nodes {
            let answer = try await node.call("lookup", ["idToken": .string(session.idToken)])
            #expect(answer.status == 200, "\(note) \(answer.json)")
            let validSince = try #require(answer["users"]?[0]?["validSince"]?.string.flatMap { Int64($0) })
            let refreshed = try await node.refresh(session.refreshToken)
            #expect(refreshed.status == 200, "\(note) \(refreshed.json)")
            for token in [session.idToken, refreshed["id_token"]?.string ?? ""] {
                let payload = try node.payload(token)
                #expect(payload["iat"]?.integer ?? 0 >= validSince, "\(note)")
                #expect(payload["auth_time"]?.integer ?? 0 >= validSince, "\(note)")
                #expect(payload["iat"]?.integer ?? 0 >= payload["auth_time"]?.integer ?? .max, "\(note)")
            }
        }
    }

    @Test("let live what they acknowledge, and nothing that they have ended", arguments: [-5, -1, 1, 5], Engine.allCases)
    func acknowledged(skew: Int, engine: Engine) async throws {
        let (changing, other) = try await makeNodes(skew, on: engine)
        let nodes = [changing, other]
        var password = "secret-1"
        let email = "a@b.c"
        var stolen = try await changing.signUp(email)
        for change in ["password", "reset", "revocation", "ownRevocation", "disabled"] {
            let account: JSONValue = ["localId": .string(stolen.localID)]
            // A session of the other node, whose clock may be ahead of the change.
            let elsewhere = try other.session(try await other.signIn(email, password: password))
            try await expectAlive(elsewhere, nodes, change)
            switch change {
            case "password":
                password = "secret-2"
                let body = account.merging(["password": .string(password)])
                #expect(try await changing.callAsAdmin("update", body).status == 200)
            case "reset":
                password = "secret-3"
                let code = try await other.code("PASSWORD_RESET", ["email": .string(email)])
                let body: JSONValue = ["oobCode": .string(code), "newPassword": .string(password)]
                #expect(try await changing.call("resetPassword", body).status == 200)
                #expect(try await other.call("resetPassword", body).errorMessage == "INVALID_OOB_CODE")
            case "revocation":
                let now = JSONValue.string(String(changing.clock.now.seconds))
                #expect(try await other.callAsAdmin("update", account.merging(["validSince": now])).status == 200)
            case "ownRevocation":
                let body: JSONValue = ["idToken": .string(elsewhere.idToken), "validSince": "1"]
                _ = try changing.session(try await changing.call("update", body))
            default:
                for isOff in [true, false] {
                    let body = account.merging(["disableUser": .bool(isOff)])
                    #expect(try await changing.callAsAdmin("update", body).status == 200)
                }
            }
            for ended in [stolen, elsewhere] {
                for node in nodes {
                    let answer = try await node.call("lookup", ["idToken": .string(ended.idToken)])
                    #expect(answer.errorMessage == "TOKEN_EXPIRED", "\(change) \(answer.json)")
                    #expect(try await node.refresh(ended.refreshToken).errorMessage == "TOKEN_EXPIRED", "\(change)")
                }
            }
            for node in nodes {
                stolen = try node.session(try await node.signIn(email, password: password))
                try await expectAlive(stolen, nodes, change)
            }
        }
    }

    @Test("apply codes that the other one made after the account's tokens ended", arguments: [-5, 5], Engine.allCases)
    func codes(skew: Int, engine: Engine) async throws {
        let (changing, other) = try await makeNodes(skew, on: engine)
        // Its time is that of the faster clock.
        _ = try await changing.signUp("a@b.c")
        let session = try other.session(try await other.signIn("a@b.c"))
        let code = try await other.code("VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(session.idToken), "newEmail": "b@b.c"])
        #expect(try await changing.call("update", ["oobCode": .string(code)])["email"] == "b@b.c")
        #expect(try await other.call("update", ["oobCode": .string(code)]).errorMessage == "INVALID_OOB_CODE")
    }

    @Test("set no moment back from which tokens are valid")
    func validSince() async throws {
        let (slow, fast) = try await makeNodes(5, on: .sqlite)
        let session = try await fast.signUp("a@b.c")
        let set = try await slow.account(session)["validSince"]
        let answer = try await slow.call("update", ["idToken": .string(session.idToken), "password": "secret-2"])
        let next = try slow.session(answer)
        #expect(try await slow.account(next)["validSince"] == set)
        // A time far ahead is not explained by clocks.
        let future = JSONValue.string(String(slow.clock.now.seconds + 3600))
        #expect(try await slow.callAsAdmin("update", ["localId": .string(session.localID), "validSince": future]).status == 200)
        #expect(
            try await slow.callAsAdmin("update", ["localId": .string(session.localID), "password": "secret-3"]).status == 200
        )
        let late = try slow.session(try await slow.signIn("a@b.c", password: "secret-3"))
        #expect(try await slow.account(late)["validSince"] == .string(String(slow.clock.now.seconds)))
    }
}
