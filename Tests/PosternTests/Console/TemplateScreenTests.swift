import Accounts
import Foundation
import Messaging
import Project
import TestKit
import Testing

@testable import Server

@Suite("E-mail templates in the console", .teardown, .timeLimit(.minutes(15)))
struct TemplateScreenTests {
    private static let environment = ConsoleClient.environment.merging([
        "POSTERN_EMAIL_TRANSPORT": "log", "POSTERN_LIMITS_EMAIL_PER_RECIPIENT_PER_HOUR": "2",
    ]) { $1 }

    @Test("every message is shown in every language, and its HTML in a frame without rights", arguments: EmailLanguage.allCases)
    func previews(language: EmailLanguage) async throws {
        let server = try await TestServer.start(environment: Self.environment)
        let viewer = try await ConsoleClient.enroll(server, role: .viewer)
        for purpose in EmailPurpose.allCases {
            let path = "/console/templates/\(purpose.rawValue)"
            let page = try await viewer.get("\(path)?language=\(language.rawValue)")
            #expect(page.status == 200 && page.html.contains("<iframe class=\"message-preview\" sandbox "))
            #expect(page.html.contains("oobCode=sample"))
            let frame = try await viewer.get("\(path)/html?language=\(language.rawValue)")
            #expect(frame.status == 200 && frame.html.contains("lang=\"\(language.rawValue)\""))
            let policy = try #require(frame.answer.header("Content-Security-Policy"))
            #expect(policy.hasPrefix("sandbox; default-src 'none'") && policy.contains("frame-ancestors 'self'"))
            #expect(!policy.contains("unsafe-") && frame.answer.header("X-Frame-Options") == "SAMEORIGIN")
        }
        #expect(try await viewer.get("/console/templates/nothing").status == 404)
        #expect(try await viewer.post("/console/templates/passwordReset", []).status == 403)
        #expect(try await server.client.get("/console/templates/passwordReset/html").status == 303)
    }

    @Test("a test mail goes to the operator alone, and is counted", arguments: Engine.allCases)
    func mail(engine: Engine) async throws {
        do {
            let server = try await TestServer.start(environment: Self.environment, on: engine)
            let owner = try await ConsoleClient.enroll(server)
            let path = "/console/templates/verifyEmail"
            _ = try await owner.get(path)
            let fields = [("language", "de"), ("email", "victim@example.com")]
            for _ in 0..<2 { #expect(try await owner.post(path, fields).location == "\(path)?language=de&done=sent") }
            #expect(try await owner.post(path, fields).html.contains("too many attempts"))
            try await eventually { server.log.lines.contains { $0.contains("owner@example.com") } }
            #expect(server.log.lines.allSatisfy { !$0.contains("victim@example.com") })
            let trail = try await server.auditTrail()
            #expect(trail.count { $0 == ["testMailSent", "operator:owner@example.com", ""] } == 2)
        }
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let owner = try await ConsoleClient.enroll(server)
        #expect(try await owner.get("/console/templates").html.contains("This server sends no e-mail"))
        #expect(try await owner.get("/console/templates/verifyEmail").status == 200)
        #expect(try await owner.post("/console/templates/verifyEmail", []).status == 400)
    }
}
