import Foundation
import Project
import TestKit
import Testing

@Suite("The link that makes the first operator", .teardown, .timeLimit(.minutes(15)))
struct FirstInvitationTests {
    private func running(
        _ more: [String: String],
        _ body: (CommandPlace, ServerProcess, String) async throws -> Void
    ) async throws {
        let variables = ["POSTERN_CONSOLE_PUBLIC": "true", "POSTERN_LOG_LEVEL": "notice"].merging(more) { $1 }
        let place = try await CommandPlace.make(project: "config: {}", variables)
        for _ in 0..<2 {
            let server = try ServerProcess(["serve"], environment: place.variables, directory: place.directory)
            try await body(place, server, try await server.waitUntilReady())
            #expect(await server.terminate() == 0)
        }
    }

    @Test("is in no log of production, but in a file that its owner alone reads, another one at each start")
    func file() async throws {
        nonisolated(unsafe) var links: Set<String> = []
        try await running([:]) { place, server, url in
            let file = place.directory + "/p.sqlite.invitation"
            try await eventually { server.printed.contains("p.sqlite.invitation") }
            #expect(!server.printed.contains("invitation?code="))
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let link = try String(contentsOfFile: file, encoding: .utf8)
            let path = try #require(link.firstMatch(of: /\/console\/invitation\?code=[A-Za-z0-9_-]{43}/)).output
            #expect(try await TestClient(url).get(String(path)).status == 200)
            links.insert(link)
        }
        #expect(links.count == 2)
    }

    @Test("is not made where it could only be logged, and the log says what makes one")
    func noFile() async throws {
        try await running(["POSTERN_DATABASE_URL": "sqlite::memory:"]) { _, server, _ in
            #expect(server.printed.contains("postern console invite EMAIL --role owner"))
            #expect(!server.printed.contains("invitation?code="))
        }
    }

    @Test("is printed in development")
    func development() async throws {
        try await running(["POSTERN_MODE": "development"]) { place, server, _ in
            try await eventually { server.printed.contains("/console/invitation?code=") }
            #expect(!FileManager.default.fileExists(atPath: place.directory + "/p.sqlite.invitation"))
        }
    }
}
