import Foundation
import Messaging
import Project
import TestKit
import Testing

@Suite("SMTP against a real server", .timeLimit(.minutes(15)))
struct SMTPTransportTests {
    private func failure(_ body: () async throws -> Void) async -> DeliveryError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DeliveryError
        }
    }

    private func isTemporary(_ failure: DeliveryError?) -> Bool {
        if case .temporary = failure { true } else { false }
    }

    private func isPermanent(_ failure: DeliveryError?) -> Bool {
        if case .permanent = failure { true } else { false }
    }

    @Test("what is delivered reads back as it was written")
    func content() async throws {
        let server = try await SMTPServer.start()
        let text = "Grüße,\n\n.\n..dot\n通知 = \"x\" \nFrom here\n" + String(repeating: "long ", count: 60) + "\n"
        let html = "<p dir=\"rtl\">مرحبًا &amp; ünïcödé</p>\n"
        var message = try sampleMessage(
            subject: "Bestätigung für 日本語の件名 — " + String(repeating: "é", count: 60),
            text: text,
            html: html
        )
        message.replyTo = try Mailbox(address: "help@mail.example", name: "Hilfe, \"Büro\"")
        try await server.transport().send(message, stamp: sampleStamp)
        let received = try #require(try await server.messages().first)
        #expect(received["mailFrom"] == "noreply@mail.example")
        #expect(received["rcptTos"] == ["ada@example.org"])
        #expect(received["helo"] == "mail.example")
        #expect(received["contentType"] == "multipart/alternative")
        #expect(received["defects"] == [])
        #expect(received["headers"]?["Subject"]?.string == message.subject)
        #expect(received["headers"]?["From"] == "Example <noreply@mail.example>")
        #expect(received["headers"]?["Reply-To"]?.string?.hasSuffix("<help@mail.example>") == true)
        #expect(received["headers"]?["Content-Language"] == "en")
        #expect(received["headers"]?["Message-ID"] == "<Stamp1234@mail.example>")
        #expect(received["parts"]?["text/plain"]?.string?.replacing("\r\n", with: "\n") == text)
        #expect(received["parts"]?["text/html"]?.string?.replacing("\r\n", with: "\n") == html)
        await server.stop()
    }

    @Test("a message of plain text only has one part")
    func plainText() async throws {
        let server = try await SMTPServer.start()
        try await server.transport().send(sampleMessage(html: nil), stamp: sampleStamp)
        #expect(try await server.messages().first?["contentType"] == "text/plain")
        await server.stop()
    }

    @Test("several messages share a transport, each arrives once")
    func several() async throws {
        let server = try await SMTPServer.start()
        let transport = server.transport()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await transport.send(
                        sampleMessage(to: "user\(number)@example.org"),
                        stamp: EmailStamp(id: "n\(number)", time: sampleStamp.time)
                    )
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(try await server.messages().compactMap { $0["rcptTos"]?[0]?.string }).count == 20)
        #expect(try await server.messages().count == 20)
        await server.stop()
    }

    @Test("a hostile header never reaches the server")
    func injection() async throws {
        let server = try await SMTPServer.start()
        let message = try sampleMessage(subject: "x\r\nBcc: eve@example.org")
        #expect(isPermanent(await failure { try await server.transport().send(message, stamp: sampleStamp) }))
        #expect(try await server.messages().isEmpty)
        await server.stop()
    }

    // MARK: Encryption

    private func encrypted(
        offersSTARTTLS: Bool,
        _ body: (SMTPServer, TestCertificate, SMTPServerConfiguration.Security) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var options = SMTPServer.Options()
            let certificate = try TestCertificate(dnsName: "mail.example", in: directory)
            options.certificate = certificate
            options.offersSTARTTLS = offersSTARTTLS
            let server = try await SMTPServer.start(options)
            try await body(server, certificate, offersSTARTTLS ? .startTLS : .implicitTLS)
            await server.stop()
        }
    }

    private func transport(
        to server: SMTPServer,
        name: String = "mail.example",
        _ security: SMTPServerConfiguration.Security,
        caFile: String?
    ) -> SMTPTransport {
        SMTPTransport(
            server: SMTPServerConfiguration(host: name, port: 587, security: security),
            timeouts: .init(connect: .seconds(600), total: .seconds(600)),
            caFile: caFile,
            connectTo: "127.0.0.1:\(server.port)"
        )
    }

    @Test("STARTTLS and TLS from the first byte encrypt", arguments: [true, false])
    func encrypts(offersSTARTTLS: Bool) async throws {
        try await encrypted(offersSTARTTLS: offersSTARTTLS) { server, certificate, security in
            let transport = transport(to: server, security, caFile: certificate.certificateFile)
            try await transport.send(sampleMessage(), stamp: sampleStamp)
            #expect(try await server.messages().first?["isTLS"] == true)
        }
    }

    @Test("a certificate that nobody trusts, or of another name, is refused", arguments: [true, false])
    func verifies(offersSTARTTLS: Bool) async throws {
        try await encrypted(offersSTARTTLS: offersSTARTTLS) { server, certificate, security in
            let untrusted = transport(to: server, security, caFile: nil)
            #expect(isTemporary(await failure { try await untrusted.send(sampleMessage(), stamp: sampleStamp) }))
            let misnamed = transport(to: server, name: "other.example", security, caFile: certificate.certificateFile)
            #expect(isTemporary(await failure { try await misnamed.send(sampleMessage(), stamp: sampleStamp) }))
            let received = try await server.messages()
            #expect(received.isEmpty)
        }
    }

    @Test("a server elsewhere without STARTTLS gets nothing, one on loopback does")
    func requiresSTARTTLS() async throws {
        let server = try await SMTPServer.start()
        let elsewhere = transport(to: server, .startTLS, caFile: nil)
        #expect(isTemporary(await failure { try await elsewhere.send(sampleMessage(), stamp: sampleStamp) }))
        #expect(try await server.messages().isEmpty)
        try await server.transport().send(sampleMessage(), stamp: sampleStamp)
        #expect(try await server.messages().first?["isTLS"] == false)
        await server.stop()
    }

    // MARK: Authentication

    @Test("authenticates with PLAIN and with LOGIN", arguments: ["PLAIN", "LOGIN"])
    func authenticates(mechanism: String) async throws {
        var options = SMTPServer.Options()
        options.account = "postern:s3cret pass"
        options.withoutMechanism = mechanism == "PLAIN" ? "LOGIN" : "PLAIN"
        let server = try await SMTPServer.start(options)
        try await server.transport(credentials: .init(username: "postern", password: "s3cret pass"))
            .send(sampleMessage(), stamp: sampleStamp)
        #expect(try await server.messages().first?["user"] == "postern")
        #expect(server.events("auth").first?["mechanism"]?.string == mechanism)
        await server.stop()
    }

    @Test("a wrong password can be mended, so the mail may wait; it stands in no error")
    func wrongPassword() async throws {
        var options = SMTPServer.Options()
        options.account = "postern:right"
        let server = try await SMTPServer.start(options)
        let transport = server.transport(credentials: .init(username: "postern", password: "s3cret"))
        let refused = await failure { try await transport.send(sampleMessage(), stamp: sampleStamp) }
        #expect(isTemporary(refused))
        #expect(refused?.reason.contains("s3cret") == false)
        let anonymous = await failure { try await server.transport().send(sampleMessage(), stamp: sampleStamp) }
        #expect(isTemporary(anonymous))
        await server.stop()
    }

    // MARK: Failures

    @Test("a 4xx reply is temporary and a 5xx reply permanent, at every step", arguments: ["mail", "rcpt", "data"])
    func replies(step: String) async throws {
        let server = try await SMTPServer.start()
        let transport = server.transport()
        try await server.setFault(step, reply: "451 4.3.0 try later", times: 1)
        #expect(isTemporary(await failure { try await transport.send(sampleMessage(), stamp: sampleStamp) }))
        try await server.setFault(step, reply: "550 5.1.1 ada@example.org unknown", times: 1)
        let refused = await failure { try await transport.send(sampleMessage(), stamp: sampleStamp) }
        #expect(isPermanent(refused))
        #expect(refused?.reason.contains("550") == true)
        #expect(refused?.reason.contains("ada@") == false)
        try await transport.send(sampleMessage(), stamp: sampleStamp)
        #expect(try await server.messages().count == 1)
        await server.stop()
    }

    @Test("a server that hangs up, is silent for too long, or is not there fails temporarily")
    func network() async throws {
        let server = try await SMTPServer.start()
        try await server.dropConnections(times: 1)
        #expect(isTemporary(await failure { try await server.transport().send(sampleMessage(), stamp: sampleStamp) }))
        try await server.delay(seconds: 600)
        let hasty = SMTPTransport(
            server: SMTPServerConfiguration(host: "127.0.0.1", port: server.port, security: .startTLS),
            timeouts: .init(connect: .seconds(1), total: .seconds(1))
        )
        #expect(isTemporary(await failure { try await hasty.send(sampleMessage(), stamp: sampleStamp) }))
        await server.stop()
        let port = try RefusingPort()
        let deserted = SMTPTransport(
            server: SMTPServerConfiguration(host: "127.0.0.1", port: port.number, security: .startTLS),
            timeouts: .init(connect: .seconds(600), total: .seconds(600))
        )
        #expect(isTemporary(await failure { try await deserted.send(sampleMessage(), stamp: sampleStamp) }))
        withExtendedLifetime(port) {}
    }

    @Test("a cancelled task does not wait for a silent server")
    func cancellation() async throws {
        let server = try await SMTPServer.start()
        try await server.delay(seconds: 600)
        let transport = SMTPTransport(
            server: SMTPServerConfiguration(host: "127.0.0.1", port: server.port, security: .startTLS),
            timeouts: .init(connect: .seconds(600), total: .seconds(600))
        )
        let sending = Task { await failure { try await transport.send(sampleMessage(), stamp: sampleStamp) } }
        try await eventually { !server.events("fault").isEmpty }
        sending.cancel()
        #expect(isTemporary(await sending.value))
        await server.stop()
    }

    @Test("a project's own server is read from its configuration")
    func document() {
        let document: JSONValue = [
            "host": "smtp.example", "port": "2525", "username": "u", "password": "p", "securityMode": "START_TLS",
        ]
        let server = SMTPServerConfiguration(document: document)
        #expect(server?.port == 2525 && server?.security == .startTLS && server?.credentials?.username == "u")
        #expect(SMTPServerConfiguration(document: ["host": "smtp.example", "securityMode": "SSL"])?.port == 465)
        for host in ["", "a/b", "a b", "a@b", "a\r\nb"] {
            #expect(SMTPServerConfiguration(document: ["host": .string(host)]) == nil)
        }
    }
}
