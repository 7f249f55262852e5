import Foundation
import Project
import TestKit
import Testing

@Suite("An administrator imports accounts", .teardown, .timeLimit(.minutes(15)))
struct AdminImportTests {
    private func upload(_ server: TestServer, _ body: JSONValue, tenant: String? = nil) async throws -> TestClient.Answer {
        try await server.admin("accounts:batchCreate", body, tenant: tenant)
    }

    @Test("with every field; what no row gave stays unset", arguments: Engine.allCases)
    func fields(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        let users: JSONValue = [
            [
                "localId": "full", "email": "Full@B.c", "emailVerified": true, "displayName": "Full", "disabled": false,
                "phoneNumber": "+15555550100", "customAttributes": "{\"role\":\"x\"}", "createdAt": "1000",
                "lastLoginAt": 2000, "rawPassword": "12345", "unknown": [1],
                "providerUserInfo": [
                    ["providerId": "oidc.test", "rawId": "r", "email": "r@b.c"], ["providerId": "password", "rawId": "x"],
                    ["providerId": "phone", "phoneNumber": "x"],
                ],
                "mfaInfo": [["phoneInfo": "+15555550101", "enrolledAt": "2123-04-05T06:07:28.990Z"]],
            ], ["localId": "bare"],
        ]
        let answer = try await upload(server, ["users": users])
        #expect(answer.json == ["kind": "identitytoolkit#UploadAccountResponse"])
        let full = try #require(try await server.user("full"))
        for (name, value) in [
            ("email", "full@b.c"), ("emailVerified", true), ("createdAt", "1000"), ("lastLoginAt", "2000"),
            ("customAttributes", "{\"role\":\"x\"}"), ("validSince", .string(String(server.clock.now.seconds))),
        ] as [(String, JSONValue)] {
            #expect(full[name] == value, "\(name)")
        }
        let providers = full["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string }
        #expect(providers == ["oidc.test", "password", "phone"])
        #expect(full["mfaInfo"]?[0]?["enrolledAt"] == "2123-04-05T06:07:28.990Z")
        #expect(full["mfaInfo"]?[0]?["mfaEnrollmentId"]?.string?.count == 28)
        let bare = try #require(try await server.user("bare"))
        #expect(bare["lastLoginAt"] == nil && bare["lastRefreshAt"] == nil && bare["emailVerified"] == false)
        #expect(bare["createdAt"] == .string(String(server.clock.now.milliseconds)))
        let session = try server.session(try await server.signIn("oidc.test", try server.oidcToken("r")))
        #expect(session.localID == "full")
        #expect(try await server.auditTrail().filter { $0[0] == "import" }.count == 2)
    }

    @Test("and each row that cannot be is told of, while the others are", arguments: [ServerMode.production, .development])
    func rows(mode: ServerMode) async throws {
        let server = try await TestServer.start(mode: mode)
        let taken: JSONValue = [
            "localId": "taken", "email": "taken@b.c", "phoneNumber": "+15555550100",
            "providerUserInfo": [["providerId": "google.com", "rawId": "g"]],
        ]
        #expect(try await upload(server, ["users": [taken]])["error"] == nil)
        let long = String(repeating: "x", count: 999)
        let mfa: JSONValue = ["email": "m@b.c", "emailVerified": true]
        let isDevelopment = mode == .development
        let rows: [(JSONValue, String?)] = [
            (["email": "x@b.c"], "localId is missing"), (["localId": "good"], nil),
            (["tenantId": "acme"], "Tenant id in userInfo does not match the tenant id in request."),
            (["customAttributes": .string("{\"a\":\"\(long)\"}")], "Custom claims provided are too large."),
            (["customAttributes": "x"], "Invalid custom claims provided."),
            (["customAttributes": "{\"sub\":\"1\"}"], "Custom claims provided include a reserved claim."),
            (
                ["providerUserInfo": [["providerId": "google.com"]]],
                "federatedId or (providerId & rawId) is required"
            ), (["providerUserInfo": [["rawId": "x"]]], "federatedId or (providerId & rawId) is required"),
            (
                ["providerUserInfo": [["federatedId": "foo-bar"]]],
                isDevelopment
                    ? """
                    ((Parsing federatedId is not implemented in Auth Emulator; please specify providerId AND rawId as a \
                    workaround.))
                    """ : "federatedId or (providerId & rawId) is required"
            ),
            (
                ["providerUserInfo": [["providerId": "google.com", "rawId": "g"]], "phoneNumber": "x"],
                "raw id exists in other account in database"
            ), (["phoneNumber": "x", "email": "x"], "phone number format is invalid"),
            (["phoneNumber": "+15555550100"], "phone number exists in other account in database"),
            (["email": "not#an$email"], "email is invalid"),
            (
                ["email": "Taken@b.c"],
                isDevelopment
                    ? "((Auth Emulator does not support importing duplicate email: Taken@b.c))"
                    : "email exists in other account in database"
            ),
            (["mfaInfo": [["phoneInfo": "+15555550111"]]], "Second factor account requires email to be presented."),
            (
                ["email": "m@b.c", "mfaInfo": [["phoneInfo": "+15555550111"]]],
                "Second factor account requires email to be verified."
            ),
            (
                mfa.merging([
                    "mfaInfo": [["phoneInfo": "x", "mfaEnrollmentId": "a"], ["phoneInfo": "x", "mfaEnrollmentId": "a"]]
                ]), "Enrollment id already exists."
            ), (mfa.merging(["mfaInfo": [["totpInfo": [:]]]]), "Second factor not supported."),
            (mfa.merging(["mfaInfo": [["phoneInfo": "x"]]]), "Phone number format is invalid"),
            (
                mfa.merging([
                    "mfaInfo": .array((1...6).map { ["phoneInfo": .string(isDevelopment ? "x" : "+1555555010\($0)")] })
                ]),
                isDevelopment ? "Phone number format is invalid" : "An account has at most 5 second factors."
            ),
            (["localId": "taken"], "localId belongs to an existing account - can not overwrite."),
        ]
        let users = rows.enumerated().map { index, row -> JSONValue in
            index == 0 ? row.0 : JSONValue.object(["localId": .string("row-\(index)")]).merging(row.0)
        }
        let answer = try await upload(server, ["users": .array(users)])
        #expect(answer.status == 200)
        let errors = rows.enumerated().compactMap { index, row -> JSONValue? in
            row.1.map { ["index": .integer(Int64(index)), "message": .string($0)] }
        }
        #expect(answer["error"]?.array == errors)
        let listed = try await server.list()["users"]?.array?.compactMap { $0["localId"]?.string }
        #expect(listed == ["good", "taken"])
    }

    @Test("unless the whole request is wrong: then nothing is imported")
    func requests() async throws {
        let server = try await TestServer.start()
        let twice: JSONValue = [["localId": "a", "email": "d@b.c"], ["localId": "b", "email": "D@b.c"]]
        let linked = JSONValue.array(
            ["a", "b"].map {
                ["localId": .string($0), "providerUserInfo": [["providerId": "google.com", "rawId": "dup"]]]
            }
        )
        let hashed: JSONValue = [["localId": "a", "passwordHash": "aGFzaA=="]]
        for (body, error) in [
            ([:], "MISSING_USER_ACCOUNT"), (["users": []], "MISSING_USER_ACCOUNT"),
            (["users": twice, "sanityCheck": true], "DUPLICATE_EMAIL : d@b.c"),
            (["users": linked, "sanityCheck": true], "DUPLICATE_RAW_ID : Provider id(google.com), Raw id(dup)"),
            (["users": [["localId": "a"], ["localId": "a"]]], "DUPLICATE_LOCAL_ID : a"),
            (["users": hashed], "MISSING_HASH_ALGORITHM"),
            (["users": hashed, "hashAlgorithm": "ROT13"], "INVALID_HASH_ALGORITHM"),
            (["users": hashed, "hashAlgorithm": "HMAC_SHA256"], "INVALID_HASH_KEY"),
            (["users": hashed, "hashAlgorithm": "SHA256", "rounds": 0], "INVALID_HASH_ROUNDS"),
            (
                ["users": hashed, "hashAlgorithm": "SCRYPT", "signerKey": "AAAA", "rounds": 8, "memoryCost": 15],
                "INVALID_HASH_MEMORY_COST"
            ),
            (
                ["users": hashed, "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 1024, "blockSize": 99],
                "INVALID_HASH_BLOCK_SIZE"
            ), (["users": [["localId": "x"], 7]], "Invalid JSON payload received. /users/1 must be object"),
        ] as [(JSONValue, String)] {
            let answer = try await upload(server, body)
            #expect(answer.status == 400)
            #expect(answer.errorMessage?.hasPrefix(error) == true, "\(answer.errorMessage ?? "")")
        }
        #expect(try await upload(server, ["tenantId": "closed"]).errorMessage == "PROJECT_DISABLED")
        #expect(try await server.list()["users"] == [])
    }

    /// The published vector (`Docs/Contract/admin-accounts.md` §10.1).
    private static let vector: (parameters: JSONValue, hash: JSONValue, salt: JSONValue) = (
        [
            "hashAlgorithm": "SCRYPT", "saltSeparator": "Bw==", "rounds": "8", "memoryCost": 14,
            "signerKey": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
        ], "V358E8LdWJXAO7muq0CufVpEOXaj8aFiC7T_rcaGieN04q_ZPJ08WhJEHGjj9lz_2TT-_86N5VjVoc5DdBhBiw==", "TmFDbA=="
    )

    @Test("whose password signs in afterwards and is hashed anew; a wrong key opens nothing")
    func firebaseScrypt() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let vector = Self.vector
        func body(_ id: String, key: JSONValue? = nil) -> JSONValue {
            let user: JSONValue = [
                "localId": .string(id), "email": .string("\(id)@b.c"), "passwordHash": vector.hash,
                "salt": vector.salt,
            ]
            let changed: JSONValue = key.map { ["signerKey": $0] } ?? [:]
            return vector.parameters.merging(["users": [user]]).merging(changed)
        }
        #expect(try await upload(server, body("good"))["error"] == nil)
        let exported = try #require(try await server.list()["users"]?[0])
        #expect(exported["passwordHash"] == vector.hash && exported["salt"] == vector.salt)
        #expect(exported["version"] == 1)
        let other = JSONValue.string(Data(repeating: 9, count: 64).base64EncodedString())
        #expect(try await upload(server, body("bad", key: other))["error"] == nil)
        #expect(try await server.signIn("bad@b.c", password: "password").errorMessage == "INVALID_PASSWORD")
        #expect(try await server.signIn("good@b.c", password: "wrong").errorMessage == "INVALID_PASSWORD")
        #expect(try await server.signIn("good@b.c", password: "password").status == 200)
        #expect(try await server.user("good")?["version"] == 0)
        let short = vector.parameters.merging([
            "users": [["localId": "s", "passwordHash": "AAAA"], ["localId": "t", "passwordHash": "*"]]
        ])
        let refused = try await upload(server, short)
        #expect(refused["error"]?.array?.compactMap { $0["index"]?.integer } == [1])
        #expect(refused["warning"]?.array?.compactMap { $0["index"]?.integer } == [0])
    }

    @Test(
        "whose hash cannot be of the algorithm: the account is there, no password opens it, and the row is warned of (ruling 35)",
        arguments: [ServerMode.production, .development]
    )
    func unusableHashes(mode: ServerMode) async throws {
        let server = try await TestServer.start(mode: mode, project: TestServer.emailProject())
        func user(_ name: String, _ hash: String) -> JSONValue {
            let bytes = Data(hash.utf8).base64EncodedString()
            return ["localId": .string(name), "email": .string("\(name)@b.c"), "passwordHash": .string(bytes)]
        }
        let bcrypt = "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
        let users: JSONValue = [user("good", bcrypt), user("plain", "password"), user("costly", "$2a$31$" + bcrypt.dropFirst(7))]
        let answer = try await upload(server, ["hashAlgorithm": "BCRYPT", "users": users])
        #expect(answer.status == 200 && answer["error"] == nil)
        #expect(answer["warning"]?.array?.compactMap { $0["index"]?.integer } == [1, 2])
        #expect(answer["warning"]?[0]?["message"]?.string?.contains("no password opens it") == true)
        #expect(server.log.lines.contains { $0.contains("hashes imported that no password opens") })
        for name in ["plain", "costly"] {
            #expect(try await server.user(name)?["passwordHash"] != nil)
            for password in ["password", "secret-1"] {
                #expect(try await server.signIn("\(name)@b.c", password: password).errorMessage == "INVALID_PASSWORD")
            }
        }
        // The export has the hash unchanged, as in Firebase.
        let listed = try await server.list()["users"]?.array?.first { $0["localId"] == "plain" }
        #expect(listed?["passwordHash"] == .string(Data("password".utf8).base64EncodedString()))
        // With a new password it is an ordinary account.
        #expect(try await server.admin("accounts:update", ["localId": "plain", "password": "secret-2"]).status == 200)
        #expect(try await server.signIn("plain@b.c", password: "secret-2").status == 200)
    }

    @Test("once: again changes nothing, unless it may overwrite, and then the whole account is another")
    func overwrite() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let old = try server.session(try await server.signIn("oidc.test", try server.oidcToken("o", TestServer.email("a@b.c"))))
        let row: JSONValue = ["localId": .string(old.localID), "phoneNumber": "+15555550100"]
        #expect(try await upload(server, ["users": [row]])["error"]?.array?.count == 1)
        #expect(try await upload(server, ["users": [row], "allowOverwrite": true])["error"] == nil)
        let user = try #require(try await server.user(old.localID))
        #expect(user["email"] == nil && user["phoneNumber"] == "+15555550100")
        #expect(user["providerUserInfo"]?.array?.count == 1)
        #expect(try await server.refresh(old.refreshToken).errorMessage == "TOKEN_EXPIRED")
        let again = try await server.signIn("oidc.test", try server.oidcToken("o", TestServer.email("a@b.c")))
        #expect(again["isNewUser"] == true)
    }
}
