import Foundation
import Project
import TestKit
import Testing

@Suite("postern audit", .teardown, .timeLimit(.minutes(15)))
struct AuditCommandTests {
    private static let users = ["a", "b", "c", "d", "e"]

    /// Five acts of an operator, each of which has its place in the chain.
    private func makeTrail() async throws -> CommandPlace {
        let place = try await CommandPlace.make(project: "config: {signIn: {email: {enabled: true}}}")
        try await place.serving { _ in
            for user in Self.users { #expect(try await place.run(["users", "create", "--id", user]).code == 0) }
            try await eventually { try await chain(place)["headSeq"] == 5 }
        }
        return place
    }

    private func chain(_ place: CommandPlace, _ arguments: [String] = [], code: Int32 = 0) async throws -> JSONValue {
        let chains = try await place.json(["audit", "verify"] + arguments, code: code)["chains"]?.array ?? []
        return chains.first { $0["class"] == "administration" } ?? .null
    }

    private func tamper(_ place: CommandPlace, _ statement: String) async throws {
        let script = "import sqlite3; store = sqlite3.connect('p.sqlite'); store.execute(\"\(statement)\"); store.commit()"
        let (code, text) = try await ServerProcess(["-c", script], executable: "/usr/bin/python3", directory: place.directory)
            .waitForOutput()
        #expect(code == 0, "\(text)")
    }

    @Test("verify ends with 0 for a sound trail and with 2 for another, and names the record")
    func verify() async throws {
        let place = try await makeTrail()
        let sound = try await chain(place)
        #expect(sound["records"] == 5 && sound["faults"] == [])
        #expect(try await place.run(["audit", "verify"]).code == 0)
        let events = try await place.json(["audit", "--event", "create"])["events"]?.array ?? []
        let third = try #require(events.first { $0["localId"] == "c" }?["id"]?.string)
        try await tamper(place, "UPDATE audit_events SET actor = 'nobody' WHERE local_id = 'c'")
        let (code, text) = try await place.run(["audit", "verify"])
        #expect(code == 2 && text.contains("administration: record 3 (\(third)): altered or moved"), "\(text)")
        #expect(try await chain(place, code: 2)["faults"]?.array?.count == 1)
        try await tamper(place, "UPDATE audit_events SET actor = 'cli' WHERE local_id = 'c'")
        #expect(try await chain(place)["faults"] == [])
        try await tamper(place, "DELETE FROM audit_events WHERE local_id = 'd'")
        let gone = try await place.run(["audit", "verify"])
        #expect(gone.code == 2 && gone.text.contains("administration: record 4"), "\(gone.text)")
    }

    @Test("export writes every record once to a new file of the operator's, which verify takes as a checkpoint")
    func export() async throws {
        let place = try await makeTrail()
        let (code, text) = try await place.run(["audit", "export", "trail.jsonl"])
        #expect(code == 0 && text.contains("trail.jsonl: 5 records"), "\(text)")
        let mode =
            try FileManager.default.attributesOfItem(atPath: place.directory + "/trail.jsonl")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let lines = try place.read("trail.jsonl").split(separator: "\n").map { try JSONValue.parse($0.utf8) }
        #expect(lines.compactMap { $0["record"]?["localId"]?.string } == Self.users, "\(lines)")
        #expect(lines.contains { $0["checkpoint"]?.string != nil })
        let before = try place.read("trail.jsonl")
        let again = try await place.run(["audit", "export", "trail.jsonl"])
        #expect(again.code == 1 && again.text.contains("is there already"), "\(again.text)")
        #expect(try place.read("trail.jsonl") == before)
        #expect(try await place.run(["audit", "export", "trail.ocsf", "--format", "ocsf"]).code == 0)
        let ocsf = try place.read("trail.ocsf").split(separator: "\n").map { try JSONValue.parse($0.utf8) }
        #expect(ocsf.count == 5 && ocsf.allSatisfy { $0["class_uid"] != nil })

        #expect(try await chain(place, ["--checkpoint", "trail.jsonl"])["faults"] == [])
        // The end of the chain is cut off, so that it is sound again by itself.
        try await tamper(place, "DELETE FROM audit_events WHERE local_id = 'e'")
        let cut = try await place.run(["audit", "verify", "--checkpoint", "trail.jsonl"])
        #expect(cut.code == 2 && cut.text.contains("record 5: removed"), "\(cut.text)")
        for (file, content) in [("none.jsonl", nil), ("empty.jsonl", ""), ("other.jsonl", "{\"a\": 1}\n")]
            as [(String, String?)]
        {
            if let content { try place.write(content, to: file) }
            #expect(try await place.run(["audit", "verify", "--checkpoint", file]).code == 1, "\(file)")
        }
    }

    @Test("key prints the public key alone, the same each time, which verify takes as a former one")
    func key() async throws {
        let place = try await makeTrail()
        let (code, text) = try await place.run(["audit", "key"])
        #expect(code == 0)
        let pem = /-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+\/=\n]+-----END PUBLIC KEY-----\n/
        #expect(text.wholeMatch(of: pem) != nil, "\(text)")
        #expect(try await place.run(["audit", "key"]).text == text)
        try place.write(text, to: "audit.pem")
        try place.write("no key", to: "wrong.pem")
        #expect(try await place.run(["audit", "verify", "--former-key", "wrong.pem"]).code == 1)

        // While a master key is being replaced, statements of both count.
        #expect(try await place.run(["audit", "export", "trail.jsonl"]).code == 0)
        let key = [
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 8, count: 32).base64EncodedString(),
            "POSTERN_SECRETS_PREVIOUS_MASTER_KEY": place.variables["POSTERN_SECRETS_MASTER_KEY"] ?? "",
        ]
        let other = CommandPlace(directory: place.directory, variables: place.variables.merging(key) { $1 })
        let printed = try await other.run(["audit", "key"])
        #expect(printed.code == 0 && printed.text.wholeMatch(of: pem) != nil && printed.text != text)
        let both = try await other.run(["audit", "verify", "--checkpoint", "trail.jsonl"])
        #expect(both.code == 0, "\(both.text)")

