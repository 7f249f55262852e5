import Foundation
package import Project
import Synchronization

/// An object store on loopback in its own process: moto, which checks signatures and policies, behind a front that checks the hash of
/// each body and has faults on request. `./.ci/python` installs what it needs.
package final class S3Server: Sendable {
    /// The server could not listen, or did not answer.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    /// The objects of the bucket with their sizes in bytes, and the names of uploads that were begun and not ended.
    package struct State: Sendable {
        package let objects: [String: Int]
        package let uploads: [String]
    }

    /// What goes wrong with a request.
    package enum Fault: Sendable {
        /// The connection ends in the middle of the body.
        case cut
        /// The request is carried out, and the connection ends without an answer.
        case lose
        /// The connection ends in the middle of the answer.
        case half
        /// Nothing is answered until ``S3Server/mend()``.
        case hang
        /// The answer says that its object is a hundred times as long.
        case inflate
        case refuse(status: String, code: String, message: String = "Said the test.")
    }

    /// The bucket.
    package static let bucket = "backups"

    private let process: ChildProcess
    private let isTLS: Bool
    private let input = Pipe()
    private let output: String
    private let commands = Atomic(0)

    /// Starts a server and waits until it listens.
    ///
    /// - Parameter certificate: The certificate for TLS.
    package static func start(certificate: TestCertificate? = nil) async throws -> S3Server {
        let server = try S3Server(certificate)
        while server.facts == nil, server.process.isRunning { try await Task.sleep(for: .milliseconds(25)) }
        guard server.facts != nil else { throw Failed(description: "moto did not start: \(server.printed)") }
        return server
    }

    private init(_ certificate: TestCertificate?) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "s3_server.py").path
        var arguments = [script]
        if let certificate { arguments += ["--certificate", certificate.certificateFile, "--key", certificate.keyFile] }
        isTLS = certificate != nil
        let python = packageDirectory.appending(path: ".build/python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw Failed(description: "run ./.ci/python first; make test does")
        }
        // A file and not a pipe with a handler: Dispatch crashes when a descriptor that it watches is closed and used again.
        output = FileManager.default.temporaryDirectory.appending(path: "postern-s3-\(UUID().uuidString)").path
        process = try ChildProcess(
            python,
            arguments,
            environment: ["PYTHONDONTWRITEBYTECODE": "1"],
            streams: [.input(input), .file(output), .file(output)]
        )
    }

    deinit {
        process.end()
        try? FileManager.default.removeItem(atPath: output)
    }

    private var printed: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
    private var facts: JSONValue? { events("listening").first }

    private func fact(_ name: String) -> String { facts?[name]?.string ?? "" }

    /// Its base URL. The certificate's name is `localhost`.
    package var endpoint: String {
        let port = facts?["port"]?.integer ?? 0
        return isTLS ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
    }

    /// Lasting credentials.
    package var credentials: (id: String, secret: String) { (fact("id"), fact("secret")) }

    /// Temporary credentials.
    package var temporaryCredentials: (id: String, secret: String, token: String) {
        (fact("temporaryId"), fact("temporarySecret"), fact("temporaryToken"))
    }

    /// Makes requests fail from now on.
    ///
    /// - Parameters:
    ///   - fault: What happens.
    ///   - method: Of requests with this method.
    ///   - text: That have this text in path or query.
    ///   - after: So many of them pass first.
    ///   - times: So many of them; `nil` for all.
    package func plan(_ fault: Fault, _ method: String, _ text: String, after: Int = 0, times: Int? = nil) async throws {
        var command: JSONValue = [
            "method": .string(method), "in": .string(text), "after": .integer(Int64(after)),
            "times": .integer(Int64(times ?? -1)),
        ]
        switch fault {
        case .cut: command["fault"] = "cut"
        case .lose: command["fault"] = "lose"
        case .half: command["fault"] = "half"
        case .inflate: command["fault"] = "inflate"
        case .hang: command["fault"] = "hang"
        case .refuse(let status, let code, let message):
            command["fault"] = "refuse"
            command["status"] = .string(status)
            command["code"] = .string(code)
            command["message"] = .string(message)
        }
        _ = try await tell(command)
    }

    /// Removes all faults, and ends requests that hang.
    package func mend() async throws { _ = try await tell(["fault": "none"]) }

    /// Puts objects into the bucket. `#` in the key stands for their numbers.
    package func put(_ key: String, _ text: String, count: Int = 1) async throws {
        _ = try await tell(["put": .string(key), "text": .string(text), "count": .integer(Int64(count))])
    }

    /// What the bucket has.
    package func state() async throws -> State {
        let state = try await tell(["asks": true])
        var objects: [String: Int] = [:]
        for (key, size) in state["objects"]?.object ?? [:] { objects[key.text] = size.integer.map { Int($0) } }
        return State(
            objects: objects,
            uploads: state["uploads"]?.array?.compactMap(\.string) ?? []
        )
    }

    private func tell(_ command: JSONValue) async throws -> JSONValue {
        let number = JSONValue.integer(Int64(commands.add(1, ordering: .relaxed).newValue))
        let line = command.merging(["number": number]).serialized() + [UInt8(ascii: "\n")]
        try input.fileHandleForWriting.write(contentsOf: Data(line))
        while true {
            let isRunning = process.isRunning
            if let answer = events("done").first(where: { $0["number"] == number }) { return answer }
            guard isRunning else { throw Failed(description: "moto did not take a command: \(printed)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// The requests so far: `method`, `target`, `fault`, `bytes`, whether the body has the hash that was signed (`isSigned`), and
    /// `If-None-Match` (`condition`).
    package var requests: [JSONValue] { events("request") }

    private func events(_ name: String) -> [JSONValue] {
        printed.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("{"), let event = try? JSONValue.parse(line.utf8) else { return nil }
            return event["event"]?.string == name ? event : nil
        }
    }
}
