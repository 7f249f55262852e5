import Crypto
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Text messages", .teardown, .timeLimit(.minutes(15)))
struct SMSDeliveryTests {
    private static let number = "+16505551234"
    private static let secret = "a web hook's secret"

    private func start(_ environment: [String: String] = [:], more: String = "") async throws -> (TestServer, LoopbackService) {
        let hook = try await LoopbackService.start()
        let variables = [
            "POSTERN_SMS_TRANSPORT": "webhook", "POSTERN_SMS_WEBHOOK_URL": hook.origin + "/sms",
            "POSTERN_SMS_WEBHOOK_SECRET": Self.secret, "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com",
        ]
        let server = try await TestServer.start(
            environment: variables.merging(environment) { $1 },
            project: TestServer.phoneProject(more)
        )
        return (server, hook)
    }

    @Test("reach the operator's hook signed, in the client's language, with what phones fill in by themselves")
    func webhook() async throws {
        let (server, hook) = try await start()
        let proof = try await server.appProof().merging(["autoRetrievalInfo": ["appSignatureHash": "AbC+/123456"]])
        let headers = [("X-Firebase-Locale", "fr_CA"), ("Origin", "https://app.example.com")]
        let sent = try await server.sendCode("+1 (650) 555-1234", proof, headers: headers)
        #expect(sent.status == 200, "\(sent.errorMessage ?? "")")
        let call = await hook.call(1)
        #expect(call.path == "/sms")
        let text = try #require(call.json["message"]?.string)
        let code = try TestServer.code(in: text)
        #expect(text == "\(code) est votre code de validation pour demo-test.\n\n@app.example.com #\(code)\nAbC+/123456")
        #expect(call.json["to"]?.string == Self.number)
        #expect(call.json["locale"] == "fr")
        #expect(call.json["purpose"] == "signIn")
        #expect(call.json["projectId"] == "demo-test")
        #expect(call.json["tenantId"] == nil)
        let time = server.clock.now.seconds
        let signed = Data("\(time).".utf8) + call.body
        let mac = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: Data(Self.secret.utf8)))
        let expected = "t=\(time),v1=" + mac.map { String(format: "%02x", $0) }.joined()
        #expect(call.headers["postern-signature"] == expected)
        // The app of the hash is not the app of the request without a hash.
        #expect(try await server.signInWithPhone(sent["sessionInfo"], code).status == 200)
        #expect(server.log.lines.allSatisfy { !$0.contains(code) && !$0.contains(Self.number) })
        let rows = try await server.core.database.read { try $0.query("SELECT payload FROM sms_outbox") }
        #expect(rows.count == 1)
    }

    @Test("name the page's host only where the project lists exactly this one (OTP-11)")
    func autofill() async throws {
        let listed = ["https://app.example.com", "https://APP.example.com:8443", "http://localhost:5173"]
        let others = [
            "https://evil.app.example.com", "https://example.com", "https://auth.example.com", "https://evil.example", "null",
            "https://app.example.com/x", "https://app.example.com.evil.example", "https://u@app.example.com", "app.example.com",
            "https://evil.localhost", "chrome-extension://abc",
        ]
        do {
            let (server, hook) = try await start()
            var count = 0
            func hosts(_ headers: [(String, String)]) async throws -> [String] {
                count += 1
                server.clock.advance(by: .seconds(3700))
                let number = "+165055512\(10 + count)"
                #expect(try await server.sendCode(number, try await server.appProof(), headers: headers).status == 200)
                let text = try #require(await hook.call(count).json["message"]?.string)
                return text.split(separator: "\n").filter { $0.hasPrefix("@") }.map { String($0.prefix { $0 != " " }) }
            }
            for origin in listed {
                let host = try #require(WebAddress(origin)).host
                #expect(try await hosts([("Origin", origin)]) == ["@\(host)"], "\(origin)")
            }
            for origin in others { #expect(try await hosts([("Origin", origin)]).isEmpty, "\(origin)") }
            #expect(try await hosts([]).isEmpty)
        }
        let (server, hook) = try await start(["POSTERN_SMS_AUTOFILL_DOMAIN": "www.example.org"])
        let headers = [("Origin", "https://app.example.com")]
        let answer = try await server.sendCode(Self.number, try await server.appProof(), headers: headers)
        #expect(answer.status == 200)
        #expect(await hook.call(1).json["message"]?.string?.contains("\n@www.example.org #") == true)
    }

    @Test("are not sent twice within a minute; both sessions work, and share their tries and their use")
    func resend() async throws {
        let (server, hook) = try await start()
        func send() async throws -> JSONValue {
            try #require(try await server.sendCode(Self.number, try await server.appProof())["sessionInfo"])
        }
        let first = try await send()
        let second = try await send()
        #expect(first != second)
        let code = try TestServer.code(in: await hook.call(1).json["message"]?.string)
        let wrong = code == "000000" ? "000001" : "000000"
        #expect(try await server.signInWithPhone(first, wrong).errorMessage == "INVALID_CODE")
        #expect(try await server.signInWithPhone(second, code).status == 200)
        #expect(try await server.signInWithPhone(first, code).errorMessage == "INVALID_SESSION_INFO")
        // The code is used up, so the next request sends a new one at once.
        let third = try await send()
        let newCode = try TestServer.code(in: await hook.call(2).json["message"]?.string)
        server.clock.advance(by: .seconds(61))
        let fourth = try await send()
        let newest = try TestServer.code(in: await hook.call(3).json["message"]?.string)
        #expect(try await server.signInWithPhone(third, newCode).status == 200)
        #expect(try await server.signInWithPhone(fourth, newest).status == 200)
        #expect(hook.calls.count == 3)
    }

    @Test("come ever later to a number that had an hour's worth, over all nodes", arguments: Engine.allCases)
    func growingDelay(engine: Engine) async throws {
        let variables = ["POSTERN_SMS_TRANSPORT": "log", "POSTERN_LIMITS_PHONE_PER_NUMBER_PER_HOUR": "2"]
        let server = try await TestServer.start(environment: variables, project: TestServer.phoneProject(), on: engine)
        func send() async throws -> TestClient.Answer {
            server.clock.advance(by: .seconds(61))
            return try await server.sendCode(Self.number, try await server.appProof())
        }
        var waits: [Int] = []
        for _ in 0..<4 {
            for _ in 0..<2 { #expect(try await send().status == 200) }
            let refused = try await send()
            #expect(refused.errorMessage?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
            let wait = try #require(refused.header("Retry-After").flatMap { Int($0) })
            waits.append(wait)
            // Refused requests neither prolong the wait nor send messages.
            server.clock.advance(by: .seconds(wait))
        }
        // The wait counts from the first message of an hour, from the last of the next ones, and from the day's first.
        #expect(waits[0] == 3600 - 2 * 61)
        #expect(waits[1] == 2 * 3600 - 61)
        #expect(waits[2] == 4 * 3600 - 61)
        #expect((12 * 3600..<20 * 3600).contains(waits[3]))
        #expect(try await send().status == 200)
    }

    @Test("are in the project's language where the app names none; the device's counts unless it is switched off")
    func languages() async throws {
        for (usesDeviceLocale, device, expected) in [
            (nil, "es", "es"), (true, "es", "es"), (false, "es", "de"), (nil, nil, "de"),
        ]
            as [(Bool?, String?, String)]
        {
            let flag = usesDeviceLocale.map { ", sendSms: {useDeviceLocale: \($0)}" } ?? ""
            let (server, hook) = try await start(more: "notification: {defaultLocale: de\(flag)}")
            let headers = device.map { [("Accept-Language", $0)] } ?? []
            let sent = try await server.sendCode(Self.number, try await server.appProof(), headers: headers)
            #expect(sent.status == 200)
            #expect(await hook.call(1).json["locale"]?.string == expected)
            let other = [("Accept-Language", "es"), ("X-Firebase-Locale", "ja")]
            _ = try await server.sendCode("+16505554321", try await server.appProof(), headers: other)
            #expect(await hook.call(2).json["locale"] == "ja")
        }
    }

    @Test("are limited by number, prefix, address and day, and by region")
    func limits() async throws {
        func refused(_ key: String, _ numbers: [String], _ message: String, window: Duration = .seconds(3600)) async throws {
            let (server, _) = try await start(["POSTERN_LIMITS_PHONE_\(key)": "1"])
            let proofs = [try await server.appProof()]
            #expect(try await server.sendCode(numbers[0], proofs[0]).status == 200)
            server.clock.advance(by: .seconds(61))
            let answer = try await server.sendCode(numbers[1], ["recaptchaToken": "x"])
            #expect(answer.errorMessage == "INVALID_APP_CREDENTIAL")
            if key == "PER_ADDRESS_PER_HOUR" {
                await #expect(throws: (any Error).self) { try await server.appProof() }
                return
            }
            let last = try await server.sendCode(numbers[1], try await server.appProof())
            #expect(last.errorMessage?.hasPrefix(message) == true, "\(last.errorMessage ?? "")")
            #expect(last.header("Retry-After") != nil)
            #expect(try await server.sendCode(TestServer.testNumber).status == 200)
            server.clock.advance(by: window)
            #expect(try await server.sendCode(numbers[1], try await server.appProof()).status == 200)
        }
        try await refused("PER_NUMBER_PER_HOUR", [Self.number, Self.number], "TOO_MANY_ATTEMPTS_TRY_LATER")
        try await refused("PER_PREFIX_PER_HOUR", [Self.number, "+16505559999"], "TOO_MANY_ATTEMPTS_TRY_LATER")
        try await refused("PER_ADDRESS_PER_HOUR", [Self.number, "+4915112345678"], "TOO_MANY_ATTEMPTS_TRY_LATER")
        try await refused("PER_DAY", [Self.number, "+4915112345678"], "QUOTA_EXCEEDED", window: .seconds(86_400))
        let region = "OPERATION_NOT_ALLOWED : SMS unable to be sent until this region enabled by the app developer."
        for (config, bad, good) in [
            ("allowlistOnly: {allowedRegions: [DE, us]}", "+447700900123", Self.number),
            ("allowByDefault: {disallowedRegions: [CA]}", "+14165551234", Self.number),
            ("allowlistOnly: {allowedRegions: [DE]}", Self.number, "+4915112345678"),
        ] {
            let (server, hook) = try await start(more: "smsRegionConfig: {\(config)}")
            #expect(try await server.sendCode(bad, try await server.appProof()).errorMessage == region)
            #expect(try await server.sendCode(good, try await server.appProof()).status == 200)
            _ = await hook.call(1)
            #expect(hook.calls.count == 1)
        }
    }

    @Test(
        "go neither to premium-rate numbers nor behind a trunk zero; accounts and fictional numbers may have them",
        arguments: ["+19005550123", "+449001234567", "+33899123456", "+3531512345678", "+33000000000", "+490000000000"]
    )
    func premium(number: String) async throws {
        do {
            let (server, hook) = try await start()
            let answer = try await server.sendCode(number, try await server.appProof())
            #expect(answer.errorMessage == "INVALID_PHONE_NUMBER : Invalid format.")
            let made = try await server.callAsAdmin("signUp", ["phoneNumber": .string(number)])
            #expect(made["localId"] != nil, "\(made.errorMessage ?? "")")
            #expect(hook.calls.isEmpty)
        }
        try await TestServer.running(
            project: { _ in
                "config: {signIn: {phoneNumber: {enabled: true, testPhoneNumbers: {\"\(number)\": \"123456\"}}}}"
            }
        ) { server async throws in #expect(try await server.sendCode(number).status == 200) }
    }

    @Test("leave through Twilio")
    func twilio() async throws {
        let twilio = try await LoopbackService.start()
        twilio.answer { _ in (201, ["sid": "SM1"]) }
        let variables = [
            "POSTERN_SMS_TRANSPORT": "twilio", "POSTERN_SMS_TWILIO_ACCOUNT_SID": "AC1",
            "POSTERN_SMS_TWILIO_AUTH_TOKEN": "token", "POSTERN_SMS_TWILIO_FROM": "+15005550006",
            "POSTERN_SMS_TWILIO_BASE_URL": twilio.origin,
        ]
        let server = try await TestServer.start(environment: variables, project: TestServer.phoneProject())
        let sent = try await server.sendCode(Self.number, try await server.appProof())
        let call = await twilio.call(1)
        #expect(call.method == "POST")
        #expect(call.path == "/2010-04-01/Accounts/AC1/Messages.json")
        #expect(call.headers["authorization"] == "Basic " + Data("AC1:token".utf8).base64EncodedString())
        #expect(call.form["To"] == Self.number)
        #expect(call.form["From"] == "+15005550006")
        let code = try TestServer.code(in: call.form["Body"])
        #expect(try await server.signInWithPhone(sent["sessionInfo"], code).status == 200)
        _ = try await server.phoneSession()
        for name in ["sent", "redeemed"] {
            try await eventually {
                try await metrics(server).contains(#"postern_sms_codes_\#(name)_total{region="US"} 1"#)
            }
        }
    }

    private func metrics(_ server: TestServer) async throws -> String {
        let bearer = [("Authorization", "Bearer \(TestServer.adminToken)")]
        return String(decoding: try await server.client.get("/metrics", headers: bearer).bytes, as: UTF8.self)
    }

    @Test("are counted by region when they have left, and not when they are asked for")
    func countedWhenSent() async throws {
        let hook = try await LoopbackService.start()
        hook.answer { _ in (400, [:]) }
        let variables = [
            "POSTERN_SMS_TRANSPORT": "webhook", "POSTERN_SMS_WEBHOOK_URL": hook.origin, "POSTERN_SMS_WEBHOOK_SECRET": "s",
        ]
        let server = try await TestServer.start(environment: variables, project: TestServer.phoneProject())
        #expect(try await server.sendCode(Self.number, try await server.appProof()).status == 200)
        let givenUp = #"postern_outbox_deliveries_total{outbox="sms",outcome="given_up"} 1"#
        try await eventually { try await metrics(server).contains(givenUp) }
        let page = try await metrics(server)
        #expect(!page.contains("postern_sms_codes_sent_total{"))
    }
}