        // Once the ends are signed anew, only what was kept outside needs the former key.
        #expect(try await other.run(["keys", "rewrap"]).code == 0)
        var variables = other.variables
        variables["POSTERN_SECRETS_PREVIOUS_MASTER_KEY"] = nil
        let later = CommandPlace(directory: place.directory, variables: variables)
        #expect(try await later.run(["audit", "verify"]).code == 0)
        let without = try await later.run(["audit", "verify", "--checkpoint", "trail.jsonl"])
        #expect(without.code == 2, "\(without.text)")
        let with = try await later.run(["audit", "verify", "--checkpoint", "trail.jsonl", "--former-key", "audit.pem"])
        #expect(with.code == 0, "\(with.text)")
    }

    @Test("list says how to go on, and goes on without leaving out or repeating a record")
    func list() async throws {
        let place = try await makeTrail()
        let list = ["audit", "list", "--event", "create", "--limit", "2"]
        var (found, arguments) = ([[String]](), list)
        while true {
            let page = try await place.json(arguments)
            let events = page["events"]?.array ?? []
            found.append(events.compactMap { $0["localId"]?.string })
            guard let next = page["nextAfter"]?.string else { break }
            #expect(next == events.last?["id"]?.string)
            let (code, text) = try await place.run(arguments)
            #expect(code == 0 && text.contains("There are more: --after \(next)"), "\(text)")
            arguments = list + ["--after", next]
        }
        #expect(found == [["e", "d"], ["c", "b"], ["a"]])
        #expect(try await !place.run(arguments).text.contains("There are more"))
        #expect(try await place.json(["audit", "list", "--event", "create", "--limit", "5"])["nextAfter"] == nil)
        let (code, text) = try await place.run(["audit", "list", "--after", "no-such-id"])
        #expect(code == 1 && text.contains("there is no event no-such-id"), "\(text)")
    }
}
