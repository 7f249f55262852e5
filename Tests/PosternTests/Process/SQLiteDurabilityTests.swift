import Foundation
import Project
import Storage
import TestKit
import Testing

/// The accounts that a server has confirmed.
private struct Acknowledged: Sendable {
    let localID: String
    let refreshToken: String
}

@Suite("An SQLite store", .teardown, .timeLimit(.minutes(15)))
struct SQLiteDurabilityTests {
    private static let project = Scope(projectID: "demo-postern")

    private func environment(_ store: String) -> [String: String] {
        [
            "POSTERN_MODE": "development", "POSTERN_SERVER_PORT": "0", "POSTERN_PROJECT_FILE": "",
            "POSTERN_DATABASE_URL": "sqlite:\(store)", "POSTERN_LOG_LEVEL": "error",
        ]
    }

    /// Signs up until the server is gone or `limit` is reached, and reports each confirmed account.
    private func load(
        _ client: TestClient,
        writers: Int,
        limit: Int = .max,
        tell: @escaping @Sendable () -> Void = {}
    ) async -> [Acknowledged] {
        await withTaskGroup(of: [Acknowledged].self) { tasks in
            for _ in 0..<writers {
                tasks.addTask {
                    var own: [Acknowledged] = []
                    while own.count < limit / writers, let answer = try? await client.post("/v1/accounts:signUp?key=k", [:]),
                        let localID = answer["localId"]?.string, let token = answer["refreshToken"]?.string
                    {
                        own.append(Acknowledged(localID: localID, refreshToken: token))
                        tell()
                    }
                    return own
                }
            }
            return await tasks.reduce(into: []) { $0 += $1 }
        }
    }

    private func verify(_ acknowledged: [Acknowledged], in path: String) async throws {
        let database = try SQLiteDatabase(.file(path), readers: 1, logger: LogCapture().logger())
        try await database.read { transaction in
            let check = try transaction.query("PRAGMA integrity_check").map { try $0.text("integrity_check") }
            #expect(check == ["ok"])
            for account in acknowledged {
                #expect(try transaction.account(Self.project, localID: account.localID) != nil)
                let session = try transaction.session(tokenHash: sha256(account.refreshToken.utf8))
                #expect(session?.localID == account.localID)
            }
            let halves = "SELECT local_id FROM accounts WHERE local_id NOT IN (SELECT local_id FROM sessions)"
            #expect(try transaction.query(SQL(stringLiteral: halves)).isEmpty)
        }
        try await database.close()
    }

    @Test("loses nothing acknowledged and stays sound when its server is killed fifty times", .timeLimit(.minutes(15)))
    func fiftyCrashes() async throws {
        let directory = try await makeTemporaryDirectory()
        let path = directory + "/postern.sqlite"
        var acknowledged: [Acknowledged] = []
        for _ in 0..<50 {
            let process = try ServerProcess(["serve"], environment: environment(path), directory: directory)
            let client = TestClient(try await process.waitUntilReady())
            let (told, tells) = AsyncStream.makeStream(of: Void.self)
            async let made = load(client, writers: 8) { tells.yield() }
            // At a random point among the writes around the last one.
            var left = Int.random(in: 1...60)
            for await _ in told {
                left -= 1
                if left == 0 { break }
            }
            #expect(await process.kill() == SIGKILL)
            acknowledged += await made
        }
        #expect(acknowledged.count > 50)
        try await verify(acknowledged, in: path)
    }

    @Test("is backed up while it is written to, whole and readable by its owner only", .timeLimit(.minutes(15)))
    func backup() async throws {
        let directory = try await makeTemporaryDirectory()
        let path = directory + "/postern.sqlite"
        let target = directory + "/backup.sqlite"
        let process = try ServerProcess(["serve"], environment: environment(path), directory: directory)
        let client = TestClient(try await process.waitUntilReady())
        let before = await load(client, writers: 4, limit: 100)
        async let during = load(client, writers: 4, limit: 400)
        let arguments = ["backup", target, "--json"]
        let command = try ServerProcess(arguments, environment: environment(path), directory: directory)
        #expect(await command.waitForExit() == 0)
        #expect(await during.count == 400)
        try await verify(before, in: target)
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let again = try ServerProcess(arguments, environment: environment(path), directory: directory)
        #expect(await again.waitForExit() == 1)
        #expect(again.printed.contains("exists already"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).allSatisfy { !$0.contains("partial") })
        #expect(await process.terminate() == 0)
    }

    @Test("on a full disk refuses with a clear error, and goes on once there is room", .timeLimit(.minutes(15)))
    func fullDisk() async throws {
        let directory = try await makeTemporaryDirectory()
        // A separate file system, which only this server and its children see.
        let script = """
            mkdir small && mount -t tmpfs -o size=3m tmpfs small && head -c 1500000 /dev/zero > small/ballast || exit 9
            ( while [ ! -e release ]; do sleep 0.05; done; rm small/ballast; touch released ) &
            exec "$0" serve
            """
        let process = try ServerProcess(
            ["--mount", "--map-root-user", "sh", "-c", script, ServerProcess.path(of: "postern")],
            executable: "/usr/bin/unshare",
            environment: environment("small/postern.sqlite").merging(["PATH": "/usr/bin:/bin"]) { $1 },
            directory: directory
        )
        let client = TestClient(try await process.waitUntilReady())
        var acknowledged: [TestClient.Answer] = []
        var refused: TestClient.Answer?
        while refused == nil {
            let answer = try await client.post("/v1/accounts:signUp?key=k", [:])
            if answer.status == 200 { acknowledged.append(answer) } else { refused = answer }
        }
        #expect(refused?.status == 503)
        #expect(refused?["error"]?["status"] == "UNAVAILABLE")
        #expect(try await client.get("/readyz").status == 503)
        #expect(try await client.get("/healthz").status == 200)
        let first = try #require(acknowledged.first?["idToken"]?.string)
        #expect(try await client.post("/v1/accounts:lookup?key=k", ["idToken": .string(first)]).status == 200)
        #expect(FileManager.default.createFile(atPath: directory + "/release", contents: nil))
        while !FileManager.default.fileExists(atPath: directory + "/released") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await client.get("/readyz").status == 200)
        #expect(try await client.post("/v1/accounts:signUp?key=k", [:]).status == 200)
        for answer in acknowledged {
            let lookup = try await client.post("/v1/accounts:lookup?key=k", ["idToken": answer["idToken"] ?? .null])
            #expect(lookup.status == 200)
        }
        #expect(await process.terminate() == 0)
    }

    @Test("that may only be read stops the start with a clear error, and not with a crash")
    func readOnlyFile() async throws {
        let directory = try await makeTemporaryDirectory()
        let path = directory + "/postern.sqlite"
        let script = """
            mkdir data && mount -t tmpfs tmpfs data && POSTERN_DATABASE_URL=sqlite:data/postern.sqlite "$0" migrate || exit 9
            mount -o remount,ro data && POSTERN_DATABASE_URL=sqlite:data/postern.sqlite exec "$0" serve
            """
        let process = try ServerProcess(
            ["--mount", "--map-root-user", "sh", "-c", script, ServerProcess.path(of: "postern")],
            executable: "/usr/bin/unshare",
            environment: environment(path).merging(["PATH": "/usr/bin:/bin"]) { $1 },
            directory: directory
        )
        #expect(await process.waitForExit() == 1)
        #expect(process.printed.contains("data/postern.sqlite cannot be opened for reading and writing"))
        #expect(!process.printed.contains("Fatal"))
    }
}
