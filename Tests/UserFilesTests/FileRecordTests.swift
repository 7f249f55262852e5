import Accounts
import Foundation
import Project
import TestKit
import Testing

@testable import UserFiles

/// The records of a file, with `nil` for each record that cannot be read.
private func json(_ text: String, member: String? = "users", isOptional: Bool = false) async throws -> [JSONValue?] {
    try await json(Data(text.utf8), member: member, isOptional: isOptional)
}

private func json(_ data: Data, member: String? = "users", isOptional: Bool = false) async throws -> [JSONValue?] {
    try await withTemporaryDirectory { directory in
        try data.write(to: URL(fileURLWithPath: directory + "/f"))
        var records = JSONRecords(try FileBytes(FileSource(path: directory + "/f")), member: member, isOptional: isOptional)
        var found: [JSONValue?] = []
        while let record = try records.next() {
            if case .object(let members) = record.content { found.append(.object(members)) } else { found.append(nil) }
        }
        return found
    }
}

private func csv(_ data: Data) async throws -> [[String]?] {
    try await withTemporaryDirectory { directory in
        try data.write(to: URL(fileURLWithPath: directory + "/f"))
        let bytes = try FileBytes(FileSource(path: directory + "/f"))
        var records = CSVRecords(bytes)
        var found: [[String]?] = []
        while let record = try records.next() {
            switch record.content {
            case .cells(let cells): found.append(cells)
            case .object(let members): found.append([JSONValue.object(members).text])
            case .unreadable: found.append(nil)
            }
        }
        return found
    }
}

@Suite("Files of users are read record by record")
struct FileRecordTests {
    @Test("the list stands in a member, is the whole file, or is objects one after the other")
    func shapes() async throws {
        let one: JSONValue = ["a": "x]}\\\"{"]
        let text = one.text
        #expect(try await json("{\"users\": [\n\(text),\n\(text)]}\n") == [one, one])
        #expect(try await json("\u{feff}{\"kind\":\"k{\",\"n\":12,\"users\":[\(text)],\"more\":{\"users\":[1]}}") == [one])
        #expect(try await json("[\(text)]\r\n") == [one])
        #expect(try await json("[]") == [])
        #expect(try await json("{\"users\":[]}") == [])
        #expect(try await json("\(text)\r\n\(text)\n", member: nil) == [one, one])
    }

    @Test("a record that is none does not hold up the others")
    func badRecords() async throws {
        let huge = String(repeating: "x", count: FileRecord.maximumBytes)
        let found = try await json("[1, \"text\", {\"a\":01}, null, {\"a\":\"\(huge)\"}, {\"b\":1}]")
        #expect(found == [nil, nil, nil, nil, nil, ["b": 1]])
        var bytes = Data("[{\"a\":\"".utf8)
        bytes += [0xFF, 0xFE]
        bytes += Data("\"},{\"b\":1}]".utf8)
        #expect(try await json(bytes) == [nil, ["b": 1]])
    }

    @Test(
        "a file that is cut off or torn is refused where it breaks",
        arguments: [
            "{", "{\"users\"", "{\"users\":[{\"a\":1}", "{\"users\":[{\"a\":1},", "[{\"a\":\"", "[{} {}]", "[,{}]",
            "{\"kind\":1}", "[{}]}",
            "true", "{\"users\":[{}]} x", "[}",
        ]
    )
    func torn(text: String) async throws {
        await #expect(throws: MalformedFile.self) { () async throws in _ = try await json(text) }
    }

    @Test("CSV: more combining marks in a row than any text has, in cells and in names of columns (RES-01)", arguments: [30, 31])
    func marks(count: Int) async throws {
        let text = "a" + String(repeating: "\u{301}", count: count)
        let isGood = count == 30
        let found = try await csv(Data("a\nx\(text)\ny\n".utf8))
        #expect(found == [isGood ? [JSONValue.object(["a": .string("x\(text)")]).text] : nil, ["{\"a\":\"y\"}"]])
        let named = Data("\(text),b\n1,2\n".utf8)
        if isGood {
            #expect(try await csv(named).count == 1)
        } else {
            await #expect(throws: MalformedFile.self) { try await csv(named) }
        }
    }

