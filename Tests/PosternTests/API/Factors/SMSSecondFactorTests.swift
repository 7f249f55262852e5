import Project
import TestKit
import Testing

@Suite("A phone as second factor", .teardown, .timeLimit(.minutes(15)))
struct SMSSecondFactorTests {
    private static let mobile = "+16505551234"
    private static let landline = "+16505555678"

    /// A server whose text messages go to a web hook, and the user of the factors.
    private struct Bench {
        let server: TestServer
        let hook: LoopbackService
        let user: TestServer.Session

        func code(_ number: Int) async throws -> JSONValue {
            .string(try TestServer.code(in: await hook.call(number).json["message"]?.string))
        }

        func proof() async throws -> JSONValue { try await server.appProof() }

        func start(_ number: String, by idToken: JSONValue? = nil) async throws -> TestClient.Answer {
            let info = try await proof().merging(["phoneNumber": .string(number)])
            return try await server.callV2(
                "mfaEnrollment:start",
                ["idToken": idToken ?? .string(user.idToken), "phoneEnrollmentInfo": info]
            )
        }

        func finish(
            _ started: TestClient.Answer,
            _ code: JSONValue,
            by idToken: JSONValue? = nil
        ) async throws -> TestClient.Answer {
            let info: JSONValue = ["sessionInfo": started["phoneSessionInfo"]?["sessionInfo"] ?? .null, "code": code]
            return try await server.callV2(
                "mfaEnrollment:finalize",
                ["idToken": idToken ?? .string(user.idToken), "phoneVerificationInfo": info]
            )
        }

        /// Enrols a number with the code of the message with a number.
        func enroll(_ number: String, message: Int) async throws -> TestClient.Answer {
            try await finish(start(number), code(message))
        }

        func pending() async throws -> JSONValue {
            ["mfaPendingCredential": try await server.signIn("a@b.c")["mfaPendingCredential"] ?? .null]
        }

        func challenge(_ pending: JSONValue, _ factor: JSONValue?, _ extra: JSONValue = [:]) async throws -> TestClient.Answer {
            let body: JSONValue = ["mfaEnrollmentId": factor ?? .null, "phoneSignInInfo": try await proof()]
            return try await server.callV2("mfaSignIn:start", pending.merging(body).merging(extra))
        }

        func show(_ pending: JSONValue, _ sessionInfo: JSONValue?, _ code: JSONValue) async throws -> TestClient.Answer {
            let info: JSONValue = ["sessionInfo": sessionInfo ?? .null, "code": code]
            return try await server.callV2("mfaSignIn:finalize", pending.merging(["phoneVerificationInfo": info]))
        }
    }

    private func start(on engine: Engine = .sqlite) async throws -> Bench {
        let hook = try await LoopbackService.start()
        let variables = [
            "POSTERN_SMS_TRANSPORT": "webhook", "POSTERN_SMS_WEBHOOK_URL": hook.origin + "/sms",
            "POSTERN_SMS_WEBHOOK_SECRET": "a web hook's secret", "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com",
        ]
        let server = try await TestServer.start(environment: variables, project: TestServer.factorProject, on: engine)
        return Bench(server: server, hook: hook, user: try await server.verifiedUser("a@b.c"))
    }

