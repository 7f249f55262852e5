import Foundation
import Migrations
import Project
import Storage
import TestKit
import Testing

@Suite("Servers on PostgreSQL as processes", .teardown, .timeLimit(.minutes(15)))
struct PostgreSQLProcessTests {
    /// An account that a client got as an answer.
    private struct Acknowledged: Sendable {
        let localID: String
        let refreshToken: String
    }

    private func environment(_ uri: String) -> [String: String] {
        [
            "POSTERN_MODE": "development", "POSTERN_SERVER_PORT": "0", "POSTERN_PROJECT_FILE": "", "POSTERN_DATABASE_URL": uri,
            "POSTERN_DATABASE_POOL_SIZE": "8", "POSTERN_DEVELOPMENT_SIGN_TOKENS": "true",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(), "POSTERN_LOG_LEVEL": "critical",
        ]
    }

    /// A first sign-in of one of a few users, who use all nodes at the same time.
    private func signIn(_ client: TestClient, user: Int) async throws -> TestClient.Answer {
        let token: JSONValue = [
            "sub": .string("user-\(user)"), "email": .string("user-\(user)@example.com"), "email_verified": true,
        ]
        let form = TestClient.encode([("providerId", "google.com"), ("id_token", token.text)])
        return try await client.post(
            "/v1/accounts:signInWithIdp?key=k",
            ["requestUri": "http://localhost", "postBody": .string(form)]
        )
    }

    private func verify(_ acknowledged: [Acknowledged], _ uri: String) async throws {
        let database = try PostgreSQLDatabase(
            uri: uri,
            limits: .init(connections: 2, patience: .seconds(600)),
            logger: LogCapture().logger()
        )
        let scope = Scope(projectID: "demo-postern")
        try await database.read { transaction in
            for told in acknowledged {
                #expect(try transaction.account(scope, localID: told.localID) != nil)
                #expect(try transaction.session(tokenHash: sha256(told.refreshToken.utf8))?.localID == told.localID)
            }
            let twins = try transaction.query(
                "SELECT email FROM accounts GROUP BY email HAVING count(*) > 1 AND email IS NOT NULL"
            )
            #expect(twins.isEmpty)
            let halves = try transaction.query(
                "SELECT local_id FROM accounts WHERE local_id NOT IN (SELECT local_id FROM sessions)"
            )
            #expect(halves.isEmpty)
        }
        try await database.close()
    }

