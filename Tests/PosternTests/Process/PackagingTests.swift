import Foundation
import TestKit
import Testing

/// Builds the packages from the built server, and installs them on a clean Debian.
@Suite("The packages", .timeLimit(.minutes(20)))
struct PackagingTests {
    /// The exit code by which the program says that this machine cannot make a clean Debian, and why.
    private static let skipped: Int32 = 77

    @Test("install on a clean Debian and serve there, and keep users and their key through upgrade and removal")
    func packages() async throws {
        let (code, report) = try await RepositoryProgram.run(
            "Tools/packaging/test",
            ["--binary", ServerProcess.path(of: "postern")]
        )
        // Continuous integration has to have what a clean Debian needs.
        let mayBeSkipped = ProcessInfo.processInfo.environment["CI"] != "true"
        #expect(code == 0 || (code == Self.skipped && mayBeSkipped), "\(report.suffix(4000))")
        if code == Self.skipped {
            print(report)
        } else {
            #expect(report.split(separator: "\n").count { $0.hasPrefix("ok ") } >= 15, "\(report)")
        }
    }

    @Test("are not made of a build that needs the Swift runtime, which servers do not have", arguments: ["tarball", "deb"])
    func runtime(_ program: String) async throws {
        try await withTemporaryDirectory { directory in
            let (code, report) = try await RepositoryProgram.run(
                "Tools/packaging/\(program)",
                ["--binary", ServerProcess.path(of: "postern"), "--output", directory]
            )
            #expect(code == 1)
            #expect(report.contains("needs the Swift runtime"), "\(report)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test("come from an image whose build has every folder that the package description names")
    func imageSources() throws {
        let image = try String(contentsOf: packageDirectory.appending(path: "Dockerfile"), encoding: .utf8)
        let package = try String(contentsOf: packageDirectory.appending(path: "Package.swift"), encoding: .utf8)
        let copied = Set(image.matches(of: /(?m)^COPY ([A-Z]\w+) \1$/).map { String($0.1) })
        let paths = package.matches(of: /path: "([^"\/]+)["\/]/).map { String($0.1) }
        // Other targets are below the folders that the package manager knows.
        let named = Set(paths + ["Sources", "Tests"])
        #expect(named.count > 3)
        #expect(named.isSubset(of: copied), "the Dockerfile does not copy \(named.subtracting(copied))")
    }

    @Test("come from an image whose build has every page that the console shows")
    func imagePages() throws {
        let image = try String(contentsOf: packageDirectory.appending(path: "Dockerfile"), encoding: .utf8)
        let copied = image.matches(of: /(?m)^COPY ([A-Z][\w\/]+) \1$/).map { String($0.1) + "/" }
        let folder = packageDirectory.appending(path: "Sources/Console/Connect").path
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }
        #expect(pages.count == 9)
        for page in pages {
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(page)")
            let path = target.replacing("../", with: "")
            #expect(copied.contains { path.hasPrefix($0) }, "the Dockerfile does not copy \(path)")
            #expect(FileManager.default.fileExists(atPath: packageDirectory.appending(path: path).path))
        }
    }

    @Test("have a version, which the change log leads to")
    func version() async throws {
        let (code, text) = try await RepositoryProgram.run(ServerProcess.path(of: "postern"), ["--version"])
        #expect(code == 0)
        let version = try #require(text.wholeMatch(of: /([0-9]+\.[0-9]+\.[0-9]+)(-dev)?\n/), "\(text)")
        let changes = try String(contentsOf: packageDirectory.appending(path: "CHANGELOG.md"), encoding: .utf8)
        // A version in the making has no section of its own yet.
        #expect(changes.contains(version.2 == nil ? "\n## \(version.1)" : "\n## Unreleased"), "\(text)")
    }
}
