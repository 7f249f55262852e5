import Foundation
import Project

/// pysaml2's identity provider on loopback, in a process of its own. It signs users in at once.
package final class PySAMLServer: Sendable {
    /// The provider did not start.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    private let process: ChildProcess
    private let output: String

    /// Starts a provider and waits until it listens.
    ///
    /// - Parameters:
    ///   - directory: Where its files go.
    ///   - key: Its private key as PEM.
    ///   - certificate: The key's certificate as PEM.
    ///   - serviceMetadata: The service provider's metadata.
    ///   - arguments: Further arguments of `Tests/Python/saml/idp.py`.
    /// - Returns: The provider. It ends with the last reference to it.
    package static func start(
        in directory: String,
        key: String,
        certificate: String,
        serviceMetadata: [UInt8],
        _ arguments: [String] = []
    ) async throws -> PySAMLServer {
        let base = "\(directory)/pysaml-\(UUID().uuidString)"
        try key.write(toFile: base + ".key", atomically: true, encoding: .utf8)
        try certificate.write(toFile: base + ".pem", atomically: true, encoding: .utf8)
        try Data(serviceMetadata).write(to: URL(filePath: base + ".xml"))
        let files = ["--key", base + ".key", "--certificate", base + ".pem", "--service-metadata", base + ".xml"]
        let server = try PySAMLServer(files + arguments, output: base + ".log")
        while server.port == nil, server.process.isRunning { try await Task.sleep(for: .milliseconds(25)) }
        guard server.port != nil else { throw Failed(description: "pysaml2 did not start: \(server.printed)") }
        return server
    }

    private init(_ arguments: [String], output: String) throws {
        let python = packageDirectory.appending(path: ".build/python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw Failed(description: "run ./.ci/python first; make test does")
        }
        self.output = output
        process = try ChildProcess(
            python,
            ["-W", "ignore", packageDirectory.appending(path: "Tests/Python/saml/idp.py").path] + arguments,
            environment: ["PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"],
            streams: [.null, .file(output), .file(output)]
        )
    }

    deinit { process.end() }

    /// What it said, such as why it refused a request.
    package var printed: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

    private var port: Int64? {
        printed.split(separator: "\n").lazy.compactMap { try? JSONValue.parse($0.utf8) }
            .first { $0["event"] == "listening" }?["port"]?.integer
    }

    /// Its base URL.
    package var endpoint: String { "http://127.0.0.1:\(port ?? 0)" }

    /// Its entity id, where its metadata is.
    package var entityID: String { endpoint + "/metadata" }

    /// Where requests go, by redirect and by post.
    package var singleSignOn: String { endpoint + "/sso" }
}
