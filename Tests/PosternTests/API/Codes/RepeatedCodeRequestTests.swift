import Accounts
import HTTPAPI
import Project
import Settings
import Storage
import TestKit
import Testing

@testable import Server

/// A reCAPTCHA token is valid once. A client that got no answer sends its request again with the same token.
@Suite("The same request for a code again", .teardown, .timeLimit(.minutes(15)))
struct RepeatedCodeRequestTests {
    private static let number = "+16505551234"

    /// A server, and a reCAPTCHA that accepts every token once.
    private struct Bench {
        let server: TestServer
        let recaptcha: LoopbackService

        func messages() async throws -> Int {
            try await server.core.database.read { try $0.query("SELECT message_id FROM sms_outbox").count }
        }
    }

    private func start(
        on engine: Engine = .sqlite,
        _ environment: [String: String] = [:],
        project: @escaping (FakeIDP) -> String = TestServer.phoneProject()
    ) async throws -> Bench {
        let recaptcha = try await LoopbackService.start()
        let spent = LockedState<Set<String>>([])
        recaptcha.answer { call in
            let token = call.form["response"] ?? ""
            let isFirst = spent.withLock { $0.insert(token).inserted }
            guard isFirst, token.hasPrefix("good") else {
                return (200, ["success": false, "error-codes": ["timeout-or-duplicate"]])
            }
            return (200, ["success": true, "score": 0.9, "action": "sendVerificationCode"])
        }
        let variables = [
            "POSTERN_SMS_TRANSPORT": "log", "POSTERN_RECAPTCHA_SITE_KEY": "site-key",
            "POSTERN_RECAPTCHA_SECRET": "site-secret", "POSTERN_RECAPTCHA_VERIFY_URL": recaptcha.origin + "/siteverify",
        ]
        let server = try await TestServer.start(environment: variables.merging(environment) { $1 }, project: project, on: engine)
        return Bench(server: server, recaptcha: recaptcha)
    }

    @Test("sends no second message, and its session works", arguments: Engine.allCases)
    func version2(engine: Engine) async throws {
        let bench = try await start(on: engine)
        let server = bench.server
        func send(_ token: String, to number: String = Self.number) async throws -> TestClient.Answer {
            try await server.sendCode(number, ["recaptchaToken": .string(token)])
        }
        let first = try await send("good")
        let again = try await send("good")
        #expect(first.status == 200)
        #expect(again.status == 200, "\(again.errorMessage ?? "")")
        #expect(try await bench.messages() == 1)
        #expect(bench.recaptcha.calls.count == 1)
        // Only the same request may be repeated: not that token for another number, and not another token.
        #expect(try await send("good", to: "+16505551235").errorMessage == "CAPTCHA_CHECK_FAILED")
        #expect(try await send("bad").errorMessage == "CAPTCHA_CHECK_FAILED")
        #expect(try await server.sendCode(Self.number).errorMessage == "MISSING_APP_CREDENTIAL")
        let other: JSONValue = ["recaptchaToken": "good", "clientType": "CLIENT_TYPE_WEB"]
        #expect(try await server.sendCode(Self.number, other).errorMessage == "CAPTCHA_CHECK_FAILED")
        server.clock.advance(by: .seconds(60))
        #expect(try await send("good").errorMessage == "CAPTCHA_CHECK_FAILED")
        #expect(try await bench.messages() == 1)
    }

    @Test("is refused once its code was used, or guessed at too often")
    func over() async throws {
        let hook = try await LoopbackService.start()
        let variables = [
            "POSTERN_SMS_TRANSPORT": "webhook", "POSTERN_SMS_WEBHOOK_URL": hook.origin + "/sms",
            "POSTERN_SMS_WEBHOOK_SECRET": "a web hook's secret",
        ]
        let bench = try await start(variables)
        let server = bench.server
        let (used, guessed): (JSONValue, JSONValue) = (["recaptchaToken": "good-1"], ["recaptchaToken": "good-2"])
        _ = try await server.sendCode(Self.number, used)
        let again = try await server.sendCode(Self.number, used)
        let code = try TestServer.code(in: await hook.call(1).json["message"]?.string)
        #expect(try await server.signInWithPhone(again["sessionInfo"], code).status == 200)
        #expect(try await server.sendCode(Self.number, used).errorMessage == "CAPTCHA_CHECK_FAILED")
        let sent = try await server.sendCode(Self.number, guessed)
        let second = try TestServer.code(in: await hook.call(2).json["message"]?.string)
        let wrong = second == "000000" ? "000001" : "000000"
        for _ in 1...5 {
            #expect(try await server.signInWithPhone(sent["sessionInfo"], wrong).errorMessage == "INVALID_CODE")
        }
        #expect(try await server.sendCode(Self.number, guessed).errorMessage == "CAPTCHA_CHECK_FAILED")
    }

