import Project
import TestKit
import Testing

@Suite("An administrator creates accounts", .teardown, .timeLimit(.minutes(15)))
struct AdminCreateTests {
    @Test("with every field, under every spelling of the path", arguments: Engine.allCases)
    func create(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let answer = try await server.admin(
            "accounts",
            [
                "localId": "ada", "email": "Ada@Example.com", "emailVerified": true, "password": "secret-1",
                "displayName": "Ada", "photoUrl": "https://example.com/a.png", "phoneNumber": "+1 (555) 555-0100",
                "disabled": true,
            ]
        )
        #expect(
            answer.json == [
                "kind": "identitytoolkit#SignupNewUserResponse", "localId": "ada", "email": "ada@example.com",
                "displayName": "Ada",
            ]
        )
        let user = try #require(try await server.user("ada"))
        #expect(user["email"] == "ada@example.com")
        #expect(user["emailVerified"] == true)
        #expect(user["photoUrl"] == "https://example.com/a.png")
        #expect(user["phoneNumber"] == "+15555550100")
        #expect(user["disabled"] == true)
        #expect(user["passwordUpdatedAt"]?.integer == server.clock.now.milliseconds)
        #expect(user["validSince"] == .string(String(server.clock.now.seconds)))
        #expect(user["lastLoginAt"] == nil && user["lastRefreshAt"] == nil)
        #expect(user["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } == ["password", "phone"])
        let empty = try await server.admin("accounts", [:])
        let localID = try #require(empty["localId"]?.string)
        #expect(localID.count == 28)
        #expect(try await server.user(localID)?["emailVerified"] == false)
        #expect(try await server.user(localID)?["providerUserInfo"] == nil)
        let legacy = "/www.googleapis.com/identitytoolkit/v3/relyingparty/signupNewUser"
        for path in ["/v1/accounts:signUp", legacy] {
            let body: JSONValue = ["targetProjectId": "demo-test"]
            let answer = try await server.client.post(path, body, headers: TestServer.bearer)
            #expect(answer.status == 200 && answer["idToken"] == nil, "\(path)")
        }
        #expect(try await server.auditTrail().contains(["create", "admin.token", "ada"]))
    }

    @Test("with a password and no address, whose hash is listed")
    func passwordWithoutEmail() async throws {
        let server = try await TestServer.start()
        _ = try await server.admin("accounts", ["localId": "p", "password": "secret-1"])
        let user = try #require(try await server.user("p"))
        #expect(user["passwordHash"] != .string("UkVEQUNURUQ=") && user["passwordHash"]?.string?.isEmpty == false)
        #expect(user["salt"]?.string?.isEmpty == false)
        #expect(user["version"] == 0)
        #expect(user["providerUserInfo"] == nil)
        let page = try await server.list()
        #expect(page["users"]?[0]?["passwordHash"] == user["passwordHash"])
    }

    @Test("and is refused in the contract's order", arguments: [ServerMode.production, .development])
    func refusals(mode: ServerMode) async throws {
        let server = try await TestServer.start(mode: mode)
        let first: JSONValue = [
            "localId": "first", "email": "a@b.c", "emailVerified": true, "phoneNumber": "+15555550100", "password": "secret",
        ]
        #expect(try await server.admin("accounts", first).status == 200)
        let bad: JSONValue = ["password": "short", "mfaInfo": [["phoneInfo": "1"]]]
        for (body, error) in [
            (["localId": "x", "idToken": "t"], "UNEXPECTED_PARAMETER : User ID"),
            (["localId": "first", "phoneNumber": "1", "email": "x"], "DUPLICATE_LOCAL_ID"),
            (["phoneNumber": "1", "email": "x"], "INVALID_PHONE_NUMBER : Invalid format."),
            (["phoneNumber": "+15555550100", "email": "x"], "PHONE_NUMBER_EXISTS"),
            (["email": "x"], "INVALID_EMAIL"), (["email": "A@B.C"], "EMAIL_EXISTS"),
            ([:], "WEAK_PASSWORD : Password should be at least 6 characters"),
            (["password": "secret"], "INVALID_MFA_PHONE_NUMBER : Invalid format."),
        ] as [(JSONValue, String)] {
            #expect(TestServer.outcome(try await server.admin("accounts", bad.merging(body))) == error)
        }
        let keyed = try await server.client.post(TestServer.adminPath("accounts") + "?key=\(TestServer.apiKey)", [:])
        #expect(keyed.status == (mode == .production ? 401 : 400))
        #expect(try await server.list()["users"]?.array?.count == 1)
    }

    @Test("with second factors, whose ids the server makes and whose numbers count once")
    func secondFactors() async throws {
        try await TestServer.running { server in
            let factors: JSONValue = [
                ["phoneInfo": "+15555550101", "displayName": "Work", "mfaEnrollmentId": "mine"], ["phoneInfo": "+15555550102"],
                ["phoneInfo": "+15555550101"],
            ]
            let body: JSONValue = ["localId": "m", "email": "a@b.c", "emailVerified": true, "mfaInfo": factors]
            #expect(try await server.admin("accounts", body).status == 200)
            let info = try #require(try await server.user("m")?["mfaInfo"]?.array)
            #expect(info.compactMap { $0["phoneInfo"]?.string } == ["+15555550101", "+15555550102"])
            #expect(info.allSatisfy { $0["mfaEnrollmentId"]?.string?.count == 28 })
            #expect(info[0]["displayName"] == "Work")
            #expect(info[0]["enrolledAt"] == .string(server.clock.now.rfc3339))
            let six = JSONValue.array((0..<6).map { ["phoneInfo": .string("+1555555020\($0)")] })
            for (body, error) in [
                (["mfaInfo": factors], "MISSING_EMAIL"), (["mfaInfo": factors, "email": "x@b.c"], "UNVERIFIED_EMAIL"),
                (["mfaInfo": six, "email": "x@b.c", "emailVerified": true], "SECOND_FACTOR_LIMIT_EXCEEDED"),
                (["mfaInfo": factors, "phoneNumber": "+15555550109"], "MISSING_EMAIL"),
            ] as [(JSONValue, String)] {
                #expect(TestServer.outcome(try await server.admin("accounts", body)) == error)
            }
        }
        let server = try await TestServer.start(mode: .development)
        let factors: JSONValue = [["phoneInfo": "+1"]]
        #expect(try await server.admin("accounts", ["mfaInfo": factors]).status == 200)
    }

    @Test("in a tenant, where nobody else finds them")
    func tenants() async throws {
        let server = try await TestServer.start()
        let body: JSONValue = ["localId": "t", "email": "a@b.c"]
        #expect(try await server.admin("accounts", body, tenant: "acme").status == 200)
        #expect(try await server.user("t", tenant: "acme")?["tenantId"] == "acme")
        #expect(try await server.user("t") == nil)
        #expect(try await server.list()["users"] == [])
        #expect(try await server.list("tenantId=acme")["users"]?.array?.count == 1)
        #expect(try await server.admin("accounts", ["tenantId": "closed"]).errorMessage == "PROJECT_DISABLED")
        let unknown = try await server.admin("accounts", [:], tenant: "nobody")
        #expect(unknown.errorMessage == "TENANT_NOT_FOUND" && unknown.status == 400)
        let both = try await server.admin("accounts", ["tenantId": "other"], tenant: "acme")
        #expect(both.errorMessage == "TENANT_ID_MISMATCH")
    }

    @Test("or adds a password to the account of an ID token, without tokens of its own")
    func upgrade() async throws {
        let server = try await TestServer.start()
        let session = try server.session(try await server.call("signUp", [:]))
        let body: JSONValue = ["idToken": .string(session.idToken), "email": "a@b.c", "password": "secret-1"]
        let answer = try await server.admin("accounts", body)
        #expect(answer["localId"] == .string(session.localID) && answer["idToken"] == nil)
        #expect(try await server.user(session.localID)?["email"] == "a@b.c")
        #expect(try await server.refresh(session.refreshToken).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.admin("accounts", ["idToken": "x"]).errorMessage == "INVALID_ID_TOKEN")
    }
}
