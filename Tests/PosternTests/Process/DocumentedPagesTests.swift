import Foundation
import TestKit
import Testing

/// Runs the documentation against the built server, with the same two programs that its writers use.
@Suite("The pages of the documentation", .timeLimit(.minutes(20)))
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
        try await withTemporaryDirectory { directory in
            let (code, report) = try await RepositoryProgram.run(
                "Tools/site/build",
                [ServerProcess.path(of: "postern"), directory + "/site"]
            )
            #expect(code == 0, "\(report.suffix(8000))")
            for page in ["index", "Docs/Start/index", "Docs/REST/index", "Docs/SDKs/Web/index"] {
                let path = "\(directory)/site/html/\(page).html"
                #expect(try String(contentsOfFile: path, encoding: .utf8).contains("</html>"), "\(page)")
            }
        }
    }
}
