import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("What becomes of an operator's consent", .teardown, .timeLimit(.minutes(15)))
struct ConsentUseTests {
    private static let asked = "/console/approvals?done=approvalRequested"
    private static let tokens = "/console/service-accounts"
    private static let token = [("do", "createToken"), ("name", "robot"), ("users", "on"), ("days", "30")]

    private func start(on engine: Engine = .sqlite) async throws -> (TestServer, ConsoleClient, ConsoleClient) {
        let environment = ConsoleClient.environment.merging(["POSTERN_CONSOLE_APPROVALS": "true"]) { $1 }
        let server = try await TestServer.start(environment: environment, on: engine)
        let owner = try await ConsoleClient.enroll(server)
        let administrator = try await ConsoleClient.enroll(server, role: .administrator)
        server.clock.advance(by: .seconds(1))
        _ = try await owner.get("/console/users")
        return (server, owner, administrator)
    }

    /// Asks for consent to a form, which another operator gives.
    private func agree(
        to path: String,
        _ fields: [(String, String)],
        of owner: ConsoleClient,
        by other: ConsoleClient
    ) async throws {
        #expect(try await owner.post(path, fields).location == Self.asked)
        let page = try await other.get("/console/approvals")
        let id = try #require(page.field("id"), "\(page.html)")
        #expect(try await other.post("/console/approvals", [("do", "approve"), ("id", id)]).status == 303)
    }

    private func uses(_ server: TestServer) async throws -> Int { try await server.auditDetails("approvalUsed").count }

    @Test("an action that is refused leaves it, and the next try has it once", arguments: Engine.allCases)
    func refused(engine: Engine) async throws {
        let (server, owner, administrator) = try await start(on: engine)
        let core = server.core
        let registry = AdminTokenRegistry(
            database: core.database,
            environment: core.environment,
            context: .commandLine(projectID: "demo-test", tenant: nil)
        )
        let taken = try await registry.create("robot", scopes: .read, days: 1)
        try await agree(to: Self.tokens, Self.token, of: owner, by: administrator)
        let refusal = try await owner.post(Self.tokens, Self.token)
        #expect(refusal.status == 400 && refusal.html.contains("there is a token named robot"))
        #expect(try await uses(server) == 0)
        _ = try await registry.revoke(taken.record.tokenID)
        #expect(try await owner.post(Self.tokens, Self.token).html.contains("postern_admin_"))
        #expect(try await uses(server) == 1)
        #expect(try await owner.post(Self.tokens, Self.token).location == Self.asked)
    }

    @Test("an error of the store leaves it", arguments: Engine.allCases)
    func failed(engine: Engine) async throws {
        let (server, owner, administrator) = try await start(on: engine)
        try await agree(to: Self.tokens, Self.token, of: owner, by: administrator)
        _ = try await server.core.database.write { try $0.execute("ALTER TABLE admin_tokens RENAME TO lost_tokens") }
        #expect(try await owner.post(Self.tokens, Self.token).status == 500)
        _ = try await server.core.database.write { try $0.execute("ALTER TABLE lost_tokens RENAME TO admin_tokens") }
        #expect(try await uses(server) == 0)
        #expect(try await owner.post(Self.tokens, Self.token).html.contains("postern_admin_"))
    }

