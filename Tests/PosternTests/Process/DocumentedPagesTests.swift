import Foundation
import Project
import TestKit
import Testing

/// Runs the documentation against the built server, with the same two programs that its writers use.
@Suite("The pages of the documentation", .teardown, .timeLimit(.minutes(20)))
struct DocumentedPagesTests {
    @Test("show snippets that do what they say")
    func snippets() async throws {
        let program = packageDirectory.appending(path: "Tests/Documentation/run.py").path
        let (code, report) = try await RepositoryProgram.run(
            PythonTools.program("python"),
            [program, "--binary", ServerProcess.path(of: "postern")]
        )
        #expect(code == 0, "\(report.suffix(8000))")
        // Provider pages, guides and the walk-through.
        #expect(report.matches(of: /ok Docs\/.*: [1-9][0-9]* of/).count > 20, "\(report)")
    }

    @Test("become a site without a broken link, a broken heading or a page that no menu names")
    func site() async throws {
        let directory = try await makeTemporaryDirectory()
        let (code, report) = try await RepositoryProgram.run(
            "Tools/site/build",
            [ServerProcess.path(of: "postern"), directory + "/site"]
        )
        #expect(code == 0, "\(report.suffix(8000))")
        for page in ["index", "Docs/Start/index", "Docs/REST/index", "Docs/SDKs/Web/index"] {
            let path = "\(directory)/site/html/\(page).html"
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("</html>"), "\(page)")
        }
        let served = try JSONValue.parse(Data(contentsOf: URL(filePath: directory + "/site/openapi.json")))
        let paths = try #require(served["paths"]?.object).keys
        let page = URL(filePath: directory + "/site/pages/Docs/REST").appendingPathExtension("md")
        let reference = try String(contentsOf: page, encoding: .utf8)
        #expect(paths.count > 50)
        for path in paths {
            // In the heading of its call, or among the other paths of it.
            let isHeading = reference.contains(" \(path)\n")
            #expect(isHeading || reference.contains("`\(path)`"), "\(path)")
        }
    }

    @Test("have the reference of the settings that the server prints")
    func reference() async throws {
        let directory = try await makeTemporaryDirectory()
        let page = try String(contentsOf: packageDirectory.appending(path: "Docs/Configuration.md"), encoding: .utf8)
        let copy = directory + "/page"
        // Without its rows, so that all of them have to come from the server.
        let bare = page.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains("| `POSTERN_") }
        try bare.joined(separator: "\n").write(toFile: copy, atomically: true, encoding: .utf8)
        let (code, report) = try await RepositoryProgram.run("Tools/site/reference", [ServerProcess.path(of: "postern"), copy])
        #expect(code == 0, "\(report)")
        let written = try String(contentsOfFile: copy, encoding: .utf8)
        #expect(written == page, "make reference writes the page anew")
    }
}