    @Test("CSV: quotes, either end of line, a byte order mark, empty lines")
    func csvForms() async throws {
        let text = "\u{feff}id,x,y\r\n\"b \"\"c\"\",\nd\", e,\r\n\r\n1,,\n"
        let first: JSONValue = ["id": "b \"c\",\nd", "x": " e"]
        #expect(try await csv(Data(text.utf8)) == [[first.text], ["{\"id\":\"1\"}"]])
        #expect(
            try await csv(Data("id,x\n1,\n2,\"y\"\n3\n".utf8)) == [["{\"id\":\"1\"}"], ["{\"id\":\"2\",\"x\":\"y\"}"], nil]
        )
        #expect(try await csv(Data("a\n".utf8) + Data([0xFF, 0x0A, 0x62])) == [nil, ["{\"a\":\"b\"}"]])
        await #expect(throws: MalformedFile.self) { () async throws in _ = try await csv(Data("a\na,\"b".utf8)) }
        let huge = Data("a\n".utf8) + Data(repeating: 0x61, count: FileRecord.maximumBytes + 1) + Data("\nb".utf8)
        #expect(try await csv(huge) == [nil, ["{\"a\":\"b\"}"]])
    }

    @Test(
        "a file has a record in every 16 MB, whatever else it has: space, members that are passed over, or a record without end"
    )
    func withoutRecords() async throws {
        let much = String(repeating: " ", count: Int(FileBytes.mostBetweenRecords) + (1 << 19))
        for text in [
            "[\(much)", "{\"a\":\"\(much)\",\"users\":[]}", "[{\"a\":\"\(much)\"}]", "{\"users\":[{}],\"a\":\"\(much)\"}",
        ] {
            await #expect(throws: MalformedFile.self) { () async throws in _ = try await json(text) }
        }
        let lines = Data(repeating: UInt8(ascii: "\n"), count: much.utf8.count)
        await #expect(throws: MalformedFile.self) { () async throws in _ = try await csv(lines) }
        let records = String(repeating: "{\"a\":\"\(String(repeating: "x", count: 1000))\"},", count: 20_000)
        #expect(try await json("[\(records){}]").count == 20_001)
    }

    @Test("CSV: a cell that begins with many spaces costs no more than another (RES-01)", .timeLimit(.minutes(1)))
    func spaces() async throws {
        let cell = "\"\(String(repeating: " ", count: 500_000))\"" + String(repeating: "x\"", count: 200_000)
        let found = try await csv(Data("a,b\n\(cell),b\n".utf8))
        #expect(found.count == 1 && found[0] != nil)
    }

    @Test("the list may be wrapped, or its objects stand one after the other, where a format has both")
    func wrapped() async throws {
        func read(_ text: String) async throws -> [JSONValue?] { try await json(text, isOptional: true) }
        #expect(try await read("{\"users\":[{\"a\":1},{\"a\":2}],\"aud\":\"x\"}") == [["a": 1], ["a": 2]])
        #expect(try await read("{\"aud\":[1],\"n\" : null , \"users\":[{\"a\":1}]}") == [["a": 1]])
        #expect(try await read("{\"a\": 1, \"b\":\"}\"}\n{\"a\":2}") == [["a": 1, "b": "}"], ["a": 2]])
        #expect(try await read("{}") == [[:]])
        #expect(try await read("[{\"a\":1}]") == [["a": 1]])
        let huge = String(repeating: "x", count: FileRecord.maximumBytes)
        #expect(try await read("{\"a\":\"\(huge)\",\"b\":[2]}{\"a\":2}") == [nil, ["a": 2]])
        await #expect(throws: MalformedFile.self) { () async throws in _ = try await read("{\"a\":1") }
    }
}

