import Foundation
import TestKit
import Testing

/// Files and directories that commands cannot use. The command prints a sentence, ends with a code other than 0, and creates
/// nothing.
@Suite("Files that commands cannot use", .teardown, .timeLimit(.minutes(15)))
struct CommandFileTests {
    /// A folder with a valid store, an empty file, a directory and a file of another kind.
    private func makePlace(_ more: [String: String] = [:]) async throws -> CommandPlace {
        let place = try await CommandPlace.make(project: "config: {}\n", more)
        let (code, text) = try await run(["migrate"], store(place, "good.sqlite"), place)
        #expect(code == 0, "\(text)")
        for name in ["empty", "empty.sqlite"] { try place.write("", to: name) }
        try place.write("neither YAML: [ nor a database", to: "text")
        try FileManager.default.createDirectory(atPath: place.directory + "/folder", withIntermediateDirectories: true)
        return place
    }

    private func run(
        _ arguments: [String],
        _ variables: [String: String],
        _ place: CommandPlace
    ) async throws -> (code: Int32, text: String) {
        try await CommandPlace(directory: place.directory, variables: variables).run(arguments)
    }

    private func store(_ place: CommandPlace, _ path: String) -> [String: String] {
        place.variables.merging(["POSTERN_DATABASE_URL": "sqlite:\(path)"]) { $1 }
    }

    private func content(_ place: CommandPlace) throws -> [String] {
        // SQLite's companion files of the valid store come and go.
        try FileManager.default.subpathsOfDirectory(atPath: place.directory).filter { !$0.hasPrefix("good.sqlite-") }.sorted()
    }

