import Accounts
import Crypto
import Foundation
import HTTPAPI
import Project
import TestKit
import Testing

extension AppVerificationTests {
    private func makeRecaptcha(more: String = "") async throws -> (TestServer, LoopbackService) {
        let recaptcha = try await LoopbackService.start()
        recaptcha.answer { call in
            var answer: JSONValue = ["success": .bool(call.form["response"]?.hasPrefix("good") == true)]
            switch call.form["response"] {
            case "good-foreign": answer["hostname"] = "evil.example"
            case "good-robot": answer = answer.merging(["score": 0.1, "action": "sendVerificationCode"])
            case "good-action": answer = answer.merging(["score": 0.9, "action": "login"])
            case "good-person": answer = answer.merging(["score": 0.9, "action": "sendVerificationCode"])
            case "good-password":
                answer = answer.merging(["score": 0.9, "action": "signInWithPassword", "hostname": "localhost"])
            default: answer["hostname"] = "www.app.example.com"
            }
            return (call.form["secret"] == "site-secret" ? 200 : 500, answer)
        }
        let variables = Self.logged.merging([
            "POSTERN_RECAPTCHA_SITE_KEY": "site-key", "POSTERN_RECAPTCHA_SECRET": "site-secret",
            "POSTERN_RECAPTCHA_VERIFY_URL": recaptcha.origin + "/siteverify",
        ]) { $1 }
        let server = try await TestServer.start(environment: variables, project: TestServer.phoneProject(more))
        return (server, recaptcha)
    }
    @Test("reCAPTCHA version 2 is asked, its host is ours, and nobody gets through while it is silent")
    func version2() async throws {
        let (server, recaptcha) = try await makeRecaptcha()
        func send(_ token: String, _ extra: JSONValue = [:]) async throws -> TestClient.Answer {
            try await server.sendCode(Self.number, extra.merging(["recaptchaToken": .string(token)]))
        }
        let marker: JSONValue = [
            "captchaResponse": "NO_RECAPTCHA", "clientType": "CLIENT_TYPE_WEB", "recaptchaVersion": "RECAPTCHA_ENTERPRISE",
        ]
        #expect(try await send("good", marker).status == 200)
        #expect(recaptcha.calls.first?.form["remoteip"] == "127.0.0.1")
        #expect(try await send("bad").errorMessage == "CAPTCHA_CHECK_FAILED")
        #expect(try await send("good-foreign").errorMessage == "CAPTCHA_CHECK_FAILED : Hostname match not found")
        await #expect(throws: (any Error).self) { try await server.appProof() }
        let parameters = try await server.client.get("/v1/recaptchaParams?key=\(TestServer.apiKey)")
        #expect(parameters["recaptchaSiteKey"] == "site-key")
        recaptcha.answer { _ in (500, [:]) }
        #expect(try await send("good").errorMessage == "CAPTCHA_CHECK_FAILED")
    }
    @Test("reCAPTCHA Enterprise is demanded where it is enforced")
    func enforced() async throws {
        let config = """
            recaptchaConfig: {phoneEnforcementState: ENFORCE, emailPasswordEnforcementState: ENFORCE,
                managedRules: [{endScore: 0.3, action: BLOCK}]}
            """
        let (server, _) = try await makeRecaptcha(more: config)
        func send(_ body: JSONValue) async throws -> String? {
            try await server.sendCode(Self.number, body).errorMessage
        }
        func full(_ token: JSONValue, _ extra: JSONValue = [:]) -> JSONValue {
            let body: JSONValue = ["captchaResponse": token, "clientType": 1, "recaptchaVersion": "RECAPTCHA_ENTERPRISE"]
            return body.merging(extra)
        }
        #expect(try await send(["recaptchaToken": "good"]) == "MISSING_RECAPTCHA_TOKEN")
        #expect(try await send(full("NO_RECAPTCHA")) == "MISSING_RECAPTCHA_TOKEN")
        #expect(try await send(["captchaResponse": "good-person"]) == "MISSING_CLIENT_TYPE")
        #expect(try await send(full("good-person", ["recaptchaVersion": .null])) == "MISSING_RECAPTCHA_VERSION")
        for version: JSONValue in [0, "", "RECAPTCHA_V2"] {
            #expect(try await send(full("good-person", ["recaptchaVersion": version])) == "INVALID_RECAPTCHA_VERSION")
        }
        #expect(try await send(full("good-person", ["clientType": ""])) == "MISSING_CLIENT_TYPE")
        #expect(try await send(full("bad")) == "INVALID_RECAPTCHA_TOKEN")
        #expect(try await send(full("good-action")) == "INVALID_RECAPTCHA_ACTION")
        #expect(try await send(full("good-robot")) == "CAPTCHA_CHECK_FAILED")
        #expect(try await send(full("good-person")) == nil)
        let credentials: JSONValue = ["email": "a@b.c", "password": "secret-1", "requestType": "PASSWORD_RESET"]
        for method in ["signUp", "signInWithPassword", "sendOobCode"] {
            #expect(try await server.call(method, credentials).errorMessage == "MISSING_RECAPTCHA_TOKEN")
        }
        let signIn = try await server.call("signInWithPassword", credentials.merging(full("good-password")))
        #expect(signIn.errorMessage == "INVALID_LOGIN_CREDENTIALS")
        #expect(
            try await server.call("signUp", credentials.merging(full("good-password"))).errorMessage
                == "INVALID_RECAPTCHA_ACTION"
        )
    }
    @Test("who asked reCAPTCHA Enterprise in vain is told to bring another proof, in words after which SDKs do, at every start")
    func fallback() async throws {
        for state in ["AUDIT", "OFF"] {
            let more = """
                mfa: {state: ENABLED, enabledProviders: [PHONE_SMS]}
                  recaptchaConfig: {phoneEnforcementState: \(state)}
                """
            let (server, _) = try await makeRecaptcha(more: more)
            let user = try await server.verifiedUser("ada@example.com")
            let other = try await server.verifiedUser("grace@example.com")
            let factors: JSONValue = ["enrollments": [["phoneInfo": .string(Self.number)]]]
            #expect(try await server.callAsAdmin("update", ["localId": .string(other.localID), "mfa": factors]).status == 200)
            let pending = try await server.signIn("grace@example.com")
            let challenge: JSONValue = [
                "mfaPendingCredential": try #require(pending["mfaPendingCredential"]),
                "mfaEnrollmentId": try #require(pending["mfaInfo"]?[0]?["mfaEnrollmentId"]),
            ]
            func starts(_ proof: JSONValue) async throws -> [String?] {
                let info = proof.merging(["phoneNumber": .string(Self.number)])
                let enrollment: JSONValue = ["idToken": .string(user.idToken), "phoneEnrollmentInfo": info]
                let signIn = challenge.merging(["phoneSignInInfo": proof])
                return [
                    try await server.sendCode(Self.number, proof).errorMessage,
                    try await server.callV2("mfaEnrollment:start", enrollment).errorMessage,
                    try await server.callV2("mfaSignIn:start", signIn).errorMessage,
                ]
            }
            let marker: JSONValue = [
                "captchaResponse": "NO_RECAPTCHA", "clientType": "CLIENT_TYPE_IOS",
                "recaptchaVersion": "RECAPTCHA_ENTERPRISE",
            ]
            for proof in [marker, marker.merging(["captchaResponse": "bad"])] {
                for answer in try await starts(proof) { #expect(answer == "INVALID_APP_CREDENTIAL", "\(state)") }
            }
            for answer in try await starts([:]) { #expect(answer == "MISSING_APP_CREDENTIAL", "\(state)") }
            // The second try of the SDKs, with the proof of a page.
            for answer in try await starts(marker.merging(["recaptchaToken": "good"])) { #expect(answer == nil, "\(state)") }
        }
    }

    @Test("under audit a bad token is no reason to refuse where there is another proof")
    func audited() async throws {
        let (server, _) = try await makeRecaptcha(more: "recaptchaConfig: {phoneEnforcementState: AUDIT}")
        let bad: JSONValue = [
            "captchaResponse": "bad", "clientType": "CLIENT_TYPE_WEB", "recaptchaVersion": "RECAPTCHA_ENTERPRISE",
        ]
        #expect(try await server.sendCode(Self.number, bad).errorMessage == "INVALID_APP_CREDENTIAL")
        #expect(try await server.sendCode(Self.number, bad.merging(["recaptchaToken": "good"])).status == 200)
        #expect(try await server.sendCode(Self.number, bad.merging(["captchaResponse": "good-person"])).status == 200)
    }
}
