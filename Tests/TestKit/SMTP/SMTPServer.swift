import Foundation
package import Project
import Synchronization

/// aiosmtpd on loopback as a process of its own: a real mail server with faults on request. It needs `python3-aiosmtpd`.
package final class SMTPServer: Sendable {
    /// What the server offers and demands.
    package struct Options: Sendable {
        /// `nil` for a port of the system's choice.
        package var port: Int?
        package var certificate: TestCertificate?
        /// STARTTLS with the certificate rather than TLS from the first byte.
        package var offersSTARTTLS = false
        /// `user:password`; without them nothing is accepted.
        package var account: String?
        /// An authentication mechanism that is not offered.
        package var withoutMechanism: String?

        package init() {}
    }

    /// The server did not get as far as listening, or did not answer.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    private let process: Process
    private let input = Pipe()
    private let output = Mutex("")

    /// Starts a server and waits until it listens.
    package static func start(_ options: Options = Options()) async throws -> SMTPServer {
        let server = try SMTPServer(options)
        for _ in 0..<600 where server.port == 0 && server.process.isRunning { try await Task.sleep(for: .milliseconds(25)) }
        guard server.port != 0 else { throw Failed(description: "aiosmtpd did not start: \(server.output.withLock { $0 })") }
        return server
    }

    private init(_ options: Options) throws {
        process = Process()
        // Debian's own interpreter: the one that finds Debian's aiosmtpd.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "smtp_server.py").path
        var arguments = [script, "--port", "\(options.port ?? 0)"]
        if let certificate = options.certificate {
            arguments += ["--certificate", certificate.certificateFile, "--key", certificate.keyFile]
        }
        if options.offersSTARTTLS { arguments.append("--starttls") }
        if let account = options.account { arguments += ["--account", account] }
        if let mechanism = options.withoutMechanism { arguments += ["--without", mechanism] }
        process.arguments = arguments
        process.environment = [:]
        process.standardInput = input
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.output.withLock { $0 += String(decoding: data, as: UTF8.self) }
        }
        try ProcessStart.run(process)
    }

    deinit { end() }

    /// Where it listens on 127.0.0.1.
    package var port: Int {
        output.withLock { $0.firstMatch(of: /LISTENING ([0-9]+)\n/).flatMap { Int($0.1) } ?? 0 }
    }

    /// Ends the server.
    package func stop() async {
        end()
        while process.isRunning, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(10)) }
    }

    // No gentler signal: a process started from a dispatch thread has the others blocked, as that thread has.
    private func end() { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    // MARK: Faults

    /// Makes a step misbehave: `mail`, `rcpt` or `data` answers `reply`, as many times as said or always.
    package func setFault(_ step: String, reply: String, times: Int? = nil) async throws {
        try await command(["fault": .string(step), "reply": .string(reply), "times": .integer(Int64(times ?? -1))])
    }

    /// Hangs up after the content instead of answering.
    package func dropConnections(times: Int) async throws {
        try await command(["fault": "drop", "times": .integer(Int64(times))])
    }

    /// Takes its time before it answers the content.
    package func delay(seconds: Int) async throws { try await command(["fault": "slow", "seconds": .integer(Int64(seconds))]) }

    /// Behaves again.
    package func mend() async throws { try await command(["fault": .null]) }

    private func command(_ command: JSONValue) async throws {
        let before = events("ready").count
        try input.fileHandleForWriting.write(contentsOf: Data(command.serialized() + [UInt8(ascii: "\n")]))
        for _ in 0..<400 where events("ready").count == before { try await Task.sleep(for: .milliseconds(25)) }
        guard events("ready").count > before else { throw Failed(description: "aiosmtpd did not take a command") }
    }

    // MARK: What happened

    /// Every accepted message: envelope, headers and parts as Python's `email` package reads them.
    package func messages() async throws -> [JSONValue] {
        // The answer to a command comes after whatever was said before it.
        try await command(["sync": true])
        return events("message")
    }

    /// What was reported under a name: `message`, `fault`, `auth`.
    package func events(_ name: String) -> [JSONValue] {
        output.withLock { $0 }.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("{"), let event = try? JSONValue.parse(line.utf8) else { return nil }
            return event["event"]?.string == name ? event : nil
        }
    }
}
