import Foundation
import Project
import TestKit
import Testing

@Suite("Users move in and out from the command line", .teardown, .timeLimit(.minutes(15)))
struct MovingCommandTests {
    private func makePlace(_ variables: [String: String] = [:]) async throws -> CommandPlace {
        let project = "config: {signIn: {anonymous: {enabled: true}, email: {enabled: true}}}"
        let place = try await CommandPlace.make(project: project, variables)
        try await place.serving { _ in }
        return place
    }

    private func signIn(_ client: TestClient, _ email: String, _ password: String) async throws -> Int {
        let body: JSONValue = ["email": .string(email), "password": .string(password)]
        return try await client.post("/v1/accounts:signInWithPassword?key=k", body).status
    }

    private static let scryptFile = """
        {"users": [
        {"localId": "one", "email": "one@b.c", "emailVerified": true, "createdAt": "1000", "salt": "42xEC+ixf3L2lw==",
         "passwordHash": "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="},
        {"localId": "two", "email": "ONE@b.c"}, {"localId": "three", "phoneNumber": "12"}, {"email": "x@b.c"},
        {"localId": "four", "disabled": true, "odd": 1, "providerUserInfo": [{"providerId": "google.com", "rawId": "g"}]}
        ]}
        """
    private static let hashConfig = """
        hash_config {
          algorithm: SCRYPT,
          base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
          base64_salt_separator: Bw==,
          rounds: 8,
          mem_cost: 14,
        }
        """
    private static let hashFlags = [
        "--hash-algo", "scrypt", "--hash-key",
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==", "--salt-separator", "Bw==",
        "--rounds", "8", "--mem-cost", "14",
    ]

