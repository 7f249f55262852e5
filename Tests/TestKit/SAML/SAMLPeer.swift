import Foundation

/// The process of somebody else's identity provider, with the files that it starts from. It ends with the last reference to it.
final class SAMLPeer: Sendable {
    /// The provider did not start.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// The paths of a provider's files: its private key and certificate, and the service provider's metadata.
    struct Files: Sendable {
        let key: String
        let certificate: String
        let service: String

        /// Writes them.
        ///
        /// - Parameters:
        ///   - base: The beginning of their paths.
        ///   - key: The private key as PEM.
        ///   - certificate: The key's certificate as PEM.
        ///   - serviceMetadata: The service provider's metadata.
        /// - Throws: The errors of the file system.
        init(_ base: String, key: String, certificate: String, serviceMetadata: [UInt8]) throws {
            (self.key, self.certificate, service) = (base + "idp.key", base + "idp.pem", base + "service.xml")
            try key.write(toFile: self.key, atomically: true, encoding: .utf8)
            try certificate.write(toFile: self.certificate, atomically: true, encoding: .utf8)
            try Data(serviceMetadata).write(to: URL(filePath: service))
        }
    }

    private let process: ChildProcess
    private let output: String

    /// - Parameters:
    ///   - program: The path of the program.
    ///   - arguments: Its arguments.
    ///   - environment: Its variables.
    ///   - output: The path of the file that takes what it prints.
    /// - Throws: When it does not start.
    init(_ program: String, _ arguments: [String], environment: [String: String], output: String) throws {
        self.output = output
        let streams: [ChildProcess.Stream] = [.null, .file(output), .file(output)]
        process = try ChildProcess(program, arguments, environment: environment, streams: streams)
    }

    deinit { process.end() }

    var printed: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

    /// Waits until it listens.
    ///
    /// - Parameter port: Finds the port in what it printed.
    /// - Returns: The port.
    /// - Throws: ``Failed`` when it ends before.
    func listening(_ port: (String) -> Int?) async throws -> Int {
        while true {
            let isRunning = process.isRunning
            if let port = port(printed) { return port }
            guard isRunning else { throw Failed(description: "the identity provider did not start: \(printed)") }
            try await Task.sleep(for: .milliseconds(25))
        }
    }
}
