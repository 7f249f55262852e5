import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("The page on the audit trail", .teardown, .timeLimit(.minutes(5)))
struct AuditPageTests {
    @Test("has a command that finds the hash of an exported line, whatever its texts are")
    func check() async throws {
        let page = try String(contentsOf: packageDirectory.appending(path: "Docs/Audit.md"), encoding: .utf8)
        let command = try #require(page.firstMatch(of: /python3 -c .*<<< "\$line"/)).output
        let texts = ["\u{7f}", "é\u{2028}/<&>", "😀 \\ \"", "\t\n\u{1}", ""]
        let server = try await TestServer.start()
        let start = server.clock.now
        try await server.core.database.write { transaction throws in
            for (number, text) in texts.enumerated() {
                let event = AuditEvent(
                    eventID: "event-\(number)",
                    occurredAt: start,
                    event: .create,
                    localID: nil,
                    actor: "cli",
                    address: nil,
                    detail: ["text": .string(text)]
                )
                try transaction.insertAuditEvent(Scope(projectID: "demo-test"), event)
            }
        }
        #expect(try await server.core.auditSequencer.sequence() == texts.count)
        nonisolated(unsafe) var lines: [JSONValue] = []
        _ = try await AuditExport(database: server.core.database, format: .jsonl).export(projectID: "demo-test") {
            lines.append($0)
        }
        let records = lines.filter { $0["record"] != nil }
        #expect(records.count == texts.count)
        for line in records {
            let (code, text) = try await ServerProcess(
                ["-c", String(command)],
                executable: "/bin/bash",
                environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "line": line.text],
                directory: packageDirectory.path
            ).waitForOutput()
            #expect(code == 0 && text == (line["hash"]?.string ?? "none") + "\n", "\(line.text) \(text)")
        }
    }
}