    @Test("two requests at once use it once", arguments: Engine.allCases)
    func twice(engine: Engine) async throws {
        let (server, owner, administrator) = try await start(on: engine)
        let rotate = [("do", "rotate"), ("confirmed", "yes")]
        let export = [("hashes", "yes"), ("format", "postern"), ("confirmed", "yes")]
        for (path, fields) in [("/console/keys", rotate), ("/console/exports", export)] {
            try await agree(to: path, fields, of: owner, by: administrator)
            let before = try await uses(server)
            let answers = try await withThrowingTaskGroup(of: ConsoleClient.Page.self) { group in
                for _ in 0..<4 { group.addTask { try await owner.post(path, fields) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // The others are asked for consent, or refused because an operator makes two files at a time.
            let others = answers.filter { $0.location == Self.asked || path.hasSuffix("exports") && $0.status == 503 }
            #expect(others.count == 3, "\(path): \(answers.map { ($0.status, $0.location) })")
            #expect(try await uses(server) == before + 1)
            // What the others asked for anew is withdrawn.
            for _ in 0..<2 {
                guard let id = try await owner.get("/console/approvals").field("id") else { break }
                _ = try await owner.post("/console/approvals", [("do", "reject"), ("id", id)])
            }
        }
        #expect(try await server.auditDetails("signingKeyRotated").count == 1)
        #expect(try await server.auditDetails("export").count == 1)
    }

    @Test("a change of operators that is refused leaves it")
    func operators() async throws {
        let (server, owner, administrator) = try await start()
        let directory = server.core.useCases.console.directory
        let all = try await directory.all()
        let id = try #require(all.first { $0.email == owner.email }).operatorID
        let path = "/console/operators/\(id)"
        let remove = [("way", "remove"), ("confirmed", "yes")]
        try await agree(to: path, remove, of: owner, by: administrator)
        // One owner at least stays.
        #expect(try await owner.post(path, remove).status == 400)
        #expect(try await uses(server) == 0)
        _ = try await ConsoleClient.enroll(server, email: "second@example.com")
        #expect(try await owner.post(path, remove).status == 303)
        #expect(try await uses(server) == 1)
        #expect(try await directory.all().map(\.email).contains(owner.email) == false)
    }

    @Test("users who cannot be deleted leave it, and the first deletion uses it", arguments: Engine.allCases)
    func deletion(engine: Engine) async throws {
        let (server, owner, administrator) = try await start(on: engine)
        let delete = [("do", "delete"), ("confirmed", "yes"), ("user", "ada"), ("user", "bob")]
        try await agree(to: "/console/users", delete, of: owner, by: administrator)
        #expect(try await owner.post("/console/users", delete).status == 400)
        #expect(try await uses(server) == 0)
        for user in ["ada", "bob"] {
            #expect(try await server.admin("accounts", ["localId": .string(user)]).status == 200)
        }
        #expect(try await owner.post("/console/users", delete).location == "/console/users?done=deleted")
        #expect(try await uses(server) == 1)
    }

    @Test("a run over a search uses it, also when it finds nobody at first", arguments: [true, false])
    func bulk(findsSomebody: Bool) async throws {
        let (server, owner, administrator) = try await start()
        #expect(try await server.admin("accounts", ["localId": "ada"]).status == 200)
        let path = "/console/users/bulk"
        let progress = try #require(try await owner.post(path, [("action", "delete")]).field("progress"))
        let begin = [("progress", progress), ("confirmed", "yes")]
        try await agree(to: path, begin, of: owner, by: administrator)
        if !findsSomebody {
            let one = [("do", "delete"), ("confirmed", "yes"), ("user", "ada")]
            #expect(try await owner.post("/console/users", one).status == 303)
        }
        #expect(try await owner.post(path, begin).status == 200)
        #expect(try await uses(server) == 1)
        #expect(try await server.user("ada") == nil)
        #expect(try await owner.post(path, begin).location == Self.asked)
    }

    @Test("a step of a run that is sent again changes nobody beyond what was agreed to", arguments: Engine.allCases)
    func replayed(engine: Engine) async throws {
        let (server, owner, administrator) = try await start(on: engine)
        func add(_ range: Range<Int>) async throws {
            try await server.core.database.write { transaction throws in
                for number in range {
                    let user = AccountRecord(localID: "u\(number)", createdAt: server.clock.now)
                    try transaction.insertAccount(Scope(projectID: "demo-test"), user)
                }
            }
        }
        func count() async throws -> Int64? {
            try await server.core.database.read { try $0.queryOne("SELECT count(*) AS n FROM accounts")?.integer("n") }
        }
        try await add(1000..<1151)
        let path = "/console/users/bulk"
        let found = try #require(try await owner.post(path, [("action", "delete")]).field("progress"))
        try await agree(to: path, [("progress", found), ("confirmed", "yes")], of: owner, by: administrator)
        let begun = try await owner.post(path, [("progress", found), ("confirmed", "yes")])
        let step = try #require(begun.field("progress"), "\(begun.html)")
        #expect(try await count() == 51)
        #expect(try await owner.post(path, [("progress", step)]).status == 200)
        #expect(try await count() == 0)
        // Users who match only now, wherever the step's place in the order of the users is.
        try await add(0..<200)
        try await add(2000..<2200)
        for _ in 0..<3 { #expect(try await owner.post(path, [("progress", step)]).status == 200) }
        #expect(try await count() == 400)
        #expect(try await owner.post(path, [("progress", found), ("confirmed", "yes")]).location == Self.asked)
    }
}
