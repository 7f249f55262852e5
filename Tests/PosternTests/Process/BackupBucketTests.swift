import Foundation
import Project
import TestKit
import Testing

@Suite("Backups in object stores", .teardown, .timeLimit(.minutes(15)))
struct BackupBucketTests {
    private func withPlace(_ more: [String: String] = [:], _ body: (CommandPlace, S3Server) async throws -> Void) async throws {
        let server = try await S3Server.start()
        let variables = [
            "AWS_ENDPOINT_URL": server.endpoint, "AWS_ACCESS_KEY_ID": server.credentials.id,
            "AWS_SECRET_ACCESS_KEY": server.credentials.secret, "AWS_REGION": "eu-west-1",
            "POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "true",
        ]
        let project = "config: {signIn: {email: {enabled: true}}}"
        let place = try await CommandPlace.make(project: project, variables.merging(more) { $1 })
        try await place.serving { _ in }
        #expect(try await place.run(["users", "create", "--id", "ada", "--email", "ada@b.c"]).code == 0)
        try await body(place, server)
        let left = try FileManager.default.contentsOfDirectory(atPath: place.directory)
        #expect(
            left.allSatisfy { !$0.contains(".backup-") && !$0.contains(".download-") && !$0.contains(".restore-") },
            "\(left)"
        )
        #expect(try await server.state().uploads.isEmpty)
        #expect(server.requests.allSatisfy { $0["isSigned"] != false })
    }

    /// Makes the database larger by a table that Postern does not know.
    private func grow(_ place: CommandPlace, megabytes: Int) async throws {
        let script = """
            import sqlite3
            store = sqlite3.connect("p.sqlite")
            store.execute("CREATE TABLE padding (bytes BLOB)")
            store.executemany("INSERT INTO padding VALUES (randomblob(1000000))", [()] * \(megabytes))
            store.commit()
            """
        let (code, text) = try await ServerProcess(["-c", script], executable: "/usr/bin/python3", directory: place.directory)
            .waitForOutput()
        #expect(code == 0, "\(text)")
    }

    private func other(_ place: CommandPlace, _ variables: [String: String?]) -> CommandPlace {
        var all = place.variables
        for (name, value) in variables { all[name] = value }
        return CommandPlace(directory: place.directory, variables: all)
    }

    @Test("a backup goes up in parts and comes back as a database; only backups right below the prefix are rotated")
    func wholeWay() async throws {
        try await withPlace { place, server in
            try await grow(place, megabytes: 20)
            let others = [
                "shop/postern-20210101T000000Z.sqlite.sealed", "shop/notes", "shop/postern-x.sqlite",
                "shop/postern-20190101T000000Z.sqlite/x", "shop/postern-20190101T000000Z.sqlite2",
                "shop/a/postern-20190101T000000Z.sqlite",
                "shop2/postern-20190101T000000Z.sqlite", "postern-20190101T000000Z.sqlite",
            ]
            for name in others + ["shop/postern-20200101T000000Z.sqlite"] { try await server.put(name, "old") }
            let made = try await place.json(["backup", "s3://backups/shop/", "--keep", "2"])
            let name = try #require(made["file"]?.string)
            #expect(name.wholeMatch(of: /s3:\/\/backups\/shop\/postern-[0-9]{8}T[0-9]{6}Z\.sqlite/) != nil)
            #expect(made["removed"] == ["s3://backups/shop/postern-20200101T000000Z.sqlite"])
            let objects = try await server.state().objects
            let key = String(name.dropFirst("s3://backups/".count))
            #expect(Set(objects.keys) == Set(others + [key]))
            #expect(objects[key].map(Int64.init) == made["bytes"]?.integer && objects[key] ?? 0 > 20_000_000)
            #expect(server.requests.count { $0["method"] == "PUT" } == 3)

            let checked = try await place.json(["restore", "s3://backups/shop", "--latest", "--check"])
            #expect(
                checked["backup"]?.string == name && checked["signingKeysOpen"] == true && checked["tables"]?["accounts"] == 1
            )
            let restored = try await place.run(["restore", name, "--to", "new.sqlite"])
            #expect(restored.code == 0, "\(restored.text)")
            let mode =
                try FileManager.default.attributesOfItem(atPath: place.directory + "/new.sqlite")[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let on = other(place, ["POSTERN_DATABASE_URL": "sqlite:new.sqlite"])
            #expect(try await on.json(["users", "show", "ada"])["email"] == "ada@b.c")
            let again = server.requests.count
            #expect(try await place.run(["restore", name, "--to", "new.sqlite"]).text.contains("is there already"))
            #expect(server.requests.count == again)
        }
    }

    @Test("names from the future neither cost a backup nor are the latest one")
    func namesFromTheFuture() async throws {
        try await withPlace { place, server in
            let future = "shop/postern-99990101T000000Z.sqlite"
            for name in ["shop/postern-20200101T000000Z.sqlite", future] { try await server.put(name, "other") }
            let made = try await place.json(["backup", "s3://backups/shop", "--keep", "1"])
            let name = try #require(made["file"]?.string)
            #expect(made["removed"] == ["s3://backups/shop/postern-20200101T000000Z.sqlite"])
            let key = String(name.dropFirst("s3://backups/".count))
            #expect(try await Set(server.state().objects.keys) == [future, key])
            #expect(try await place.json(["restore", "s3://backups/shop", "--latest", "--check"])["backup"]?.string == name)
        }
    }

    @Test("an encrypted backup opens with its key alone, at the root of the bucket, with keys of the settings")
    func encrypted() async throws {
        try await withPlace { place, server in
            // What the variables of Amazon's tools say does not matter then.
            let variables = [
                "POSTERN_BACKUP_S3_ENDPOINT": server.endpoint, "POSTERN_BACKUP_S3_REGION": "eu-west-1",
                "POSTERN_BACKUP_S3_ACCESS_KEY_ID": server.credentials.id,
                "POSTERN_BACKUP_S3_SECRET_ACCESS_KEY": server.credentials.secret, "AWS_ACCESS_KEY_ID": "other",
                "AWS_SECRET_ACCESS_KEY": "other", "AWS_SESSION_TOKEN": "other", "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
                "AWS_REGION": "elsewhere",
            ]
            let place = other(place, variables)
            let recipient = try #require(try await place.json(["backup", "keygen", "backup.key"])["recipient"]?.string)
            let made = try await place.json(["backup", "s3://backups", "--recipient", recipient])
            let name = try #require(made["file"]?.string)
            #expect(name.wholeMatch(of: /s3:\/\/backups\/postern-[0-9]{8}T[0-9]{6}Z\.sqlite\.sealed/) != nil)
            let size = try await server.state().objects[String(name.dropFirst("s3://backups/".count))]
            #expect(size.map(Int64.init) == made["bytes"]?.integer)
            let check = ["restore", "s3://backups", "--latest", "--check"]
            #expect(try await place.run(check).text.contains("the backup is encrypted"))
            #expect(try await place.json(check + ["--identity", "backup.key"])["tables"]?["accounts"] == 1)
        }
    }

    @Test("temporary credentials of the environment are used with their token")
    func temporary() async throws {
        try await withPlace { place, server in
            let known = server.temporaryCredentials
            let keys = ["AWS_ACCESS_KEY_ID": known.id, "AWS_SECRET_ACCESS_KEY": known.secret]
            let without = try await other(place, keys).run(["backup", "s3://backups"])
            #expect(without.code == 1 && without.text.contains("the store answered 403 InvalidAccessKeyId"), "\(without.text)")
            let made = try await other(place, keys.merging(["AWS_SESSION_TOKEN": known.token]) { $1 }).run([
                "backup", "s3://backups",
            ])
            #expect(made.code == 0, "\(made.text)")
        }
    }

    @Test("what is wrong is said in a sentence, without a secret, and changes nothing")
    func refusals() async throws {
        try await withPlace { place, server in
            for (variables, arguments, reason) in [
                (
                    ["AWS_SECRET_ACCESS_KEY": "not-it"], ["backup", "s3://backups"],
                    "the store answered 403 SignatureDoesNotMatch: "
                ),
                (["AWS_SECRET_ACCESS_KEY": nil], ["backup", "s3://backups"], "needs credentials"),
                (["POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "false"], ["backup", "s3://backups"], "is no https URL"),
                ([:], ["backup", "s3://other-bucket/x"], "the store answered 404 NoSuchBucket: "),
                ([:], ["backup", "s3://backups/a b"], "expected s3://bucket"),
                ([:], ["restore", "s3://backups", "--check"], "names no backup"),
                ([:], ["restore", "s3://backups", "--latest", "--check"], "there is no backup in s3://backups"),
                ([:], ["restore", "s3://backups/none", "--check"], "the store answered 404 NoSuchKey: "),
                ([:], ["restore", ".", "--latest", "--check"], "there is no backup in ."),
            ] as [([String: String?], [String], String)] {
                let (code, text) = try await other(place, variables).run(arguments)
                #expect(code == 1 && text.contains(reason), "\(arguments): \(text)")
                #expect(!text.contains("not-it") && !text.contains(server.credentials.secret), "\(text)")
            }
            #expect(try await server.state().objects.isEmpty)
        }
    }

    @Test("a backup that fails on its way leaves nothing; one whose rotation fails is there, and the command says so")
    func failures() async throws {
        try await withPlace { place, server in
            let denied = S3Server.Fault.refuse(status: "403 Forbidden", code: "AccessDenied")
            try await server.plan(denied, "PUT", "partNumber=1")
            let (code, text) = try await place.run(["backup", "s3://backups/x"])
            #expect(code == 1 && text.contains("writing part 1 of s3://backups/x/postern-"), "\(text)")
            #expect(text.contains("the store answered 403 AccessDenied: Said the test."), "\(text)")
            #expect(try await server.state().objects.isEmpty)
            try await server.mend()
            try await server.put("x/postern-20200101T000000Z.sqlite", "old")
            try await server.plan(denied, "DELETE", "/x/")
            let kept = try await place.run(["backup", "s3://backups/x", "--keep", "1"])
            #expect(
                kept.code == 1 && kept.text.contains("was made, but older backups were not all removed: removing s3://"),
                "\(kept.text)"
            )
            #expect(try await server.state().objects.count == 2)
        }
    }

    @Test("SIGTERM abandons the upload, and a part at a time is all that is in memory")
    func termination() async throws {
        try await withPlace { place, server in
            try await grow(place, megabytes: 200)
            try await server.plan(.hang, "PUT", "partNumber=20")
            let command = try ServerProcess(["backup", "s3://backups"], environment: place.variables, directory: place.directory)
            try await eventually { server.requests.contains { $0["fault"] == "hang" } }
            #expect((1..<160_000_000).contains(command.peakResidentBytes))
            #expect(try await server.state().uploads.count == 1)
            #expect(await command.terminate() == 1)
            let text = await command.waitForOutput().text
            #expect(text.contains("writing part 20 of s3://backups/postern-") && text.contains("interrupted"), "\(text)")
            try await server.mend()
            #expect(try await server.state().objects.isEmpty)
        }
    }
}
