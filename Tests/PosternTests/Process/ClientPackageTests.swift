import Foundation
import Project
import TestKit
import Testing

/// Runs the tests of the packages below `Clients` and `Examples`, each a script `test` of its own, against the built server in
/// production mode behind TLS of a private authority, as an operator runs it inside a network.
@Suite("The packages for users of Postern", .teardown, .timeLimit(.minutes(20)))
struct ClientPackageTests {
    /// Every folder with a script `test`.
    static let packages: [String] = {
        let manager = FileManager.default
        return ["Clients", "Examples"].flatMap { place in
            let folders = (try? manager.contentsOfDirectory(atPath: packageDirectory.appending(path: place).path)) ?? []
            return folders.sorted().map { "\(place)/\($0)" }
        }.filter { manager.isExecutableFile(atPath: packageDirectory.appending(path: "\($0)/test").path) }
    }()

    @Test("there is one for every official SDK without a setting for the server's address")
    func complete() {
        for name in ["web", "node", "python", "java", "go", "swift"] {
            #expect(Self.packages.contains("Clients/\(name)"), "\(name)")
        }
        #expect(Self.packages.contains("Examples/verify"))
    }

    @Test("pass their own tests against a server in production", arguments: packages)
    func package(path: String) async throws {
        let server = try await UserServer.start()
        let (code, report) = try await server.run(packageDirectory.appending(path: "\(path)/test").path)
        #expect(code == 0, "\(path): \(report.suffix(8000))")
    }
}
