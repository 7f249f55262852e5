import Foundation
package import Project
import Synchronization

/// aiosmtpd on loopback in its own process: a real mail server with faults on request. It needs `python3-aiosmtpd`.
package final class SMTPServer: Sendable {
    /// The features and requirements of the server.
    package struct Options: Sendable {
        /// `nil` for a port that the system chooses.
        package var port: Int?
        package var certificate: TestCertificate?
        /// STARTTLS with the certificate rather than TLS from the first byte.
        package var offersSTARTTLS = false
        /// `user:password`. Without them no mail is accepted.
        package var account: String?
        /// An authentication mechanism that is not offered.
        package var withoutMechanism: String?

        package init() {}
    }

    /// The server could not listen, or did not answer.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    private let process: ChildProcess
    private let input = Pipe()
    private let output: String
    private let commands = Atomic(0)

    /// Starts a server and waits until it listens. Where there is something that ends with the test, the server does so too.
    package static func start(_ options: Options = Options()) async throws -> SMTPServer {
        let server = try SMTPServer(options)
        while server.port == 0, server.process.isRunning { try await Task.sleep(for: .milliseconds(25)) }
        guard server.port != 0 else { throw Failed(description: "aiosmtpd did not start: \(server.printed)") }
        try? Teardown.add { await server.stop() }
        return server
    }

    private init(_ options: Options) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "smtp_server.py").path
        var arguments = [script, "--port", "\(options.port ?? 0)"]
        if let certificate = options.certificate {
            arguments += ["--certificate", certificate.certificateFile, "--key", certificate.keyFile]
        }
        if options.offersSTARTTLS { arguments.append("--starttls") }
        if let account = options.account { arguments += ["--account", account] }
        if let mechanism = options.withoutMechanism { arguments += ["--without", mechanism] }
        // A file and not a pipe with a handler: Dispatch crashes when a descriptor that it watches is closed and used again.
        output = FileManager.default.temporaryDirectory.appending(path: "postern-smtp-\(UUID().uuidString)").path
        // Debian's own interpreter, because aiosmtpd is installed for it.
        process = try ChildProcess(
            "/usr/bin/python3",
            arguments,
            environment: [:],
            streams: [.input(input), .file(output), .file(output)]
        )
    }

    deinit {
        process.end()
        try? FileManager.default.removeItem(atPath: output)
    }

    private var printed: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

    /// The port that it listens on at 127.0.0.1.
    package var port: Int {
        printed.firstMatch(of: /LISTENING ([0-9]+)\n/).flatMap { Int($0.1) } ?? 0
    }

    /// Ends the server.
    package func stop() async { process.end() }

    // MARK: Faults

    /// Makes a step fail: `mail`, `rcpt` or `data` answers `reply`, for the given number of times or always.
    package func setFault(_ step: String, reply: String, times: Int? = nil) async throws {
        try await command(["fault": .string(step), "reply": .string(reply), "times": .integer(Int64(times ?? -1))])
    }

    /// Hangs up after the content instead of answering.
    package func dropConnections(times: Int) async throws {
        try await command(["fault": "drop", "times": .integer(Int64(times))])
    }

    /// Delays its answer to the content.
    package func delay(seconds: Int) async throws { try await command(["fault": "slow", "seconds": .integer(Int64(seconds))]) }

    /// Removes all faults.
    package func mend() async throws { try await command(["fault": .null]) }

    private func command(_ command: JSONValue) async throws {
        // Each command has its own number, so that parallel commands get their own answers.
        let number = JSONValue.integer(Int64(commands.add(1, ordering: .relaxed).newValue))
        let line = command.merging(["number": number]).serialized() + [UInt8(ascii: "\n")]
        try input.fileHandleForWriting.write(contentsOf: Data(line))
        while !events("ready").contains(where: { $0["number"] == number }) {
            guard process.isRunning else { throw Failed(description: "aiosmtpd did not take a command") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    // MARK: What happened

    /// Every accepted message: envelope, headers and parts as Python's `email` package reads them.
    package func messages() async throws -> [JSONValue] {
        // The answer to a command comes after all earlier events.
        try await command(["sync": true])
        return events("message")
    }

    /// Waits until it has accepted so many messages, and returns the last of them.
    package func message(_ number: Int) async throws -> JSONValue {
        try await eventually {
            let messages = events("message")
            return messages.count >= number ? messages[number - 1] : nil
        }
    }

    /// The events with a name: `message`, `fault`, `auth`.
    package func events(_ name: String) -> [JSONValue] {
        printed.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("{"), let event = try? JSONValue.parse(line.utf8) else { return nil }
            return event["event"]?.string == name ? event : nil
        }
    }
}
