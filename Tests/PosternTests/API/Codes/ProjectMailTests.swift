import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Mail by a project's own server", .teardown, .timeLimit(.minutes(15)))
struct ProjectMailTests {
    private func start(_ environment: [String: String] = [:]) async throws -> (TestServer, SMTPServer) {
        let smtp = try await SMTPServer.start()
        let server = try await TestServer.start(environment: environment, project: TestServer.emailProject())
        return (server, smtp)
    }

    private func configure(_ server: TestServer, host: String, port: Int) async throws {
        let mail: JSONValue = [
            "method": "CUSTOM_SMTP", "callbackUri": "https://app.example.com/code?from=mail",
            "smtp": ["senderEmail": "project@example.com", "host": .string(host), "port": .integer(Int64(port))],
        ]
        let notification: JSONValue = ["notification": ["defaultLocale": "de", "sendEmail": mail]]
        let path = "/config?updateMask=notification.defaultLocale,notification.sendEmail"
        #expect(try await server.admin("PATCH", path, notification).status == 200)
    }

    @Test("is in the project's language and leads to its page, also where it warns of a change of address")
    func language() async throws {
        let (server, smtp) = try await start()
        try await configure(server, host: "127.0.0.1", port: smtp.port)
        let session = try await server.verifiedUser("a@b.c")
        let request: JSONValue = ["requestType": "VERIFY_EMAIL", "idToken": .string(session.idToken)]
        #expect(try await server.call("sendOobCode", request).status == 200)
        server.clock.advance(by: .seconds(1))
        let code = try await server.code("VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(session.idToken), "newEmail": "new@b.c"])
        #expect(try await server.call("update", ["oobCode": .string(code)]).status == 200)
        var messages: [JSONValue] = []
        while messages.count < 2 {
            try await Task.sleep(for: .milliseconds(25))
            messages = try await smtp.messages()
        }
        for message in messages {
            let text = try #require(message["parts"]?["text/plain"]?.string)
            #expect(text.contains("Guten Tag,"))
            #expect(text.contains("https://app.example.com/code?from=mail&apiKey="))
            #expect(text.firstMatch(of: /&lang=de\s/) != nil)
        }
    }

    @Test("does not reach into private networks unless that is allowed")
    func privateNetworks() async throws {
        let (server, smtp) = try await start(["POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "false"])
        for host in ["127.0.0.1", "localhost", "2130706433", "::1", "::ffff:127.0.0.1"] {
            try await configure(server, host: host, port: smtp.port)
            _ = try await server.signUp("\(server.clock.now.milliseconds)@b.c")
            let request: JSONValue = ["requestType": "PASSWORD_RESET", "email": .string("\(server.clock.now.milliseconds)@b.c")]
            #expect(try await server.call("sendOobCode", request).status == 200)
            var failures: [String] = []
            while failures.isEmpty {
                try await Task.sleep(for: .milliseconds(25))
                failures = try await server.core.database.read {
                    try $0.query("SELECT last_failure FROM email_outbox WHERE last_failure IS NOT NULL")
                        .map { try $0.text("last_failure") }
                }
            }
            #expect(failures == ["the server's address is one of a private network (outbound.allowPrivateNetworks)"])
            _ = try await server.core.database.write { try $0.execute("DELETE FROM email_outbox") }
            server.clock.advance(by: .seconds(60))
        }
        #expect(try await smtp.messages().isEmpty)
    }
}
