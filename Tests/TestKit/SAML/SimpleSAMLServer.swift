import Foundation

/// SimpleSAMLphp's identity provider on loopback, as Debian packages it, in PHP's own web server. Its user `ada` has the password `engine`.
package final class SimpleSAMLServer: Sendable {
    /// The provider did not start.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    /// What the provider does with its key, and asks of the service.
    package struct Options: Sendable, CustomStringConvertible {
        /// `assertion`, `response` or both.
        package var signs: Set<String>
        /// Whether it refuses requests without a signature.
        package var wantsSignedRequests: Bool

        package init(signs: Set<String>, wantsSignedRequests: Bool) {
            self.signs = signs
            self.wantsSignedRequests = wantsSignedRequests
        }

        package var description: String {
            "signs \(signs.sorted().joined(separator: " and "))" + (wantsSignedRequests ? ", wants signed requests" : "")
        }
    }

    private static let pages = "/usr/share/simplesamlphp/www"

    private let process: ChildProcess
    private let output: String

    /// Starts a provider and waits until it listens.
    ///
    /// - Parameters:
    ///   - directory: Where its files go, and its sessions.
    ///   - key: Its private key as PEM.
    ///   - certificate: The key's certificate as PEM.
    ///   - serviceMetadata: The service provider's metadata.
    ///   - options: What it does.
    /// - Returns: The provider. It ends with the last reference to it.
    package static func start(
        in directory: String,
        key: String,
        certificate: String,
        serviceMetadata: [UInt8],
        _ options: Options
    ) async throws -> SimpleSAMLServer {
        guard FileManager.default.fileExists(atPath: pages) else {
            throw Failed(description: "simplesamlphp is not installed; make test does that")
        }
        let files = "\(directory)/simplesaml-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        try key.write(toFile: files + "/idp.key", atomically: true, encoding: .utf8)
        try certificate.write(toFile: files + "/idp.pem", atomically: true, encoding: .utf8)
        try Data(serviceMetadata).write(to: URL(filePath: files + "/service.xml"))
        let server = try SimpleSAMLServer(files, options)
        while server.port == nil, server.process.isRunning { try await Task.sleep(for: .milliseconds(25)) }
        guard server.port != nil else { throw Failed(description: "PHP did not start: \(server.printed)") }
        return server
    }

    private init(_ files: String, _ options: Options) throws {
        output = files + "/log"
        process = try ChildProcess(
            "/usr/bin/php",
            ["-S", "127.0.0.1:0", "-t", Self.pages],
            environment: [
                "SIMPLESAMLPHP_CONFIG_DIR": packageDirectory.appending(path: "Tests/PHP/saml").path,
                "IDP_FILES": files,
                "IDP_SIGNS": options.signs.sorted().joined(separator: ","),
                "IDP_WANTS_SIGNED": options.wantsSignedRequests ? "1" : "0",
            ],
            streams: [.null, .file(output), .file(output)]
        )
    }

    deinit { process.end() }

    /// What it said, such as why it refused a request.
    package var printed: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

    private var port: Int? {
        printed.firstMatch(of: /Development Server \(http:\/\/127\.0\.0\.1:([0-9]+)\) started/).flatMap { Int($0.1) }
    }

    /// Its entity id, where its metadata is.
    package var entityID: String { "http://127.0.0.1:\(port ?? 0)/saml2/idp/metadata.php" }
}