    @Test("is answered with every proof that is good once")
    func otherProofs() async throws {
        let enforced = TestServer.phoneProject("recaptchaConfig: {phoneEnforcementState: ENFORCE}")
        do {
            let bench = try await start(project: enforced)
            let proof: JSONValue = [
                "captchaResponse": "good", "clientType": "CLIENT_TYPE_WEB", "recaptchaVersion": "RECAPTCHA_ENTERPRISE",
            ]
            for _ in 0..<2 { #expect(try await bench.server.sendCode(Self.number, proof).errorMessage == nil) }
            let elsewhere = try await bench.server.sendCode("+16505551235", proof)
            #expect(elsewhere.errorMessage == "INVALID_RECAPTCHA_TOKEN")
            #expect(try await bench.messages() == 1)
        }
        let server = try await TestServer.start(environment: ["POSTERN_SMS_TRANSPORT": "log"], project: TestServer.phoneProject())
        let proof = try await server.appProof()
        for _ in 0..<2 { #expect(try await server.sendCode(Self.number, proof).errorMessage == nil) }
        #expect(try await server.sendCode("+16505551235", proof).errorMessage == "INVALID_APP_CREDENTIAL")
    }

    @Test("waits for the first one, however long its proof is looked at")
    func slowProof() async throws {
        let bench = try await start()
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        bench.recaptcha.reply { call in
            arrival.yield()
            for await _ in released { break }
            return .init(json: ["success": .bool(call.form["response"] == "good")])
        }
        async let first = bench.server.sendCode(Self.number, ["recaptchaToken": "good"])
        for await _ in arrived { break }
        async let second = bench.server.sendCode(Self.number, ["recaptchaToken": "good"])
        // Meanwhile the second request keeps looking for the first one's code.
        try await Task.sleep(for: .milliseconds(200))
        release.finish()
        #expect(try await first.errorMessage == nil)
        #expect(try await second.errorMessage == nil)
        #expect(bench.recaptcha.calls.count == 1)
        #expect(try await bench.messages() == 1)
        #expect(try await bench.server.core.database.read { try $0.query("SELECT 1 FROM used_credentials") }.isEmpty)
    }

    @Test("at once sends one message, over all nodes", arguments: Engine.allCases)
    func race(engine: Engine) async throws {
        let bench = try await start(on: engine)
        let server = bench.server
        let node = try await Core(server.core.settings, variables: [:], logger: server.log.logger()) {
            server.clock.environment(http: $0)
        }
        let sessions = await withTaskGroup(of: String?.self) { group in
            for sender in [server.core, node] {
                for _ in 0..<4 {
                    group.addTask {
                        var proof = AppProof()
                        proof.recaptchaToken = "good"
                        let context = CallContext(scope: Scope(projectID: "demo-test"))
                        // A busy store may refuse once, and its client then tries again.
                        for _ in 0..<3 {
                            let sender = sender.useCases.codes.phoneSender
                            let session = try? await sender.send(phoneNumber: Self.number, proof: proof, context: context)
                            if let session { return session }
                        }
                        return nil
                    }
                }
            }
            return await group.reduce(into: [String]()) { $0 += [$1].compactMap { $0 } }
        }
        await node.shutdown()
        #expect(sessions.count == 8)
        #expect(try await bench.messages() == 1)
        let codes = try await server.core.database.read { try $0.smsCodes(Scope(projectID: "demo-test")).count }
        #expect(codes == 1)
    }
}
