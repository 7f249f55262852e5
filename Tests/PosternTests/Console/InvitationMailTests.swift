import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Invitations by e-mail", .teardown, .timeLimit(.minutes(15)))
struct InvitationMailTests {
    private static let mailed = "/console/operators?done=invitationMailed"

    private func start(approvals: Bool, on engine: Engine = .sqlite) async throws -> (TestServer, SMTPServer) {
        let smtp = try await SMTPServer.start()
        let environment = [
            "POSTERN_CONSOLE_APPROVALS": "\(approvals)", "POSTERN_EMAIL_TRANSPORT": "smtp",
            "POSTERN_EMAIL_SMTP_URL": "smtp://127.0.0.1:\(smtp.port)", "POSTERN_EMAIL_FROM": "Postern <noreply@example.com>",
            "POSTERN_LIMITS_EMAIL_PER_RECIPIENT_PER_HOUR": "3", "POSTERN_LOG_LEVEL": "trace",
        ]
        let server = try await TestServer.start(environment: ConsoleClient.environment.merging(environment) { $1 }, on: engine)
        return (server, smtp)
    }

    private func invite(
        _ owner: ConsoleClient,
        _ email: String,
        role: String = "administrator",
        delivery: String? = nil
    ) async throws -> ConsoleClient.Page {
        _ = try await owner.get("/console/operators")
        let fields = [("do", "invite"), ("email", email), ("role", role), ("onlyTenant", "")]
        return try await owner.post("/console/operators", fields + (delivery.map { [("delivery", $0)] } ?? []))
    }

    private func code(in text: String?) throws -> String {
        let found = text?.firstMatch(of: /\/console\/invitation\?code=([A-Za-z0-9_-]{43})/)
        return String(try #require(found, "\(text ?? "-")").1)
    }

    private func code(_ number: Int, of smtp: SMTPServer) async throws -> String {
        try code(in: try await smtp.message(number)["parts"]?["text/plain"]?.string)
    }

    @Test("where operators need consent, the invited address alone learns the link", arguments: Engine.allCases)
    func onlyMailed(engine: Engine) async throws {
        let (server, smtp) = try await start(approvals: true, on: engine)
        let owner = try await ConsoleClient.enroll(server)
        let page = try await owner.get("/console/operators")
        #expect(page.html.contains("is shown to nobody") && !page.html.contains("name=\"delivery\""))
        // Asking for the link does not help.
        let answer = try await invite(owner, "grace&co@example.com", delivery: "link")
        #expect(answer.location == Self.mailed && answer.answer.bytes.isEmpty)
        let message = try await smtp.message(1)
        let code = try await code(1, of: smtp)
        #expect(message["rcptTos"] == ["grace&co@example.com"], "\(message)")
        let html = try #require(message["parts"]?["text/html"]?.string)
        #expect(html.contains("grace&amp;co@example.com") && html.contains("code=\(code)\""))

        for path in ["/console/operators?done=invitationMailed", "/console/audit", "/console/events", "/console/approvals"] {
            #expect(try await !owner.get(path).html.contains(code), "\(path)")
        }
        #expect(try await !server.storedText().contains(code))
        #expect(server.log.lines.allSatisfy { !$0.contains(code) })
        let grace = try await ConsoleClient.accept(code, email: "grace&co@example.com", on: server)
        #expect(try await grace.get("/console").status == 200)
        #expect(try await server.client.get("/console/invitation?code=\(code)").status == 400)
    }

    @Test("an invitation waits sealed, and a mail server that refuses it for a while gets it later")
    func waiting() async throws {
        let (server, smtp) = try await start(approvals: true)
        let owner = try await ConsoleClient.enroll(server)
        try await smtp.setFault("rcpt", reply: "451 4.3.0 later", times: 1)
        #expect(try await invite(owner, "grace@example.com").location == Self.mailed)
        let rows = try await server.core.database.read {
            try $0.query("SELECT payload FROM email_outbox").map { try $0.text("payload") }
        }
        #expect(rows.count == 1 && rows.allSatisfy { !$0.contains("grace") && !$0.contains("invitation") }, "\(rows)")
        try await eventually {
            try await server.core.database.read {
                try !$0.query("SELECT 1 AS n FROM email_outbox WHERE last_failure IS NOT NULL").isEmpty
            }
        }
        server.clock.advance(by: .seconds(180))
        let code = try await code(1, of: smtp)
        #expect(try await server.client.get("/console/invitation?code=\(code)").status == 200)
        #expect(server.log.lines.allSatisfy { !$0.contains(code) })
    }

    @Test("who is invited again has one link only, also while nobody could consent", arguments: Engine.allCases)
    func again(engine: Engine) async throws {
        let (server, smtp) = try await start(approvals: true, on: engine)
        let owner = try await ConsoleClient.enroll(server)
        #expect(try await invite(owner, "grace@example.com").location == Self.mailed)
        let first = try await code(1, of: smtp)
        #expect(try await server.client.get("/console/invitation?code=\(first)").status == 200)
        #expect(try await invite(owner, "grace@example.com").location == Self.mailed)
        let second = try await code(2, of: smtp)
        #expect(try await server.client.get("/console/invitation?code=\(first)").status == 400)
        #expect(try await server.client.get("/console/invitation?code=\(second)").status == 200)
        #expect(try await server.core.useCases.console.invitations.pending(code: second).email == "grace@example.com")
        // Another address would be another second operator.
        let asked = "/console/approvals?done=approvalRequested"
        #expect(try await invite(owner, "other@example.com").location == asked)
        // An address gets no more mails than others do.
        #expect(try await invite(owner, "grace@example.com").location == Self.mailed)
        let refused = try await invite(owner, "grace@example.com")
        #expect(refused.status == 400 && refused.html.contains("too many attempts"), "\(refused.html)")
    }

    @Test("the link decides who becomes what, whatever the form says, and ends when it is withdrawn (TEN-11)")
    func bound() async throws {
        let (server, _) = try await start(approvals: false)
        let owner = try await ConsoleClient.enroll(server)
        func link() async throws -> String {
            try code(in: try await invite(owner, "grace@example.com", role: "viewer", delivery: "link").html)
        }
        let withdrawn = try await link()
        let id = try #require(try await owner.get("/console/operators").field("id"))
        #expect(try await owner.post("/console/operators", [("do", "withdraw"), ("id", id)]).status == 303)
        #expect(try await server.client.get("/console/invitation?code=\(withdrawn)").status == 400)
        // The client accepts as somebody else, and is Grace all the same.
        let browser = try await ConsoleClient.accept(try await link(), email: "owner@example.com&role=owner", on: server)
        let operators = try await server.core.useCases.console.directory.all()
        #expect(
            operators.map { "\($0.email) \($0.role)" }.sorted() == ["grace@example.com viewer", "owner@example.com owner"]
        )
        #expect(try await browser.get("/console/operators").status == 403)
    }