    private func factor(_ answer: TestClient.Answer, _ server: TestServer) throws -> JSONValue? {
        let claims = try server.payload(try #require(answer["idToken"]?.string, "\(answer.errorMessage ?? "")"))
        #expect(claims["firebase"]?["sign_in_second_factor"] == "phone")
        return claims["firebase"]?["second_factor_identifier"]
    }

    @Test("is enrolled by a code and shown by another, once", arguments: Engine.allCases)
    func lifecycle(engine: Engine) async throws {
        let bench = try await start(on: engine)
        let enrolled = try await bench.enroll("+1 650 555 1234", message: 1)
        let id = try #require(try factor(enrolled, bench.server))
        let info = try await bench.server.account(bench.user)["mfaInfo"]?[0]
        #expect(info?["phoneInfo"] == .string(Self.mobile) && info?["mfaEnrollmentId"] == id)

        let pending = try await bench.pending()
        let sent = try await bench.challenge(pending, id)["phoneResponseInfo"]?["sessionInfo"]
        let shown = try await bench.show(pending, sent, bench.code(2))
        #expect(try factor(shown, bench.server) == id)
        let claims = try bench.server.payload(try #require(shown["idToken"]?.string))
        #expect(claims["firebase"]?["sign_in_provider"] == "password")
        // Neither the session nor the credential works for another sign-in.
        #expect(try await bench.show(pending, sent, bench.code(2)).errorMessage == "INVALID_SESSION_INFO")
        #expect(try await bench.challenge(pending, id).errorMessage == "INVALID_MFA_PENDING_CREDENTIAL")
    }

    @Test("is asked for a code again by the same request, whose proof is good once")
    func repeated() async throws {
        let bench = try await start()
        let info = try await bench.proof().merging(["phoneNumber": .string(Self.mobile)])
        let request: JSONValue = ["idToken": .string(bench.user.idToken), "phoneEnrollmentInfo": info]
        _ = try await bench.server.callV2("mfaEnrollment:start", request)
        let enrolling = try await bench.server.callV2("mfaEnrollment:start", request)
        let id = try factor(try await bench.finish(enrolling, bench.code(1)), bench.server)
        let pending = try await bench.pending()
        let challenge: JSONValue = ["mfaEnrollmentId": id ?? .null, "phoneSignInInfo": try await bench.proof()]
        _ = try await bench.server.callV2("mfaSignIn:start", pending.merging(challenge))
        let sent = try await bench.server.callV2("mfaSignIn:start", pending.merging(challenge))
        let shown = try await bench.show(pending, sent["phoneResponseInfo"]?["sessionInfo"], bench.code(2))
        #expect(try factor(shown, bench.server) == id)
        #expect(bench.hook.calls.count == 2)
    }

    @Test("takes a code for what it was sent, and looks at session and code before the credential")
    func purposes() async throws {
        let bench = try await start()
        let enrolled = try await bench.enroll(Self.mobile, message: 1)
        let id = try factor(enrolled, bench.server)
        let second = try await bench.start(Self.landline, by: enrolled["idToken"])
        let enrolling = second["phoneSessionInfo"]?["sessionInfo"]
        let pending = try await bench.pending()
        let sent = try await bench.challenge(pending, id)["phoneResponseInfo"]?["sessionInfo"]
        let (enrollmentCode, code) = (try await bench.code(2), try await bench.code(3))
        #expect(await bench.hook.call(2).json["to"]?.string == Self.landline)
        let garbage: JSONValue = ["mfaPendingCredential": "garbage"]
        let cases: [(JSONValue, JSONValue?, JSONValue, String)] = [
            (pending, enrolling, enrollmentCode, "INVALID_SESSION_INFO"), (pending, sent, "000000", "INVALID_CODE"),
            (garbage, "nothing", code, "INVALID_SESSION_INFO"), (garbage, enrolling, enrollmentCode, "INVALID_SESSION_INFO"),
            (garbage, sent, "000000", "INVALID_CODE"), (garbage, sent, code, "INVALID_MFA_PENDING_CREDENTIAL"),
        ]
        for (credential, session, shown, error) in cases {
            #expect(try await bench.show(credential, session, shown).errorMessage == error)
        }
        // The refusals used nothing up.
        #expect(try await bench.show(pending, sent, code).status == 200)
    }

    @Test("is refused when it is enrolled already, or no longer")
    func enrolledAndWithdrawn() async throws {
        let bench = try await start()
        let twice = try await bench.start(Self.mobile)
        let code = try await bench.code(1)
        // Within the resend time a second session shares the first one's code, so another number must come between.
        let enrolled = try await bench.enroll(Self.landline, message: 2)
        let id = try factor(enrolled, bench.server)
        let exists = "SECOND_FACTOR_EXISTS : Phone number already enrolled as second factor for this account."
        #expect(try await bench.start("+1-650-555-5678", by: enrolled["idToken"]).errorMessage == exists)
        let administrator = [("Authorization", "Bearer \(TestServer.adminToken)")]
        func set(_ numbers: [String]) async throws -> Int {
            let enrollments = numbers.map { ["phoneInfo": .string($0), "mfaEnrollmentId": .string($0)] as JSONValue }
            let body: JSONValue = ["localId": .string(bench.user.localID), "mfa": ["enrollments": .array(enrollments)]]
            return try await bench.server.client.post("/v1/projects/demo-test/accounts:update", body, headers: administrator)
                .status
        }
        let pending = try await bench.pending()
        let sent = try await bench.challenge(pending, id)["phoneResponseInfo"]?["sessionInfo"]
        let shown = try await bench.code(3)
        // An administrator enrols the first number and withdraws the second, while codes for both are on their way.
        #expect(try await set([Self.mobile]) == 200)
        #expect(try await bench.finish(twice, code, by: enrolled["idToken"]).errorMessage == exists)
        #expect(try await bench.show(pending, sent, shown).errorMessage == "MFA_ENROLLMENT_NOT_FOUND")
        #expect(try await bench.challenge(pending, id).errorMessage == "MFA_ENROLLMENT_NOT_FOUND")
    }

    @Test("has a credential of one scope, which another refuses with an error of its own")
    func scopes() async throws {
        let bench = try await start()
        let id = try factor(try await bench.enroll(Self.mobile, message: 1), bench.server)
        let tenant: JSONValue = ["displayName": "acme", "mfaConfig": ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]]]
        let made = try await bench.server.client.post(
            "/v2/projects/demo-test/tenants",
            tenant,
            headers: [("Authorization", "Bearer \(TestServer.adminToken)")]
        )
        let name = try #require(made["name"]?.string?.split(separator: "/").last, "\(made.errorMessage ?? "")")
        let refused = try await bench.challenge(bench.pending(), id, ["tenantId": .string(String(name))])
        #expect(refused.errorMessage == "INVALID_PROJECT_ID : Project ID does not match MFA pending credential.")
    }
}
