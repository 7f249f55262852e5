import Foundation
import Logging
import Project
import Storage
import TestKit
import Testing

@Suite("Backups", .teardown, .timeLimit(.minutes(15)))
struct BackupCommandTests {
    private func makePlace(_ variables: [String: String] = [:]) async throws -> CommandPlace {
        let project = "config: {signIn: {anonymous: {enabled: true}, email: {enabled: true}}}"
        let place = try await CommandPlace.make(project: project, variables)
        try await place.serving { _ in }
        return place
    }

    private func on(_ file: String, _ place: CommandPlace, masterKey: UInt8 = 7) -> CommandPlace {
        let key = Data(repeating: masterKey, count: 32).base64EncodedString()
        let more = ["POSTERN_DATABASE_URL": "sqlite:\(file)", "POSTERN_SECRETS_MASTER_KEY": key]
        return CommandPlace(directory: place.directory, variables: place.variables.merging(more) { $1 })
    }

    private func files(_ place: CommandPlace, _ folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place.directory + "/" + folder).sorted()
    }

    @Test("an encrypted backup opens with its key alone, whole or not at all, and a server goes on with what it restores")
    func encrypted() async throws {
        let place = try await makePlace()
        #expect(try await place.run(["users", "create", "--id", "ada", "--email", "ada@b.c"]).code == 0)
        let recipient = try #require(try await place.json(["backup", "keygen", "backup.key"])["recipient"]?.string)
        #expect(try place.read("backup.key").hasPrefix("postern-backup-private-"))
        #expect(try await place.run(["backup", "keygen", "backup.key"]).text.contains("is there already"))
        try place.write(recipient + "\n", to: "backup.pub")
        let bytes = try await place.json(["backup", "one.sealed", "--recipient", recipient])["bytes"]?.integer ?? 0
        #expect(try await place.run(["backup", "two.sealed", "--encrypt-to", "backup.pub"]).code == 0)
        let named = CommandPlace(
            directory: place.directory,
            variables: place.variables.merging(["POSTERN_BACKUP_RECIPIENT": recipient]) { $1 }
        )
        #expect(try await named.run(["backup", "three.sealed"]).text.contains("encrypted"))
        #expect(try await place.run(["backup", "one.sealed", "--recipient", recipient]).text.contains("exists already"))
        let sealed = try Data(contentsOf: URL(filePath: place.directory + "/one.sealed"))
        #expect(bytes == Int64(sealed.count) && bytes > 100_000)
        #expect(sealed.range(of: Data("SQLite format".utf8)) == nil && sealed.range(of: Data("ada@b.c".utf8)) == nil)
        #expect(try files(place).allSatisfy { !$0.contains("partial") && !$0.contains(".backup-") })

        let checked = try await place.json(["restore", "one.sealed", "--check", "--identity", "backup.key"])
        #expect(checked["tables"]?["accounts"] == 1 && checked["signingKeysOpen"] == true)
        let check = ["restore", "one.sealed", "--check", "--identity", "backup.key"]
        let foreign = try await on("p.sqlite", place, masterKey: 8).run(check)
        #expect(foreign.code == 1 && foreign.text.contains("secrets.masterKey"), "\(foreign.text)")
        _ = try await place.run(["backup", "keygen", "other.key"])
        for (name, change) in [
            ("cut", { $0.dropLast(100) }), ("shorter", { $0.dropLast(65_552) }), ("longer", { $0 + Data([0]) }),
            ("flipped", { $0[0..<70_000] + Data([$0[70_000] ^ 1]) + $0[70_001...] }),
            ("moved", { $0[0..<49] + $0[65_601..<131_153] + $0[49..<65_601] + $0[131_153...] }),
        ] as [(String, (Data) -> Data)] {
            try change(sealed).write(to: URL(filePath: place.directory + "/" + name))
            let (code, text) = try await place.run(["restore", name, "--to", "new.sqlite", "--identity", "backup.key"])
            #expect(code == 1 && text.contains("does not open"), "\(name): \(text)")
        }
        for arguments in [["--identity", "other.key"], ["--identity", "backup.pub"], []] {
            #expect(try await place.run(["restore", "one.sealed", "--to", "new.sqlite"] + arguments).code == 1, "\(arguments)")
        }
        #expect(try files(place).allSatisfy { !$0.hasPrefix("new.sqlite") })
        let restored = try await place.run(["restore", "one.sealed", "--to", "new.sqlite", "--identity", "backup.key"])
        #expect(restored.code == 0, "\(restored.text)")
        #expect(try await place.run(["restore", "two.sealed", "--to", "new.sqlite", "--identity", "backup.key"]).code == 1)
        #expect(try await on("new.sqlite", place).json(["users", "show", "ada"])["email"] == "ada@b.c")
    }

    @Test("a directory gets backups that are named after the time, and keeps the newest; other files stay")
    func rotation() async throws {
        let place = try await makePlace()
        try FileManager.default.createDirectory(atPath: place.directory + "/b", withIntermediateDirectories: false)
        let older = ["postern-20200101T000000Z.sqlite", "postern-20210101T000000Z.sqlite.sealed"]
        for name in older + ["notes", "postern-x.sqlite"] {
            try place.write("old", to: "b/" + name)
        }
        let made = try await place.json(["backup", "b", "--keep", "2"])
        let name = try #require(made["file"]?.string?.split(separator: "/").last.map(String.init))
        #expect(name.wholeMatch(of: /postern-[0-9]{8}T[0-9]{6}Z\.sqlite/) != nil)
        #expect(made["removed"]?.array?.count == 1)
        #expect(try files(place, "b") == ["notes", older[1], name, "postern-x.sqlite"])
        #expect(try await place.json(["restore", "b/" + name, "--check"])["signingKeysOpen"] == true)
        #expect(try await place.run(["backup", "c", "--keep", "2"]).text.contains("--keep needs a directory"))
        #expect(try await place.run(["restore", "b/notes", "--check"]).code == 1)
    }

    @Test("what was put in a backup's place is refused: plain for encrypted, triggers, foreign databases")
    func planted() async throws {
        let place = try await makePlace()
        try FileManager.default.createDirectory(atPath: place.directory + "/b", withIntermediateDirectories: false)
        _ = try await place.run(["backup", "keygen", "backup.key"])
        let name = try #require(try await place.json(["backup", "b"])["file"]?.string)
        let withKey = try await place.run(["restore", name, "--check", "--identity", "backup.key"])
        #expect(withKey.code == 1 && withKey.text.contains("not encrypted"), "\(withKey.text)")
        #expect(try await place.run(["restore", "b", "--latest", "--check"]).code == 0)
        let file = name.hasPrefix("/") ? name : place.directory + "/" + name
        try FileManager.default.copyItem(atPath: file, toPath: place.directory + "/b/postern-99991231T000000Z.sqlite")
        let ahead = try await place.run(["restore", "b", "--latest", "--check"])
        #expect(ahead.code == 0 && ahead.text.contains("warning: "), "\(ahead.text)")
        for (number, statement) in [
            "CREATE TRIGGER t AFTER INSERT ON accounts BEGIN DELETE FROM audit_events; END",
            "CREATE VIEW v AS SELECT * FROM accounts", "DROP TABLE schema_migrations",
        ].enumerated() as EnumeratedSequence<[SQL]> {
            let copy = place.directory + "/planted-\(number).sqlite"
            try FileManager.default.copyItem(atPath: file, toPath: copy)
            let database = try SQLiteDatabase(.file(copy), readers: 1, logger: Logger(label: "test"))
            try await database.write { _ = try $0.execute(statement) }
            try await database.close()
            let refused = try await place.run(["restore", copy, "--to", "new.sqlite"])
            #expect(refused.code == 1 && refused.text.contains("no database of Postern"), "\(refused.text)")
        }
        #expect(try files(place).allSatisfy { !$0.hasPrefix("new.sqlite") })
    }

    @Test("names from the future neither cost a backup nor are the latest one")
    func namesFromTheFuture() async throws {
        let place = try await makePlace()
        try FileManager.default.createDirectory(atPath: place.directory + "/b", withIntermediateDirectories: false)
        let (old, future) = ("postern-20200101T000000Z.sqlite", "postern-99990101T000000Z.sqlite")
        for name in [old, future] { try place.write("other", to: "b/" + name) }
        let (code, text) = try await place.run(["backup", "b", "--keep", "1"])
        #expect(code == 0 && text.contains("warning: ") && text.contains(future), "\(text)")
        let left = try files(place, "b")
        #expect(left.count == 2 && left.last == future && left.first != old, "\(left)")
        let checked = try await place.run(["restore", "b", "--latest", "--check", "--json"])
        let made = try #require(left.first)
        #expect(checked.code == 0 && checked.text.contains(made), "\(checked.text)")
        #expect(checked.text.contains("warning: "))
    }

    @Test("after a restore and the key step, tokens of the lost time open nobody's account (OPS-07)")
    func afterRestore() async throws {
        let place = try await makePlace()
        func form(_ session: TestClient.Answer) -> [(String, String)] {
            [("grant_type", "refresh_token"), ("refresh_token", session["refreshToken"]?.string ?? "")]
        }
        var (kept, lost): (TestClient.Answer?, TestClient.Answer?)
        let alice: JSONValue = ["email": "alice@b.c", "password": "secret-1"]
        try await place.serving { client async throws in
            kept = try await client.post("/v1/accounts:signUp?key=k", ["email": "kept@b.c", "password": "secret-1"])
            #expect(try await place.run(["backup", "old.sqlite"]).code == 0)
            // An id of the operator's choice may be given again to another person.
            let create = ["users", "create", "--id", "42", "--email", "alice@b.c", "--password-stdin"]
            #expect(try await place.run(create, input: "secret-1").code == 0)
            lost = try await client.post("/v1/accounts:signInWithPassword?key=k", alice)
            #expect(lost?.status == 200)
        }
        #expect(try await place.run(["restore", "old.sqlite", "--to", "new.sqlite"]).code == 0)
        let restored = on("new.sqlite", place)
        let before = try await restored.json(["keys", "list"])["keys"]?.array?.compactMap { $0["kid"]?.string } ?? []
        let step = try await restored.json(["keys", "rotate", "--after-restore"])
        #expect(step["endedSessions"] == 0)
        let after = try await restored.json(["keys", "list"])["keys"]?.array?.compactMap { $0["kid"]?.string } ?? []
        #expect(after.count == 2 && Set(before).isDisjoint(with: after))
        #expect(try await restored.run(["users", "create", "--id", "42", "--email", "bob@b.c"]).code == 0)
        let (first, second) = (try #require(lost), try #require(kept))
        try await restored.serving { client async throws in
            let token = first["idToken"] ?? .null
            #expect(try await client.post("/v1/accounts:lookup?key=k", ["idToken": token]).errorMessage == "INVALID_ID_TOKEN")
            #expect(try await client.post("/v1/token?key=k", form: form(first)).errorMessage == "INVALID_REFRESH_TOKEN")
            // Sessions of the backup go on, with tokens of the new key.
            #expect(try await client.post("/v1/token?key=k", form: form(second)).status == 200)
        }
        #expect(try await restored.json(["keys", "rotate", "--after-restore", "--end-sessions"])["endedSessions"] == 1)
        try await restored.serving { client async throws in
            #expect(try await client.post("/v1/token?key=k", form: form(second)).errorMessage == "TOKEN_EXPIRED")
        }
        #expect(try await restored.json(["audit", "--event", "restored"])["events"]?.array?.count == 2)
        #expect(try await restored.run(["keys", "rotate", "--end-sessions"]).code != 0)
    }
}
