import Foundation
import Messaging
import Project
import ServiceLifecycle
import Storage
import TestKit
import Testing

@Suite("Text messages on their way", .timeLimit(.minutes(15)))
struct SMSTests {
    private static let message = SMSMessage(to: "+16505551234", text: "123456", locale: "en", purpose: "signIn")

    @Test("every language names the code and the app; what is no hash of an app is left out", arguments: EmailLanguage.allCases)
    func texts(language: EmailLanguage) throws {
        let text = try SMSTexts(domain: "auth.example.com")
            .text(code: "012345", appName: "Acme", language: language, appSignatureHash: "short\n@evil")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3)
        #expect(lines[0].contains("012345") && lines[0].contains("Acme"))
        #expect(lines[2] == "@auth.example.com #012345")
    }

    @Test(
        "answers of Twilio tell whether another attempt helps",
        arguments: [(200, nil), (201, nil), (400, false), (401, true), (410, false), (429, true), (500, true), (503, true)]
            as [(Int, Bool?)]
    )
    func twilio(status: Int, isTemporary: Bool?) async throws {
        let http = OutboundHTTP { _, _ in
            OutboundHTTP.Response(status: status, headers: [], body: Array(#"{"code":21211,"message":"+16505551234"}"#.utf8))
        }
        let transport = TwilioTransport(accountSID: "AC", authToken: "t", from: "MG1", baseURL: "https://x", http: http)
        do {
            try await transport.send(Self.message, scope: Scope(projectID: "p"))
            #expect(isTemporary == nil)
        } catch let error as DeliveryError {
            #expect(!error.reason.contains("+1650"))
            switch error {
            case .temporary: #expect(isTemporary == true)
            case .permanent: #expect(isTemporary == false)
            }
        }
    }

    @Test("a message is tried again within seconds, and its payload is gone once it is sent")
    func retry() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: quiet)
        try await Migrator.sqlite.migrate(database, now: 0)
        let clock = TestClock()
        // Every reading advances the clock, so that a pause ends.
        var passing = clock.environment()
        passing.now = {
            clock.advance(by: .milliseconds(200))
            return clock.now
        }
        let outbox = SMSOutbox(payloadSeal: .inverting, environment: passing)
        try await Teardown.scope {
            let hook = try await LoopbackService.start()
            hook.answer { _ in (hook.calls.count < 2 ? 503 : 200, [:]) }
            let environment = clock.environment(
                http: OutboundHTTP { request, _ in
                    let body = Data(request.body)
                    let answer = try await TestClient("").send(request.method, request.url, headers: [], body: body)
                    return OutboundHTTP.Response(status: answer.status, headers: [], body: [])
                }
            )
            let service = outbox.service(
                database: database,
                logger: quiet,
                configuration: .init(pollInterval: .milliseconds(20)),
                transport: Webhook(url: hook.origin, secret: "s", environment: environment)
            )
            let record = try outbox.prepare(
                Self.message,
                scope: Scope(projectID: "p", tenantID: "t"),
                expiresAt: clock.now.advanced(by: .seconds(600))
            )
            try await database.write { try $0.insertOutboxMessage(record, in: .sms) }
            let group = ServiceGroup(services: [service], logger: quiet)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                let first = await hook.call(1)
                let second = await hook.call(2)
                #expect(first.json == second.json)
                #expect(second.json["tenantId"] == "t")
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
            let row = try #require(try await database.read { try $0.queryOne("SELECT * FROM sms_outbox") })
            #expect(try row.text("payload").isEmpty)
            #expect(try row.text("outcome") == "sent")
        }
        try await database.close()
    }
}
