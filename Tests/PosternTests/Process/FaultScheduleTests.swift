import Foundation
import TestKit
import Testing

/// A short round of `make test-faults`: real nodes whose files, network and clock are broken on purpose.
@Suite("Faults on purpose", .timeLimit(.minutes(20)))
struct FaultScheduleTests {
    private func run(_ arguments: [String]) async throws -> (code: Int32, text: String) {
        try await RepositoryProgram.run(
            PythonTools.program("python"),
            ["-B", packageDirectory.appending(path: "Tests/Faults/run.py").path, "--binary", ServerProcess.path(of: "postern")]
                + arguments
        )
    }

    @Test("lose nothing that was acknowledged and leave nothing that was refused, on SQLite and on two nodes with PostgreSQL")
    func schedules() async throws {
        // A failure prints the seed, which makes the same schedules again.
        let (code, report) = try await run(["--schedules", "40"])
        #expect(code == 0, "\(report.suffix(6000))")
        for engine in ["SQLite", "PostgreSQL"] {
            #expect(report.contains(try Regex("\(engine): 40 schedules .* calls unknown [1-9]")), "\(report.suffix(2000))")
        }
    }

    @Test("are noticed when they lose a write that was acknowledged")
    func lostWrite() async throws {
        let (code, report) = try await run(["--self-check"])
        #expect(code == 0, "\(report.suffix(4000))")
        #expect(report.contains("noticed: "), "\(report.suffix(2000))")
    }
}