@Suite("Users of other servers become accounts")
struct UserFormatTests {
    private func members(_ text: String) throws -> FileRecord.Content {
        .object(try #require(try JSONValue.parse(text.utf8).object))
    }

    @Test("Auth0: the hash comes from the row or the second file, identities are renamed, the rest is noted")
    func auth0() async throws {
        try await withTemporaryDirectory { directory in
            let hash = "$2b$10$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
            let lines =
                "\u{feff}{\"_id\":{\"$oid\":\"1\"},\"passwordHash\":\"x\"}\r\n{\"_id\":{\"$oid\":\"2\"},\"passwordHash\":\"\(hash)\"}\n"
            try lines.write(toFile: directory + "/p", atomically: true, encoding: .utf8)
            let format = Auth0Format(passwords: try Auth0Passwords(path: directory + "/p"))
            let user = try format.user(
                members(
                    #"""
                    {"user_id":"auth0|2","email":"a@b.c","email_verified":true,"blocked":true,"name":"A","created_at":
                    "2020-01-02T03:04:05.678Z","app_metadata":{"role":"x"},"user_metadata":{"shoe":1},"phone_number":"+15555550100",
                    "identities":[{"provider":"auth0","user_id":"2"},{"provider":"google-oauth2","user_id":"g"},
                    {"provider":"odd","user_id":"o"}],"mfa_factors":[{"totp":{"secret":"s"}}]}
                    """#
                )
            )
            let account = user.account
            #expect(account.localID == "auth0|2" && account.isDisabled && account.emailVerified)
            #expect(account.passwordHash == Data(hash.utf8).base64EncodedString())
            #expect(account.passwordParameters == ["hashAlgorithm": "BCRYPT"])
            #expect(account.providers.map(\.providerID) == ["google.com"])
            #expect(account.customAttributes == #"{"role":"x"}"#)
            #expect(account.phoneNumber == nil)
            #expect(user.notes.count == 4, "\(user.notes)")
            let unknown = try format.user(members(#"{"user_id":"auth0|1"}"#))
            #expect(unknown.account.passwordHash == nil && unknown.notes.count == 1)
            #expect(throws: UnusableRecord.self) { try format.user(self.members(#"{"user_id":["x"]}"#)) }
            // What cannot be claims costs the claims, and not the user.
            let long = String(repeating: "x", count: 1000)
            for data in [#"{"iss":"me"}"#, "{\"a\":\"\(long)\"}", #""text""#] {
                let user = try format.user(members("{\"user_id\":\"auth0|3\",\"email\":\"a@b.c\",\"app_metadata\":\(data)}"))
                #expect(user.account.email == "a@b.c" && user.account.customAttributes == nil, "\(data)")
                #expect(user.notes.contains { $0.hasPrefix("app_metadata ") }, "\(user.notes)")
            }
            try "{\"x\":1}\n".write(toFile: directory + "/bad", atomically: true, encoding: .utf8)
            #expect(throws: MalformedFile.self) { _ = try Auth0Passwords(path: directory + "/bad") }
        }
    }

    @Test("Supabase: only what was confirmed counts, and who was deleted stays away")
    func supabase() throws {
        let format = SupabaseFormat(now: Timestamp(seconds: 1_700_000_000))
        let user = try format.user(
            members(
                #"""
                {"id":"u","email":"a@b.c","encrypted_password":"$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a",
                "email_confirmed_at":"2023-01-01 12:00:00.5+00","phone":"15555550100","banned_until":"2099-01-01 00:00:00+00",
                "raw_user_meta_data":"{\"full_name\":\"A\",\"shoe\":1}","raw_app_meta_data":{"provider":"email","role":"x"},
                "identities":[{"provider":"azure","identity_data":{"sub":"s"}},{"provider":"email"},{"provider":"zoom"}],
                "created_at":"nonsense"}
                """#
            )
        )
        #expect(user.account.emailVerified && user.account.isDisabled && user.account.phoneNumber == nil)
        #expect(user.account.displayName == "A" && user.account.customAttributes == #"{"role":"x"}"#)
        #expect(user.account.providers.map(\.providerID) == ["microsoft.com"])
        #expect(user.notes.count == 5, "\(user.notes)")
        #expect(throws: UnusableRecord.self) { try format.user(self.members(#"{"id":"u","deleted_at":"2020-01-01"}"#)) }
        for (text, isDisabled) in [("infinity", true), ("-infinity", false), ("2001-01-01 00:00:00+00", false)] {
            let row = try members("{\"id\":\"u\",\"banned_until\":\"\(text)\"}")
            #expect(try format.user(row).account.isDisabled == isDisabled, "\(text)")
        }
        #expect(throws: UnusableRecord.self) { try format.user(self.members(#"{"id":"u","raw_user_meta_data":"["}"#)) }
    }

    @Test("Keycloak: PBKDF2 in both of its forms, Argon2, and what has no counterpart is noted")
    func keycloak() throws {
        let format = KeycloakFormat()
        let new = try format.user(
            members(
                #"""
                {"id":"u","username":"ada","enabled":false,"firstName":"A","lastName":"L","email":"a@b.c","emailVerified":true,
                "credentials":[{"type":"password","secretData":"{\"value\":\"aGFzaA==\",\"salt\":\"c2FsdA==\"}",
                "credentialData":"{\"hashIterations\":210000,\"algorithm\":\"pbkdf2-sha512\"}"},{"type":"otp"}],
                "realmRoles":["r"],"federatedIdentities":[{"identityProvider":"github","userId":"7","userName":"a"}]}
                """#
            )
        )
        #expect(new.account.isDisabled && new.account.displayName == "A L" && new.account.screenName == "ada")
        #expect(new.account.passwordParameters == ["hashAlgorithm": "PBKDF2_SHA512", "rounds": 210_000])
        #expect(new.account.providers.first?.rawID == "7")
        #expect(new.notes == ["the otp credential is not kept", "realmRoles is not kept"])
        let old = try format.user(
            members(
                #"{"id":"v","credentials":[{"type":"password","hashedSaltedValue":"a","salt":"b","hashIterations":20000,"algorithm":"pbkdf2"}]}"#
            )
        )
        #expect(old.account.passwordParameters == ["hashAlgorithm": "PBKDF_SHA1", "rounds": 20_000])
        let argon = try format.user(
            members(
                #"""
                {"id":"w","credentials":[{"type":"password","secretData":"{\"value\":\"a\",\"salt\":\"b\"}","credentialData":
                "{\"hashIterations\":5,\"algorithm\":\"argon2\",\"additionalParameters\":{\"hashLength\":[\"32\"],\"memory\":[\"7168\"],\"type\":[\"id\"],\"version\":[\"1.3\"],\"parallelism\":[\"1\"]}}"}]}
                """#
            )
        )
        #expect(argon.account.passwordParameters?["argon2Parameters"]?["memoryCostKib"] == 7168)
        #expect(throws: UnusableRecord.self) { try format.user(self.members(#"{"id":"x","serviceAccountClientId":"c"}"#)) }
        let realm = #expect(throws: UnusableRecord.self) {
            try format.user(self.members(#"{"id":"r","realm":"master","enabled":true,"users":[{"id":"u"}]}"#))
        }
        #expect(realm?.description.contains("--users realm_file") == true)
    }

    @Test("no cell of CSV is a formula, and ids come back as they were (IMP-04)")
    func formulas() throws {
        for text in ["=cmd()", "@x", "+cmd|' /C calc'!A0", "-2+3", "\tx"] {
            #expect(FirebaseCSVFormat.neutralized(text) == "'" + text)
        }
        for text in ["-a_b9", "+15555550100", "plain", "'quoted"] { #expect(FirebaseCSVFormat.neutralized(text) == text) }
        for text in ["'=x", "''@", "'-2+3"] { #expect(FirebaseCSVFormat.neutralized(text) == "'" + text) }
        var cells = [String](repeating: "", count: FirebaseCSVFormat.width)
        (cells[0], cells[5], cells[2]) = ("'=id", "'plain", "TRUE")
        let user = try FirebaseCSVFormat().user(.cells(cells))
        #expect(user.account.localID == "=id" && user.account.displayName == "'plain" && !user.account.emailVerified)
        // Firebase's older tools mark nothing.
        let short = try FirebaseCSVFormat().user(.cells(Array(cells.prefix(26))))
        #expect(short.account.localID == "'=id" && short.account.displayName == "'plain")
        for cells in [[""], ["a", "a@b.c", "true", ""], [String](repeating: "", count: 28)] {
            #expect(throws: UnusableRecord.self) { try FirebaseCSVFormat().user(.cells(cells)) }
        }
    }
}
