import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Blocking functions for messages", .teardown, .timeLimit(.minutes(15)))
struct BlockingMessageTests {
    private typealias Reply = LoopbackService.Reply

    private func mails(_ server: TestServer) async throws -> Int {
        try await server.core.database.read { try $0.query("SELECT message_id FROM email_outbox").count }
    }

    @Test("are asked before an e-mail is sent, and hold it back")
    func email() async throws {
        let environment = ["POSTERN_EMAIL_TRANSPORT": "log", "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com"]
        let hooked = try await HookedServer.start(
            ["beforeSendEmail"],
            environment: environment,
            project: TestServer.emailProject(hidesAccounts: true)
        )
        let server = hooked.server
        let session = try server.session(try await hooked.signUp())
        let reset: JSONValue = ["requestType": "PASSWORD_RESET", "email": "a@b.c"]
        #expect(try await server.call("sendOobCode", reset).status == 200)
        #expect(try hooked.claims(0)["email"] == "a@b.c")
        #expect(try hooked.claims(0)["email_type"] == "PASSWORD_RESET")
        #expect(try hooked.claims(0)["user_record"] == nil)
        let link: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "N@b.c", "continueUrl": "http://localhost/"]
        #expect(try await server.call("sendOobCode", link).status == 200)
        #expect(try hooked.claims(1)["email"] == "n@b.c")
        #expect(try hooked.claims(1)["email_type"] == "EMAIL_SIGN_IN")
        // The answer does not show whether an address has an account.
        #expect(try await server.call("sendOobCode", reset.merging(["email": "nobody@b.c"])).status == 200)
        #expect(hooked.asked.count == 3)
        let verify: JSONValue = ["requestType": "VERIFY_EMAIL", "idToken": .string(session.idToken)]
        #expect(try await server.call("sendOobCode", verify).status == 200)
        #expect(hooked.asked.count == 3)
        let sent = try await mails(server)
        #expect(sent == 3)
        hooked.answer("beforeSendEmail", Reply(429, json: ["error": ["message": "enough"]]))
        let refused = try await server.call("sendOobCode", reset)
        #expect(refused.errorMessage?.contains("returned HTTP error 429: {\"error\":{\"message\":\"enough\"}}))") == true)
        #expect(try await mails(server) == sent)
        hooked.answer("beforeSendEmail", Reply(json: ["recaptchaActionOverride": "BLOCK"]))
        #expect(try await server.call("sendOobCode", reset).errorMessage == "CAPTCHA_CHECK_FAILED")
        #expect(try await mails(server) == sent)
    }

    @Test("are asked before a text message is sent, and hold it back")
    func sms() async throws {
        let environment = ["POSTERN_SMS_TRANSPORT": "log"]
        let hooked = try await HookedServer.start(["beforeSendSms"], environment: environment, project: TestServer.phoneProject())
        let server = hooked.server
        #expect(try await server.sendCode(TestServer.testNumber).status == 200)
        #expect(hooked.asked.isEmpty)
        let sent = try await server.sendCode("+16505551234", try await server.appProof())
        #expect(sent.status == 200, "\(sent.errorMessage ?? "")")
        #expect(try hooked.claims(0)["phone_number"] == "+16505551234")
        #expect(try hooked.claims(0)["sms_type"] == "SIGN_IN_OR_SIGN_UP")
        hooked.answer("beforeSendSms", Reply(403, body: []))
        let refused = try await server.sendCode("+16505551235", try await server.appProof())
        #expect(refused.errorMessage?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE : ((") == true)
        let rows = try await server.core.database.read { try $0.query("SELECT message_id FROM sms_outbox").count }
        #expect(rows == 1)
    }

    @Test("are not asked about a text message that is not to be sent", arguments: Engine.allCases)
    func unsentSMS(engine: Engine) async throws {
        let environment = ["POSTERN_SMS_TRANSPORT": "log", "POSTERN_LIMITS_PHONE_PER_NUMBER_PER_HOUR": "1"]
        let hooked = try await HookedServer.start(
            ["beforeSendSms"],
            environment: environment,
            project: TestServer.phoneProject(),
            on: engine
        )
        let server = hooked.server
        for _ in 0..<2 {
            #expect(try await server.sendCode("+16505551234", try await server.appProof()).status == 200)
        }
        #expect(hooked.asked.count == 1)
        server.clock.advance(by: .seconds(61))
        let refused = try await server.sendCode("+16505551234", try await server.appProof())
        #expect(refused.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
        #expect(hooked.asked.count == 1)
        // Checking the limits before the function's call does not count as a message.
        #expect(try await server.sendCode("+16505551235", try await server.appProof()).status == 200)
        #expect(hooked.asked.count == 2)
    }
}