    private func expectRefusal(
        _ arguments: [String],
        _ variables: [String: String],
        _ place: CommandPlace,
        _ note: String = "",
        saying reason: String = ""
    ) async throws {
        let before = try content(place)
        let (code, text) = try await run(arguments, variables, place)
        let complaint = text.split(separator: "\n").filter { $0.hasPrefix("Error: ") }
        #expect(code != 0, "\(arguments) \(note): \(text)")
        #expect(complaint.count == 1 && complaint[0].utf8.count > 15, "\(arguments) \(note): \(text)")
        #expect(reason.isEmpty || text.contains(reason), "\(arguments) \(note): \(text)")
        #expect(try content(place) == before, "\(arguments) \(note)")
        for name in ["empty", "empty.sqlite"] { #expect(try place.read(name).isEmpty, "\(arguments) \(note)") }
    }

    private static let unusable = ["missing", "missing/below", "empty", "folder", "text/below"]

    @Test("settings files")
    func settings() async throws {
        let place = try await makePlace()
        for file in Self.unusable + ["text"] {
            for arguments in [["config", "check"], ["serve"], ["migrate"], ["users", "list"]] {
                try await expectRefusal(arguments + ["--config", file], place.variables, place)
            }
        }
    }

    @Test("files that settings name: neither serve nor config check takes them, and serve makes no store first")
    func named() async throws {
        let place = try await makePlace()
        for (names, files) in [
            (["PROJECT_FILE"], Self.unusable + ["text"]), (["OUTBOUND_CA_FILE"], Self.unusable + ["text"]),
            (["GAME_CENTER_CA_FILE"], Self.unusable + ["text"]), (["SECRETS_MASTER_KEY_FILE"], Self.unusable + ["text"]),
            (["SERVER_TLS_CERTIFICATE_FILE", "SERVER_TLS_PRIVATE_KEY_FILE"], Self.unusable + ["text"]),
            (["APNS_PRIVATE_KEY_FILE"], Self.unusable + ["text"]),
        ] {
            for file in files {
                var variables = store(place, "new.sqlite")
                if names == ["SECRETS_MASTER_KEY_FILE"] { variables["POSTERN_SECRETS_MASTER_KEY"] = nil }
                if names == ["APNS_PRIVATE_KEY_FILE"] {
                    variables["POSTERN_APNS_KEY_ID"] = "ABCDEFGHIJ"
                    variables["POSTERN_APNS_TEAM_ID"] = "TEAM123456"
                }
                for name in names { variables["POSTERN_" + name] = file }
                try await expectRefusal(["serve"], variables, place, "\(names[0])=\(file)")
                try await expectRefusal(["config", "check"], variables, place, "\(names[0])=\(file)")
            }
        }
    }

    @Test("databases: those that need one refuse what is none, and none makes a directory")
    func databases() async throws {
        let place = try await makePlace()
        let readers = [
            ["users", "list"], ["users", "import", "text"], ["users", "export", "out"], ["keys", "list"], ["keys", "rotate"],
            ["audit"], ["admin-token", "list"], ["service-account", "create", "a", "--output", "out"], ["providers", "list"],
            ["backup", "out"],
        ]
        for path in ["missing", "missing/below.sqlite", "empty.sqlite", "folder", "text", "text/below.sqlite"] {
            for arguments in readers { try await expectRefusal(arguments, store(place, path), place, path) }
            let copy = ["copy", "--from", "sqlite:\(path)", "--to", "sqlite:out.sqlite"]
            try await expectRefusal(copy, place.variables, place)
        }
        for path in ["missing/below.sqlite", "folder", "text", "text/below.sqlite"] {
            for arguments in [["migrate"], ["serve"]] { try await expectRefusal(arguments, store(place, path), place, path) }
            let copy = ["copy", "--from", "sqlite:good.sqlite", "--to", "sqlite:\(path)"]
            try await expectRefusal(copy, place.variables, place)
        }
    }

    @Test("the directory of the default database is made all the same")
    func defaultDatabase() async throws {
        let place = try await CommandPlace.make(project: "config: {}\n")
        let variables = place.variables.filter { $0.key != "POSTERN_DATABASE_URL" }
        let (code, text) = try await run(["migrate"], variables, place)
        #expect(code == 0, "\(text)")
        #expect(FileManager.default.fileExists(atPath: place.directory + "/data/postern.sqlite"))
    }

    @Test("files to make: where there is something already, or no directory")
    func outputs() async throws {
        let place = try await makePlace()
        try place.write(#"{"users":[]}"#, to: "none.json")
        for path in ["empty", "folder", "text", "missing/below", "text/below", ""] {
            for arguments in [
                ["backup", path], ["users", "export", path], ["users", "import", "none.json", "--report", path],
                ["service-account", "create", "a", "--output", path],
            ] {
                // A backup goes into a directory, by a name of its own.
                if arguments == ["backup", "folder"] { continue }
                let reason = path.isEmpty ? "cannot make a file with an empty name" : ""
                try await expectRefusal(arguments, store(place, "good.sqlite"), place, saying: reason)
            }
        }
    }

    @Test("files of users, of every format")
    func imports() async throws {
        let place = try await makePlace()
        for format in ["json", "csv", "auth0", "supabase", "keycloak"] {
            for file in Self.unusable + [""] {
                let arguments = ["users", "import", file, "--format", format]
                let reason = file.isEmpty ? "cannot read a file with an empty name" : ""
                try await expectRefusal(arguments, store(place, "good.sqlite"), place, saying: reason)
            }
        }
        try place.write("[]", to: "none.json")
        for file in Self.unusable {
            let arguments = ["users", "import", "none.json", "--format", "auth0", "--passwords", file]
            try await expectRefusal(arguments, store(place, "good.sqlite"), place)
        }
    }

    @Test("a password that is too long for any hash, none, or no text")
    func passwords() async throws {
        let place = try await makePlace()
        let letter = UInt8(ascii: "a")
        for (name, bytes) in [
            ("long", Data(repeating: letter, count: 4097)), ("endless", Data(repeating: letter, count: 1 << 20)),
            ("none", Data("\n".utf8)), ("broken", Data([letter, 0xff, letter, 0x0a])),
        ] {
            try bytes.write(to: URL(fileURLWithPath: place.directory + "/password"))
            let command = "exec \"$0\" users create --email a@example.com --password-stdin <password"
            let (code, text) = try await ServerProcess(
                ["-c", command, ServerProcess.path(of: "postern")],
                executable: "/bin/sh",
                environment: store(place, "good.sqlite"),
                directory: place.directory
            ).waitForOutput()
            #expect(code == 1, "\(name)")
            #expect(text.hasPrefix("Error: ") && text.contains(" password"), "\(name): \(text)")
        }
        let (_, list) = try await run(["users", "list", "--json"], store(place, "good.sqlite"), place)
        #expect(list.contains(#"{"users":[]}"#), "\(list)")
    }
}
