import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("An administrator changes accounts", .teardown, .timeLimit(.minutes(15)))
struct AdminUpdateTests {
    private func update(_ server: TestServer, _ body: JSONValue, _ id: String = "u") async throws -> TestClient.Answer {
        try await server.admin("accounts:update", body.merging(["localId": .string(id)]))
    }

    @Test("in every field that is theirs alone", arguments: Engine.allCases)
    func fields(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        _ = try await server.admin("accounts", ["localId": "u"])
        let answer = try await update(
            server,
            [
                "email": "A@B.c", "emailVerified": true, "password": "secret-1", "phoneNumber": "+15555550100",
                "displayName": "Ada", "photoUrl": "https://example.com/a.png", "createdAt": "1000", "lastLoginAt": 2000,
                "validSince": "1700000000", "customAttributes": "{\"role\":\"editor\"}", "disableUser": true,
                "linkProviderUserInfo": [
                    "providerId": "google.com", "rawId": "g-1", "email": "g@b.c", "displayName": "G",
                    "photoUrl": "https://example.com/g.png",
                ],
            ]
        )
        #expect(answer.status == 200 && answer["kind"] == "identitytoolkit#SetAccountInfoResponse")
        #expect(answer["localId"] == "u" && answer["newEmail"] == "a@b.c" && answer["idToken"] == nil)
        let user = try #require(try await server.user("u"))
        for (name, value) in [
            ("email", "a@b.c"), ("emailVerified", true), ("phoneNumber", "+15555550100"), ("displayName", "Ada"),
            ("createdAt", "1000"), ("lastLoginAt", "2000"), ("disabled", true),
            // A new password ends more than the given time does.
            ("validSince", .string("\(server.clock.now.seconds)")), ("customAttributes", "{\"role\":\"editor\"}"),
        ] as [(String, JSONValue)] {
            #expect(user[name] == value, "\(name)")
        }
        let entries = try #require(user["providerUserInfo"]?.array)
        #expect(entries.compactMap { $0["providerId"]?.string } == ["google.com", "password", "phone"])
        #expect(entries[0]["rawId"] == "g-1" && entries[0]["email"] == "g@b.c")
        let cleared = try await update(
            server,
            ["deleteProvider": ["phone", "google.com", "nobody"], "deleteAttribute": ["DISPLAY_NAME"], "customAttributes": "{}"]
        )
        #expect(cleared.status == 200)
        let after = try #require(try await server.user("u"))
        #expect(after["phoneNumber"] == nil && after["displayName"] == nil && after["customAttributes"] == "{}")
        #expect(after["providerUserInfo"]?.array?.count == 1)
        _ = try await update(server, ["deleteProvider": ["password"]])
        #expect(try await server.user("u")?["providerUserInfo"] == nil)
    }