    @Test("where operators act alone, they mail the link or pass it on")
    func choice() async throws {
        let (server, smtp) = try await start(approvals: false)
        let owner = try await ConsoleClient.enroll(server)
        let page = try await owner.get("/console/operators")
        #expect(page.html.contains("<select") && page.html.contains("name=\"delivery\""))
        let shown = try code(in: try await invite(owner, "ada@example.com", delivery: "link").html)
        #expect(try await server.client.get("/console/invitation?code=\(shown)").status == 200)
        #expect(try await invite(owner, "grace@example.com", delivery: "mail").location == Self.mailed)
        #expect(try await invite(owner, "eve@example.com").location == Self.mailed)
        let second = try await smtp.message(2)
        #expect(try await smtp.messages().count == 2, "\(second)")
        let details = try await server.auditDetails("operatorInvited")
        #expect(details.count { $0["mailed"] == true } == 2, "\(details)")
    }

    @Test("an invitation does not leave by the project's own mail server, which operators may set")
    func ownServer() async throws {
        let thief = try await SMTPServer.start()
        let (server, smtp) = try await start(approvals: true)
        let owner = try await ConsoleClient.enroll(server)
        let mail: JSONValue = [
            "method": "CUSTOM_SMTP",
            "smtp": ["senderEmail": "me@evil.example", "host": "127.0.0.1", "port": .integer(Int64(thief.port))],
        ]
        let path = "/config?updateMask=notification.sendEmail"
        #expect(try await server.admin("PATCH", path, ["notification": ["sendEmail": mail]]).status == 200)
        #expect(try await invite(owner, "grace@example.com").location == Self.mailed)
        let message = try await smtp.message(1)
        #expect(message["mailFrom"] == "noreply@example.com", "\(message)")
        #expect(try await thief.messages().isEmpty)
    }

    @Test("where no mail leaves, the link is shown, and the page says why", arguments: ["log", nil])
    func noMail(transport: String?) async throws {
        let environment = ["POSTERN_CONSOLE_APPROVALS": "true"].merging(transport.map { ["POSTERN_EMAIL_TRANSPORT": $0] } ?? [:])
        { $1 }
        let server = try await TestServer.start(environment: ConsoleClient.environment.merging(environment) { $1 })
        let owner = try await ConsoleClient.enroll(server)
        #expect(try await owner.get("/console/operators").html.contains("No mail leaves this server"))
        let code = try code(in: try await invite(owner, "grace@example.com").html)
        #expect(server.log.lines.allSatisfy { !$0.contains(code) })
    }
}
