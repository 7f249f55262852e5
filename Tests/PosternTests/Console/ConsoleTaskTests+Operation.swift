import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

extension ConsoleTask {
    static let operation = [
        ConsoleTask("/events", "what has happened meanwhile is loaded") { stage in
            try await stage.menu("Live events")
            stage.server.clock.advance(by: .seconds(1))
            try await stage.make("zoe")
            try await stage.follow("Load again")
            #expect(try await stage.look("return text(all('tbody tr', null)[0])").string?.contains("zoe") == true)
        },
        ConsoleTask("/events/stream", "what happens appears by itself") { stage in
            try await stage.menu("Live events")
            try await stage.page.run(
                "0",
                once: "document.querySelector('.live [role=status]').textContent === 'New events appear as they happen.'"
            )
            stage.server.clock.advance(by: .seconds(1))
            try await stage.make("yan")
            try await stage.page.run("0", once: "document.querySelector('tbody tr').textContent.includes('yan')")
        },
        ConsoleTask("/keys", "the signing key is changed") { stage in
            let kid = try stage.server.core.keyRing.current().kid
            try await stage.menu("Signing keys")
            try await stage.pressTwice("Rotate now")
            #expect(try stage.server.core.keyRing.current().kid != kid)
        },
        ConsoleTask("/backups", "a backup is made, downloaded and removed") { stage in
            try await stage.menu("Backups")
            try await stage.press("Make a backup")
            let name = try #require(try await stage.text.firstMatch(of: /postern-[0-9]{8}T[0-9]{6}Z\.sqlite/).map { "\($0.0)" })
            try await stage.press("Verify", in: name)
            try await stage.sees("The backup is whole.")
            try await stage.press("Download", in: name)
            try await stage.press("Continue", leaves: false)
            #expect(try await stage.downloaded(name).starts(with: Data("SQLite format 3\0".utf8)))
            try await stage.menu("Backups")
            try await stage.pressTwice("Remove", in: name)
            try await stage.sees("There are no backups.")
            let kept = try await stage.fact("Directory") + "/" + name
            #expect(!FileManager.default.fileExists(atPath: kept))
        },
        ConsoleTask("/connect", "an app with these lines reaches the server") { stage in
            try await stage.menu("Connect an app")
            let client = TestClient(try await stage.fact("Address"))
            let path = "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=\(try await stage.fact("API key"))"
            let answer = try await client.post(path, ["email": "app@example.com", "password": "secret-1"])
            #expect(answer.status == 200, "\(answer.errorMessage ?? "")")
        },
        ConsoleTask("/audit/export", "the trail is downloaded whole") { stage in
            _ = try await stage.server.core.auditSequencer.sequence()
            var own = 0
            let export = AuditExport(database: stage.server.core.database, format: .jsonl)
            _ = try await export.export(projectID: "demo-test") { _ in own += 1 }
            try await stage.menu("Audit trail")
            let file = try await stage.download(by: "Download as JSON lines", "audit.jsonl")
            let lines = try file.split(separator: "\n").map { try JSONValue.parse($0.utf8) }
            #expect(lines.count == own && own > 2)
            #expect(try await stage.deeds("auditExported") == 1)
        },
        ConsoleTask("/audit", "records are found by their user, and a record that was altered is noticed") { stage in
            try await stage.menu("Audit trail")
            try await stage.type("zoe", into: "User id")
            try await stage.press("Filter")
            let rows = try await stage.look("return all('tbody tr', null).map(text)").array?.compactMap(\.string) ?? []
            let known = try await stage.server.auditTrail().count { $0[2] == "zoe" }
            #expect(rows.count == known && known > 0 && rows.allSatisfy { $0.contains("zoe") })
            _ = try await stage.server.core.auditSequencer.sequence()
            try await stage.press("Verify the trail")
            try await stage.sees("No record was altered, removed, inserted or moved.")
            try await stage.server.core.database.write { transaction throws in
                _ = try transaction.execute("UPDATE audit_events SET actor = 'nobody' WHERE chain_seq = 1")
            }
            try await stage.menu("Audit trail")
            try await stage.press("Verify the trail")
            try await stage.sees("The trail is not as this server left it.")
        },
    ]
}