    @Test("and is refused in the contract's order, with nothing written")
    func refusals() async throws {
        let server = try await TestServer.start()
        _ = try await server.admin("accounts", ["localId": "other", "email": "o@b.c", "phoneNumber": "+15555550100"])
        let link: JSONValue = ["linkProviderUserInfo": ["providerId": "google.com", "rawId": "g"]]
        #expect(try await update(server, link, "other").status == 200)
        _ = try await server.admin("accounts", ["localId": "u"])
        #expect(try await server.admin("accounts:update", ["customAttributes": "["]).errorMessage == "MISSING_LOCAL_ID")
        for (body, error) in [
            (["customAttributes": "[]", "email": "x"], "INVALID_CLAIMS"),
            (["idToken": "x", "email": "x"], "INVALID_ID_TOKEN"), (["oobCode": "x", "email": "x"], "INVALID_OOB_CODE"),
            (["email": "x", "password": "x"], "INVALID_EMAIL"), (["email": "O@b.c", "password": "x"], "EMAIL_EXISTS"),
            (
                ["password": "x", "mfa": ["enrollments": [["phoneInfo": "1"]]]],
                "WEAK_PASSWORD : Password should be at least 6 characters"
            ),
            (["mfa": ["enrollments": [["phoneInfo": "1"]]], "phoneNumber": "1"], "INVALID_MFA_PHONE_NUMBER : Invalid format."),
            (
                [
                    "mfa": [
                        "enrollments": [
                            ["phoneInfo": "+15555550111", "mfaEnrollmentId": "a"],
                            ["phoneInfo": "+15555550112", "mfaEnrollmentId": "a"],
                        ]
                    ]
                ], "DUPLICATE_MFA_ENROLLMENT_ID"
            ),
            (["phoneNumber": "1", "linkProviderUserInfo": [:]], "INVALID_PHONE_NUMBER : Invalid format."),
            (["phoneNumber": "+15555550100", "linkProviderUserInfo": [:]], "PHONE_NUMBER_EXISTS"),
            (["displayName": "D", "linkProviderUserInfo": [:]], "MISSING_PROVIDER_ID"),
            (["displayName": "D", "linkProviderUserInfo": ["providerId": "google.com"]], "MISSING_RAW_ID"),
            (link.merging(["displayName": "D"]), "FEDERATED_USER_ID_ALREADY_LINKED"),
            (["mfa": ["enrollments": .null]], "Invalid JSON payload received. /mfa/enrollments must be array"),
        ] as [(JSONValue, String)] {
            #expect(TestServer.outcome(try await update(server, body)) == error)
        }
        #expect(try await server.user("u")?["displayName"] == nil)
        #expect(try await update(server, ["displayName": "D"], "nobody").errorMessage == "USER_NOT_FOUND")
        for body in [["customAttributes": "{}"], ["phoneNumber": "+15555550133", "emailVerified": true]] as [JSONValue] {
            let session = try server.session(try await server.call("signUp", [:]))
            let answer = try await server.call("update", body.merging(session.token))
            let isRefused = body["customAttributes"] != nil
            #expect(answer.errorMessage == (isRefused ? "INSUFFICIENT_PERMISSION" : nil))
            #expect(try await server.user(session.localID)?["phoneNumber"] == nil)
        }
    }

    @Test("of address: the old one is remembered and gets a code, sessions end, verification is lost")
    func email() async throws {
        let server = try await TestServer.start(mode: .development)
        let session = try await server.signUp("a@b.c")
        let id = session.localID
        #expect(try await update(server, ["emailVerified": true], id).status == 200)
        #expect(try await update(server, ["email": "A@B.C"], id)["newEmail"] == "a@b.c")
        #expect(try await server.user(id)?["emailVerified"] == true)
        server.clock.advance(by: .seconds(1))
        #expect(try await update(server, ["email": "new@b.c"], id)["idToken"] == nil)
        let user = try #require(try await server.user(id))
        #expect(user["initialEmail"] == "a@b.c" && user["emailVerified"] == false)
        #expect(try await server.admin("accounts:lookup", ["initialEmail": ["A@b.c"]])["users"]?[0]?["localId"] == .string(id))
        let codes = try await server.core.database.read { try $0.oobCodes(Scope(projectID: "demo-test")) }
        #expect(codes.map(\.type) == [.recoverEmail] && codes.map(\.email) == ["a@b.c"])
        let tokenIsDead = try await server.call("lookup", session.token)
        #expect(tokenIsDead.errorMessage == "TOKEN_EXPIRED")
        #expect(try await update(server, ["email": "third@b.c", "emailVerified": true], id)["emailVerified"] == true)
        #expect(try await server.user(id)?["initialEmail"] == "a@b.c")
    }

