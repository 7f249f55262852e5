import Foundation
import Project
import TestKit
import Testing

@Suite("Calls of other servers that strangers cause", .teardown, .timeLimit(.minutes(15)))
struct OutgoingCallTests {
    private static let limit = ["POSTERN_LIMITS_SIGN_IN_REFUSED_CALLS_PER_ADDRESS_PER_HOUR": "2"]

    private func isThrottled(_ answer: TestClient.Answer) -> Bool {
        answer.status == 400 && answer.header("Retry-After") != nil
            && answer.errorMessage == "TOO_MANY_ATTEMPTS_TRY_LATER : Too many refused credentials. Please try again later."
    }

    @Test(
        "end after so many refused access tokens, whatever stands beside them (THR-13)",
        arguments: AccessTokenProvider.all,
        [false, true]
    )
    func accessTokens(provider: AccessTokenProvider, besideIDToken: Bool) async throws {
        let server = try await TestServer.startWithProviders(environment: Self.limit)
        server.provider.apps.grant(provider.grant(), at: provider.name)
        func calls() -> Int { provider.paths.reduce(0) { $0 + server.provider.count($1) } }
        for _ in 0..<4 { #expect(try await server.signIn(provider.providerID, form: provider.form()).status == 200) }
        let before = calls()
        for _ in 0..<6 {
            let form = provider.form("made-up") + (besideIDToken ? [("id_token", "x")] : [])
            #expect(try await server.signIn(provider.providerID, form: form).status == 400)
        }
        // Where the ID token is looked at first, and here, no provider is called at all.
        #expect(calls() - before <= 2)
        guard calls() > before else { return }
        #expect(isThrottled(try await server.signIn(provider.providerID, form: provider.form())))
        // What is verified here costs no call and goes on.
        #expect(try await server.signIn("google.com", server.googleToken()).status == 200)
        server.clock.advance(by: .seconds(3600))
        #expect(try await server.signIn(provider.providerID, form: provider.form()).status == 200)
    }

    @Test("end after so many refused server auth codes, and codes of flows (THR-13)")
    func codes() async throws {
        let server = try await FlowServer.start(environment: Self.limit)
        func stranger() async throws -> TestClient.Answer {
            let form = TestClient.encode([("providerId", "google.com"), ("code", "made-up")])
            return try await server.call("signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(form)])
        }
        for _ in 0..<3 { _ = try server.session(try await server.signInByFlow("oidc.code")) }
        #expect(try await stranger().errorMessage?.hasPrefix("INVALID_IDP_RESPONSE") == true)
        let flow = try await server.begin("oidc.code")
        let state = flow.query["state"] ?? ""
        let forged: JSONValue = [
            "requestUri": .string("\(FlowServer.redirect)?state=\(state)&code=made-up"), "sessionId": .string(flow.sessionID),
        ]
        #expect(try await server.call("signInWithIdp", forged).errorMessage?.hasPrefix("INVALID_IDP_RESPONSE") == true)
        let calls = server.provider.count("/google/token") + server.provider.count("/code/token")
        #expect(isThrottled(try await stranger()))
        #expect(isThrottled(try await server.signInByFlow("oidc.code")))
        #expect(server.provider.count("/google/token") + server.provider.count("/code/token") == calls)
    }

    @Test("of reCAPTCHA end after so many refused tokens, before every call that asks for one (THR-13)")
    func recaptcha() async throws {
        let more = "recaptchaConfig: {phoneEnforcementState: ENFORCE, emailPasswordEnforcementState: ENFORCE}"
        let recaptcha = try await LoopbackService.start()
        recaptcha.answer { call in
            let action = call.form["response"].map(JSONValue.string) ?? .null
            return (200, ["success": .bool(call.form["response"] != "bad"), "score": 0.9, "action": action])
        }
        let environment = Self.limit.merging([
            "POSTERN_RECAPTCHA_SITE_KEY": "site-key", "POSTERN_RECAPTCHA_SECRET": "site-secret",
            "POSTERN_RECAPTCHA_VERIFY_URL": recaptcha.origin + "/siteverify", "POSTERN_SMS_TRANSPORT": "log",
        ]) { $1 }
        let server = try await TestServer.start(environment: environment, project: TestServer.phoneProject(more))
        func fields(_ token: String) -> JSONValue {
            [
                "captchaResponse": .string(token), "captchaResp": .string(token), "clientType": 1,
                "recaptchaVersion": "RECAPTCHA_ENTERPRISE",
            ]
        }
        let credentials: JSONValue = [
            "email": "a@example.com", "password": "secret-1", "requestType": "PASSWORD_RESET",
            "phoneNumber": "+4915112345678",
        ]
        func call(_ method: String, _ token: String) async throws -> TestClient.Answer {
            try await server.call(method, credentials.merging(fields(token)))
        }
        for _ in 0..<4 {
            let answer = try await call("signInWithPassword", "signInWithPassword")
            #expect(answer.errorMessage == "INVALID_LOGIN_CREDENTIALS", "\(answer.json)")
        }
        // A token of another action, too, is refused by what reCAPTCHA said.
        #expect(try await call("signInWithPassword", "bad").errorMessage == "INVALID_RECAPTCHA_TOKEN")
        #expect(try await call("sendVerificationCode", "login").errorMessage == "INVALID_RECAPTCHA_ACTION")
        let calls = recaptcha.calls.count
        for (method, action) in [
            ("signInWithPassword", "signInWithPassword"), ("signUp", "signUpPassword"), ("sendOobCode", "getOobCode"),
            ("sendVerificationCode", "sendVerificationCode"),
        ] {
            #expect(isThrottled(try await call(method, action)), "\(method)")
            #expect(isThrottled(try await call(method, "bad")), "\(method)")
            // The contract's order stays: a call without a token is told so.
            #expect(try await server.call(method, credentials).errorMessage == "MISSING_RECAPTCHA_TOKEN", "\(method)")
        }
        #expect(recaptcha.calls.count == calls)
    }
}