    @Test("a node that is killed under load takes nothing with it, and the other one goes on", .timeLimit(.minutes(15)))
    func killedNode() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        let directory = try await makeTemporaryDirectory()
        let variables = environment(server.uri())
        let nodes = try (0..<2).map { _ in try ServerProcess(["serve"], environment: variables, directory: directory) }
        let doomed = TestClient(try await nodes[0].waitUntilReady())
        let survivor = TestClient(try await nodes[1].waitUntilReady())
        let (kills, killed) = AsyncStream.makeStream(of: Void.self)
        let acknowledged = try await withThrowingTaskGroup(of: [Acknowledged].self) { tasks in
            for worker in 0..<16 {
                let isDoomed = worker.isMultiple(of: 2)
                tasks.addTask {
                    // Any end of this task releases those that wait for it.
                    defer { if isDoomed { killed.yield() } }
                    var own: [Acknowledged] = []
                    var round = 0
                    while isDoomed || round < 60 {
                        guard let answer = try? await signIn(isDoomed ? doomed : survivor, user: round % 60) else {
                            // Only the node that was killed may fail to answer.
                            #expect(isDoomed)
                            break
                        }
                        // A node that is too busy answers 503.
                        #expect([200, 503].contains(answer.status))
                        if answer.status == 200 { own.append(Self.acknowledged(answer)) }
                        round += 1
                        if isDoomed, own.count == 20 { killed.yield() }
                    }
                    return own
                }
            }
            tasks.addTask {
                for await _ in kills { break }
                #expect(await nodes[0].kill() == SIGKILL)
                return []
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(acknowledged.count > 16)
        try await verify(acknowledged, server.uri())
        try await eventually { try await signIn(survivor, user: 0).status == 200 }
        #expect(await nodes[1].terminate() == 0)
    }

    private static func acknowledged(_ answer: TestClient.Answer) -> Acknowledged {
        Acknowledged(localID: answer["localId"]?.string ?? "", refreshToken: answer["refreshToken"]?.string ?? "")
    }

    @Test(
        "a restart of PostgreSQL under load is answered with 503, then all is as before",
        .timeLimit(.minutes(15)),
        arguments: [false, true]
    )
    func restartedServer(isCrash: Bool) async throws {
        let server = try await ThrowawayPostgreSQL.own()
        let directory = try await makeTemporaryDirectory()
        let node = try ServerProcess(["serve"], environment: environment(server.uri()), directory: directory)
        let client = TestClient(try await node.waitUntilReady())
        let isOver = LockedState(false)
        let working = LockedState(8)
        let acknowledged = try await withThrowingTaskGroup(of: [Acknowledged].self) { tasks in
            for worker in 0..<8 {
                tasks.addTask {
                    defer { working.withLock { $0 -= 1 } }
                    var own: [Acknowledged] = []
                    var round = 0
                    while !isOver.withLock({ $0 }) {
                        let answer = try await signIn(client, user: worker * 10_000 + round)
                        #expect([200, 503].contains(answer.status))
                        if answer.status == 200 { own.append(Self.acknowledged(answer)) }
                        round += 1
                    }
                    return own
                }
            }
            tasks.addTask {
                while try await signIn(client, user: -1).status != 200 {}
                try await isCrash ? server.crash() : server.stop()
                let refused = try await signIn(client, user: -2)
                #expect(refused.status == 503)
                #expect(refused["error"]?["status"] == "UNAVAILABLE")
                #expect(try await client.get("/readyz").status == 503)
                #expect(try await client.get("/healthz").status == 200)
                try await server.start()
                // No other call may delay the next one.
                isOver.withLock { $0 = true }
                try await eventually { working.withLock { $0 } == 0 }
                // The call has to wait for the server only: calls after it reconnect at once.
                let recovered = try await signIn(client, user: -3)
                #expect(recovered.status == 200)
                return [Self.acknowledged(recovered)]
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(acknowledged.count > 1)
        try await verify(acknowledged, server.uri())
        #expect(await node.terminate() == 0)
    }

    @Test("a frozen PostgreSQL holds no call and no health check, and costs the log a line and not one for each call")
    func frozenServer() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        let directory = try await makeTemporaryDirectory()
        let variables = environment(server.uri()).merging(["POSTERN_LOG_LEVEL": "error"]) { $1 }
        let node = try ServerProcess(["serve"], environment: variables, directory: directory)
        let client = TestClient(try await node.waitUntilReady())
        while try await signIn(client, user: -1).status != 200 {}
        try await server.freeze()
        // Nothing thaws the server before all of them have been answered.
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for user in 0..<24 {
                tasks.addTask {
                    let start = ContinuousClock.now
                    let answer = try await signIn(client, user: user)
                    #expect(answer.status == 503)
                    // Without the bound of an answer it was 25 seconds.
                    #expect(ContinuousClock.now - start < .seconds(20))
                }
            }
            for _ in 0..<8 {
                tasks.addTask {
                    let (ready, alive) = (try await client.get("/readyz"), try await client.get("/healthz"))
                    #expect(ready.status == 503)
                    #expect(alive.status == 200)
                }
            }
            try await tasks.waitForAll()
        }
        #expect(node.printed.matches(of: /the store refuses calls/).count == 1)
        let errors = node.printed.split(separator: "\n").filter { $0.contains(" error ") }
        #expect(errors.count < 8, "\(errors)")
        try await server.thaw()
        try await eventually { try await client.get("/readyz").status == 200 }
        try await eventually { try await signIn(client, user: 0).status == 200 }
        #expect(await node.terminate() == 0)
    }

    @Test("a PostgreSQL that accepts no connection holds no call, however long libpq would wait for it")
    func silentHost() async throws {
        let server = try await ThrowawayPostgreSQL.own()
        let directory = try await makeTemporaryDirectory()
        let variables = environment(server.uri() + "&connect_timeout=3600").merging(
            ["POSTERN_DATABASE_ANSWER_SECONDS": "1"]
        ) { $1 }
        let node = try ServerProcess(["serve"], environment: variables, directory: directory)
        let client = TestClient(try await node.waitUntilReady())
        while try await signIn(client, user: -1).status != 200 {}
        try await server.freeze()
        // The first one gives its connection up. The others need new ones, which only the thawed server accepts.
        for user in 0..<3 { #expect(try await signIn(client, user: user).status == 503) }
        try await server.thaw()
        try await eventually { try await signIn(client, user: 0).status == 200 }
        #expect(await node.terminate() == 0)
    }

    @Test("nodes that start at once on an empty database migrate it once and share their keys", .timeLimit(.minutes(15)))
    func startTogether() async throws {
        let uri = try await ThrowawayPostgreSQL.shared().makeDatabase()
        let directory = try await makeTemporaryDirectory()
        let nodes = try (0..<4).map { _ in
            try ServerProcess(["serve"], environment: environment(uri), directory: directory)
        }
        var keySets: Set<Set<String>> = []
        for node in nodes {
            let client = TestClient(try await node.waitUntilReady())
            let keys = try #require(try await client.get("/.well-known/jwks.json")["keys"]?.array)
            keySets.insert(Set(keys.compactMap { $0["kid"]?.string }))
        }
        #expect(keySets.count == 1)
        #expect(keySets.first?.count == 2)
        let database = try PostgreSQLDatabase(
            uri: uri,
            limits: .init(connections: 1, patience: .seconds(600)),
            logger: LogCapture().logger()
        )
        let migrations = try await database.read { try $0.query("SELECT version FROM schema_migrations").count }
        #expect(migrations == MigrationStep.all.count)
        try await database.close()
        for node in nodes { #expect(await node.terminate() == 0) }
    }

    @Test("migrate and keys work on it, and a generated master key outlives the process")
    func commands() async throws {
        let uri = try await ThrowawayPostgreSQL.shared().makeDatabase()
        let directory = try await makeTemporaryDirectory()
        var variables = environment(uri)
        variables["POSTERN_SECRETS_MASTER_KEY"] = nil
        for expected in ["applied 1 initial", "up to date"] {
            let migrate = try ServerProcess(["migrate"], environment: variables, directory: directory)
            let (code, text) = await migrate.waitForOutput()
            #expect(code == 0)
            #expect(text.contains(expected))
        }
        for _ in 0..<2 {
            let keys = try ServerProcess(["keys", "list"], environment: variables, directory: directory)
            #expect(await keys.waitForExit() == 0)
        }
    }
}