    @Test("a Firebase export is tried, moved in, and moved in again; its users sign in as before (IMP-01, IMP-02)")
    func firebase() async throws {
        let place = try await makePlace()
        try place.write(Self.scryptFile, to: "users.json")
        try place.write(Self.hashConfig, to: "hash.txt")
        let tried = try await place.json(["users", "import", "users.json", "--dry-run"] + Self.hashFlags, code: 2)
        #expect(tried["imported"] == 2 && tried["rejected"] == 3 && tried["dryRun"] == true)
        #expect(try await place.json(["users", "list"])["users"] == [])
        #expect(try await place.run(["users", "import", "users.json"]).text.contains("MISSING_HASH_ALGORITHM"))
        let moving = ["users", "import", "users.json", "--hash-config", "hash.txt"]
        let first = try await place.json(moving + ["--report", "r.ndjson"], code: 2)
        #expect(first["rows"] == 5 && first["imported"] == 2 && first["rejected"] == 3)
        #expect(first["notes"]?["odd is not kept"] == 1)
        let entries = try place.read("r.ndjson").split(separator: "\n").map { try JSONValue.parse($0.utf8) }
        let report = entries.filter { $0["kind"] == "rejected" }
        #expect(report.compactMap { $0["row"]?.integer } == [2, 3, 4])
        #expect(report.first?["reason"] == "email exists in other account in database")
        #expect(report.first?["line"] == 4)
        let again = try await place.json(moving, code: 2)
        #expect(again["imported"] == 0 && again["unchanged"] == 2 && again["rejected"] == 3)
        try await place.serving { client async throws in
            #expect(try await signIn(client, "one@b.c", "user1password") == 200)
            #expect(try await signIn(client, "one@b.c", "wrong-password") == 400)
        }
        #expect(try await place.json(["users", "show", "four"])["disabled"] == true)
        try place.write(#"{"users":[{"localId":"odd","email":"odd@b.c","passwordHash":"AAAA"}]}"#, to: "odd.json")
        let odd = try await place.json(["users", "import", "odd.json", "--report", "o.ndjson"] + Self.hashFlags)
        #expect(odd["imported"] == 1 && odd["rejected"] == 0)
        let note = try JSONValue.parse(try place.read("o.ndjson").utf8)
        #expect(note["kind"] == "note" && note["localId"] == "odd")
        #expect(note["reason"]?.string?.contains("no password opens it") == true)
        let (code, text) = try await place.run(["users", "import", "none.json"])
        #expect(code == 1 && text.contains("cannot read"))
        try place.write(String(Self.scryptFile.dropLast(20)), to: "cut.json")
        let cut = try await place.run(["users", "import", "cut.json"] + Self.hashFlags)
        #expect(cut.code == 1 && cut.text.contains("the file ends in the middle"))
        #expect(cut.text.contains("4 rows: 0 imported, 0 had been imported before, 4 rejected"))
        #expect(try await place.json(["audit", "--event", "import"])["events"]?.array?.count == 3)
    }

    @Test("users of Keycloak, Supabase and Auth0 sign in with their old passwords")
    func others() async throws {
        let place = try await makePlace()
        let hashes = [
            ("pbkdf2", 200_000, "GqDvNr+GNj+4UaRrsWsNc/wqCnXI9zVVTg2Hm7oyaTkjHdTOCX0S4T441wo6CO/U53E3tQmr/65WTr9n7SM2+g=="),
            ("pbkdf2-sha256", 27_500, "EAMExuND09yyw6kPwDeBOm06uKvn1Lom+Rqt7y13I92zJWrNmqo/cmaYCKnjfx5fGv9NNgbqOJJ+Q2fLDsJSRA=="),
            (
                "pbkdf2-sha512", 210_000,
                "W2yErcx6SPrlHEOaP5TDnTpZpxq1iER+39tqvNGlvkBZwHzjs0h+fuIil8osOIJp3Zh3rPRV9htPSzOy/fQPRA=="
            ),
        ]
        let users = hashes.map { name, rounds, hash -> JSONValue in
            let secret: JSONValue = ["value": .string(hash), "salt": "c2FsdHktc2FsdC0xNmJ5dA=="]
            let data: JSONValue = ["algorithm": .string(name), "hashIterations": .integer(Int64(rounds))]
            return [
                "id": .string(name), "email": .string("\(name)@b.c"),
                "credentials": [["type": "password", "secretData": .string(secret.text), "credentialData": .string(data.text)]],
            ]
        }
        try place.write(JSONValue.object(["realm": "r", "users": .array(users)]).text, to: "realm.json")
        #expect(try await place.json(["users", "import", "realm.json", "--format", "keycloak"])["imported"] == 3)
        let bcrypt = "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"
        try place.write("id,email,encrypted_password\r\ns,s@b.c,\(bcrypt)\r\n", to: "auth.csv")
        #expect(try await place.json(["users", "import", "auth.csv", "--format", "supabase"])["imported"] == 1)
        let firebase = [
            "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==",
            "sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$"
                + "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
        ].joined(separator: ",")
        try place.write("id,email,encrypted_password\r\nf,f@b.c,\"\(firebase)\"\r\n", to: "moved.csv")
        #expect(try await place.json(["users", "import", "moved.csv", "--format", "supabase"])["imported"] == 1)
        try place.write(#"{"users":[{"id":"l","email":"l@b.c","aud":"authenticated"}],"aud":"authenticated"}"#, to: "list.json")
        #expect(try await place.json(["users", "import", "list.json", "--format", "supabase"])["imported"] == 1)
        let whole = JSONValue.array([
            ["id": "m", "realm": "master", "users": []], ["id": "r", "realm": "r", "users": .array(users)],
        ])
        try place.write(whole.text, to: "server.json")
        let refused = try await place.run(["users", "import", "server.json", "--format", "keycloak"])
        #expect(refused.code == 2 && refused.text.contains("--users realm_file"), "\(refused.text)")
        try place.write("{\"user_id\":\"auth0|1\",\"email\":\"o@b.c\"}\n", to: "users.ndjson")
        try place.write("{\"_id\":{\"$oid\":\"1\"},\"passwordHash\":\"\(bcrypt)\"}\n", to: "hashes.ndjson")
        let auth0 = ["users", "import", "users.ndjson", "--format", "auth0", "--passwords", "hashes.ndjson"]
        #expect(try await place.json(auth0)["imported"] == 1)
        try await place.serving { client async throws in
            for (name, _, _) in hashes { #expect(try await signIn(client, "\(name)@b.c", "secret-pass") == 200, "\(name)") }
            for email in ["s@b.c", "o@b.c"] { #expect(try await signIn(client, email, "U*U*U") == 200, "\(email)") }
            #expect(try await signIn(client, "s@b.c", "U*U*") == 400)
            #expect(try await signIn(client, "f@b.c", "user1password") == 200)
        }
    }

    @Test("what is moved out of one store moves into another of either engine, and users sign in there (IMP-03)")
    func roundTrip() async throws {
        let place = try await makePlace()
        let body: JSONValue = ["email": "ada@b.c", "password": "secret-1", "displayName": "=cmd()"]
        try await place.serving { client async throws in
            #expect(try await client.post("/v1/accounts:signUp?key=k", body).status == 200)
        }
        for format in ["json", "csv", "postern"] {
            let plain = try await place.json(["users", "export", format, "--format", format])
            #expect(plain["users"] == 1 && plain["hashes"] == 0 && plain["hashesLeftOut"] == 1)
            #expect(try !place.read(format).contains("passwordHash"))
            let mode = try FileManager.default.attributesOfItem(atPath: place.directory + "/" + format)[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
        #expect(try place.read("csv").contains(",'=cmd(),"))
        // The file's name says it, too.
        #expect(try await place.json(["users", "export", "all.csv"])["users"] == 1)
        #expect(try place.read("all.csv") == place.read("csv"))
        #expect(try await place.json(["users", "import", "all.csv", "--dry-run", "--overwrite"])["imported"] == 1)
        #expect(try await place.run(["users", "export", "json"]).text.contains("is there already"))
        let whole = try await place.json(["users", "export", "whole.json", "--format", "postern", "--with-passwords"])
        #expect(whole["hashes"] == 1)
        for file in ["json", "csv", "whole.json"] {
            let format = file == "csv" ? "csv" : "json"
            let other = try await makePlace()
            try other.write(try place.read(file), to: "in")
            #expect(try await other.json(["users", "import", "in", "--format", format])["imported"] == 1)
            #expect(try await other.json(["users", "show", "ada@b.c"])["displayName"] == "=cmd()")
        }
        let uri = try await ThrowawayPostgreSQL.shared().makeDatabase()
        let other = try await makePlace(["POSTERN_DATABASE_URL": uri])
        try other.write(try place.read("whole.json"), to: "in.json")
        #expect(try await other.json(["users", "import", "in.json"])["imported"] == 1)
        #expect(try await other.json(["users", "import", "in.json"])["unchanged"] == 1)
        try await other.serving { client async throws in
            #expect(try await signIn(client, "ada@b.c", "secret-1") == 200)
        }
    }

    @Test("texts that a spreadsheet, a space or a quote could spoil come back from Postern's own CSV as they were (IMP-04)")
    func ownRoundTrip() async throws {
        let names = ["'=x", "=cmd()", "''@a", " spaced  ", "\"quoted", "a\nb", "a,b\"", "'plain", "a\rb", "x\",\"y"]
        let users = names.enumerated().map { index, name -> JSONValue in
            ["localId": .string("u\(index)"), "displayName": .string(name), "customAttributes": #"{"a":"x\"y"}"#]
        }
        let place = try await makePlace()
        try place.write(JSONValue.object(["users": .array(users)]).text, to: "in.json")
        #expect(try await place.json(["users", "import", "in.json"])["imported"] == .integer(Int64(names.count)))
        #expect(try await place.json(["users", "export", "out.csv"])["users"] == .integer(Int64(names.count)))
        let other = try await makePlace()
        try other.write(try place.read("out.csv"), to: "out.csv")
        #expect(try await other.json(["users", "import", "out.csv"])["imported"] == .integer(Int64(names.count)))
        for (index, name) in names.enumerated() {
            #expect(try await other.json(["users", "show", "u\(index)"])["displayName"] == .string(name), "\(name)")
        }
    }

    @Test(
        "--overwrite takes what the file changed, --overwrite=all replaces, and neither takes what stands behind it for its value (IMP-05)"
    )
    func overwriting() async throws {
        let place = try await makePlace()
        func file(_ name: String, _ photo: String) throws {
            try place.write(
                #"{"users":[{"localId":"a","email":"a@b.c","displayName":"\#(name)","photoUrl":"\#(photo)"}]}"#,
                to: "users.json"
            )
        }
        try file("One", "https://example.com/1")
        #expect(try await place.json(["users", "import", "users.json"])["imported"] == 1)
        #expect(try await place.json(["users", "import", "--overwrite", "users.json"])["unchanged"] == 1)
        try file("One", "https://example.com/2")
        #expect(try await place.json(["users", "import", "users.json"], code: 2)["rejected"] == 1)
        #expect(try await place.json(["users", "import", "--overwrite", "users.json"])["imported"] == 1)
        #expect(try await place.json(["users", "show", "a"])["photoUrl"] == "https://example.com/2")
        #expect(try await place.json(["users", "import", "users.json", "--overwrite=all"])["unchanged"] == 1)
        try file("Two", "https://example.com/2")
        #expect(try await place.json(["users", "import", "users.json", "--overwrite=all"])["imported"] == 1)
        #expect(try await place.json(["users", "show", "a"])["displayName"] == "Two")
        #expect(try await place.run(["users", "import", "users.json", "--overwrite=some"]).code != 0)
    }

    @Test("a file of 200,000 rows is checked in the memory of a few", .timeLimit(.minutes(15)))
    func bounded() async throws {
        let place = try await makePlace()
        let path = place.directory + "/large.json"
        #expect(FileManager.default.createFile(atPath: path, contents: Data("{\"users\":[".utf8)))
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        let photo = String(repeating: "p", count: 500)
        for block in 0..<200 {
            let rows = (block * 1000..<block * 1000 + 1000).map {
                "{\"localId\":\"user-\($0)\",\"email\":\"user-\($0)@example.com\",\"photoUrl\":\"\(photo)\"}"
            }
            try file.write(contentsOf: Data(((block == 0 ? "" : ",") + rows.joined(separator: ",\n")).utf8))
        }
        try file.write(contentsOf: Data("]}".utf8))
        try file.close()
        let process = try ServerProcess(
            ["users", "import", "large.json", "--dry-run", "--json"],
            environment: place.variables,
            directory: place.directory
        )
        let watch = Task {
            var largest = 0
            while !Task.isCancelled {
                largest = max(largest, process.residentBytes)
                try? await Task.sleep(for: .milliseconds(20))
            }
            return largest
        }
        let (code, text) = await process.waitForOutput()
        watch.cancel()
        #expect(code == 0)
        #expect(text.contains("\"imported\":200000"))
        // The file alone has 110 MB.
        #expect(await watch.value < 100 << 20)
    }

    @Test("a development server reads an emulator's export, and writes one that it reads again")
    func emulatorDirectory() async throws {
        let place = try await CommandPlace.make(project: "", ["POSTERN_MODE": "development", "POSTERN_PROJECT_FILE": ""])
        let directory = place.directory
        try FileManager.default.createDirectory(atPath: directory + "/in/auth_export", withIntermediateDirectories: true)
        try place.write(
            #"{"version":"13.0.0","auth":{"version":"13.0.0","path":"auth_export"}}"#,
            to: "in/firebase-export-metadata.json"
        )
        try place.write(
            #"""
            {"kind":"identitytoolkit#DownloadAccountResponse","users":[{"localId":"e","email":"e@b.c","createdAt":"1000",
            "passwordHash":"fakeHash:salt=fakeSaltX:password=secret-1","salt":"fakeSaltX","passwordUpdatedAt":5}]}
            """#,
            to: "in/auth_export/accounts.json"
        )
        try place.write(#"{"users":[{"localId":"t","tenantId":"acme"}]}"#, to: "in/auth_export/accounts-acme.json")
        try place.write(#"{"signIn":{"allowDuplicateEmails":true}}"#, to: "in/auth_export/config.json")
        for (source, target) in [("in", "out"), ("out", "out")] {
            let server = try ServerProcess(
                ["serve", "--ephemeral", "--import", source, "--export-on-exit", target],
                environment: place.variables,
                directory: directory
            )
            let client = TestClient(try await server.waitUntilReady())
            #expect(try await signIn(client, "e@b.c", "secret-1") == 200)
            #expect(await server.terminate() == 0)
            let accounts = try JSONValue.parse(try place.read("out/auth_export/accounts.json").utf8)
            #expect(accounts["users"]?[0]?["localId"] == "e")
            #expect(try place.read("out/auth_export/accounts-acme.json").contains("\"t\""))
            #expect(try place.read("out/auth_export/config.json").contains("\"allowDuplicateEmails\":true"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasPrefix(".out") } == [])
        }
        var production = place.variables
        production["POSTERN_MODE"] = "production"
        let refused = try ServerProcess(["serve", "--import", "in"], environment: production, directory: directory)
        #expect(await refused.waitForOutput().code == 1)
    }
}
