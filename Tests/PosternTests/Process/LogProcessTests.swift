import Foundation
import Project
import TestKit
import Testing

@Suite("The log of a process (OPS-02)", .teardown, .timeLimit(.minutes(15)))
struct LogProcessTests {
    /// Where a log may lead that takes nothing.
    enum Place: String, CaseIterable {
        case fullDisk = "exec \"$POSTERN\" serve 2>/dev/full"
        case readerThatHasGone = "mkfifo log; (exec true <log) & exec \"$POSTERN\" serve 2>log"
        // It ends by itself.
        case readerThatDoesNotRead = "mkfifo log; (exec sleep 120 <log) & exec \"$POSTERN\" serve 2>log"
    }

    @Test("neither ends nor stops a server that cannot write it", arguments: Place.allCases)
    func unwritable(place: Place) async throws {
        let directory = try await makeTemporaryDirectory()
        let process = try ServerProcess(
            ["-c", place.rawValue],
            executable: "/bin/sh",
            environment: [
                "PATH": "/usr/bin:/bin", "POSTERN": ServerProcess.path(of: "postern"), "POSTERN_MODE": "development",
                "POSTERN_SERVER_PORT": "0", "POSTERN_PROJECT_FILE": "", "POSTERN_LOG_LEVEL": "debug",
                "POSTERN_DATABASE_URL": "sqlite:\(directory)/postern.sqlite",
            ],
            directory: directory
        )
        let client = TestClient(try await process.waitUntilReady())
        // More lines than a pipe holds.
        for _ in 0..<600 {
            #expect(try await client.post("/v1/accounts:signInWithPassword?key=k", ["email": "nobody@example.com"]).status == 400)
        }
        #expect(try await client.get("/healthz").status == 200)
        #expect(await process.terminate() == 0)
    }

    @Test("has its last lines when the process has ended")
    func lastLines() async throws {
        let directory = try await makeTemporaryDirectory()
        let process = try ServerProcess(
            ["serve"],
            environment: [
                "POSTERN_MODE": "development", "POSTERN_SERVER_PORT": "0", "POSTERN_PROJECT_FILE": "",
                "POSTERN_DATABASE_URL": "sqlite:\(directory)/postern.sqlite",
            ],
            directory: directory
        )
        _ = try await process.waitUntilReady()
        #expect(await process.terminate() == 0)
        #expect(process.printed.contains("stopped"))
    }

    @Test("and what commands print are written by calls that end no process")
    func source() throws {
        let sources = packageDirectory.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var looked = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            looked += 1
            #expect(!text.contains(/FileHandle\.standard(Error|Output)\s*\.write\(/), "\(file.lastPathComponent)")
        }
        #expect(looked > 500)
    }
}