    @Test("of second factors: a list replaces, an empty one removes, a TOTP factor is kept by its name and never made")
    func secondFactors() async throws {
        let server = try await TestServer.start()
        _ = try await server.admin("accounts", ["localId": "u", "email": "a@b.c", "emailVerified": true])
        let scope = Scope(projectID: "demo-test")
        let totp = SecondFactor(
            enrollmentID: "totp",
            displayName: "App",
            enrolledAt: Timestamp(milliseconds: 5),
            kind: .totp(sealedSecret: "sealed")
        )
        try await server.core.database.write { transaction in
            var account = try #require(try transaction.account(scope, localID: "u"))
            account.secondFactors = [totp]
            try transaction.updateAccount(scope, account)
        }
        let list: JSONValue = [
            ["mfaEnrollmentId": "totp", "totpInfo": [:]],
            [
                "phoneInfo": "+15555550111", "mfaEnrollmentId": "mine", "displayName": "Work",
                "enrolledAt": "2023-01-02T03:04:05.678Z",
            ], ["phoneInfo": "+15555550112"], ["phoneInfo": "+15555550111", "mfaEnrollmentId": "again"],
        ]
        #expect(try await update(server, ["mfa": ["enrollments": list]]).status == 200)
        let info = try #require(try await server.user("u")?["mfaInfo"]?.array)
        #expect(info.count == 3)
        #expect(info[0]["totpInfo"] == [:] && info[0]["phoneInfo"] == nil && info[0]["displayName"] == "App")
        #expect(info[1]["mfaEnrollmentId"] == "mine" && info[1]["enrolledAt"] == "2023-01-02T03:04:05.678Z")
        #expect(info[1]["unobfuscatedPhoneInfo"] == "+15555550111")
        #expect(info[2]["mfaEnrollmentId"]?.string?.count == 28)
        #expect(try await update(server, ["displayName": "D"]).status == 200)
        #expect(try await server.user("u")?["mfaInfo"]?.array?.count == 3)
        let made = try await update(server, ["mfa": ["enrollments": [["mfaEnrollmentId": "new", "totpInfo": [:]]]]])
        #expect(made.errorMessage == "INVALID_MFA_PHONE_NUMBER : Invalid format.")
        #expect(try await update(server, ["mfa": [:]]).status == 200)
        #expect(try await server.user("u")?["mfaInfo"] == nil)
    }

    @Test("through the account's ID token too, and nobody is signed in by it; every change leaves a record")
    func delegate() async throws {
        let server = try await TestServer.start()
        let session = try server.session(try await server.call("signUp", [:]))
        let token: JSONValue = .string(session.idToken)
        let answer = try await update(server, ["idToken": token, "displayName": "D", "validSince": "1"], session.localID)
        #expect(answer.status == 200 && answer["idToken"] == nil)
        let refused = try await update(server, ["idToken": token, "disableUser": true], session.localID)
        #expect(refused.errorMessage == "OPERATION_NOT_ALLOWED")
        let details = try await server.core.database.read { transaction in
            try transaction.query("SELECT actor, detail FROM audit_events WHERE event = 'update'").map {
                [try $0.text("actor"), try $0.text("detail")]
            }
        }
        #expect(details == [["admin.token", #"{"fields":["displayName","validSince"]}"#]])
    }

    @Test("and deletes them, with the codes that were sent")
    func delete() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let session = try await server.signUp("a@b.c")
        let code = try await server.code("PASSWORD_RESET", ["email": "a@b.c"])
        #expect(try await server.admin("accounts:delete", [:]).errorMessage == "MISSING_LOCAL_ID")
        let id: JSONValue = .string(session.localID)
        let answer = try await server.admin("accounts:delete", ["localId": id])
        #expect(answer.json == ["kind": "identitytoolkit#DeleteAccountResponse"])
        _ = try await server.signUp("a@b.c", "other-secret")
        let reset: JSONValue = ["oobCode": .string(code), "newPassword": "secret-2"]
        #expect(try await server.call("resetPassword", reset).errorMessage == "INVALID_OOB_CODE")
    }

    @Test("and finds them by any of their names, each once, in the order of the request")
    func lookup() async throws {
        let server = try await TestServer.start()
        for (id, email, phone) in [("a", "a@b.c", "+15555550101"), ("b", "b@b.c", "+15555550102")] {
            _ = try await server.admin(
                "accounts",
                ["localId": .string(id), "email": .string(email), "phoneNumber": .string(phone)]
            )
        }
        for (body, ids) in [
            (["localId": ["b", "a", "b", "nobody"]], ["b", "a"]), (["email": ["B@b.c"], "localId": ["a"]], ["a", "b"]),
            (["phoneNumber": ["+15555550102"], "idToken": "ignored"], ["b"]),
            (["federatedUserId": [["providerId": "phone", "rawId": "+15555550101"]]], ["a"]),
            (["federatedUserId": [["providerId": "password", "rawId": "A@b.c"], ["rawId": "x"]]], ["a"]),
            (["email": ["x@b.c"]], nil), ([:], nil),
        ] as [(JSONValue, [String]?)] {
            let answer = try await server.admin("accounts:lookup", body)
            #expect(answer.status == 200)
            #expect(answer["users"]?.array?.compactMap { $0["localId"]?.string } == ids)
        }
    }
}
