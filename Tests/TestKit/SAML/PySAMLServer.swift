import Foundation
import Project

/// pysaml2's identity provider on loopback, in a process of its own. It signs users in at once.
package final class PySAMLServer: Sendable {
    private let peer: SAMLPeer
    private let port: Int

    private init(_ peer: SAMLPeer, port: Int) { (self.peer, self.port) = (peer, port) }

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
        let python = packageDirectory.appending(path: ".build/python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw SAMLPeer.Failed(description: "run ./.ci/python first; make test does")
        }
        let base = "\(directory)/pysaml-\(UUID().uuidString)-"
        let files = try SAMLPeer.Files(base, key: key, certificate: certificate, serviceMetadata: serviceMetadata)
        let program = packageDirectory.appending(path: "Tests/Python/saml/idp.py").path
        let peer = try SAMLPeer(
            python,
            ["-W", "ignore", program, "--key", files.key, "--certificate", files.certificate]
                + ["--service-metadata", files.service] + arguments,
            environment: ["PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"],
            output: base + "log"
        )
        let port = try await peer.listening { printed in
            printed.split(separator: "\n").lazy.compactMap { try? JSONValue.parse($0.utf8) }
                .first { $0["event"] == "listening" }?["port"]?.integer.map { Int($0) }
        }
        return PySAMLServer(peer, port: port)
    }

    /// What it said, such as why it refused a request.
    package var printed: String { peer.printed }

    /// Its base URL.
    package var endpoint: String { "http://127.0.0.1:\(port)" }

    /// Its entity id, where its metadata is.
    package var entityID: String { endpoint + "/metadata" }

    /// Where requests go, by redirect and by post.
    package var singleSignOn: String { endpoint + "/sso" }
}
