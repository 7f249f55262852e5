import Foundation

/// SimpleSAMLphp's identity provider on loopback, as Debian packages it, in PHP's own web server. Its user `ada` has the password `engine`.
package final class SimpleSAMLServer: Sendable {
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

    private let peer: SAMLPeer
    private let port: Int

    private init(_ peer: SAMLPeer, port: Int) { (self.peer, self.port) = (peer, port) }

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
            throw SAMLPeer.Failed(description: "simplesamlphp is not installed; make test does that")
        }
        let place = "\(directory)/simplesaml-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        _ = try SAMLPeer.Files(place + "/", key: key, certificate: certificate, serviceMetadata: serviceMetadata)
        let peer = try SAMLPeer(
            "/usr/bin/php",
            ["-S", "127.0.0.1:0", "-t", pages],
            environment: [
                "SIMPLESAMLPHP_CONFIG_DIR": packageDirectory.appending(path: "Tests/PHP/saml").path,
                "IDP_FILES": place,
                "IDP_SIGNS": options.signs.sorted().joined(separator: ","),
                "IDP_WANTS_SIGNED": options.wantsSignedRequests ? "1" : "0",
            ],
            output: place + "/log"
        )
        let port = try await peer.listening { printed in
            printed.firstMatch(of: /Development Server \(http:\/\/127\.0\.0\.1:([0-9]+)\) started/).flatMap { Int($0.1) }
        }
        return SimpleSAMLServer(peer, port: port)
    }

    /// What it said, such as why it refused a request.
    package var printed: String { peer.printed }

    /// Its entity id, where its metadata is.
    package var entityID: String { "http://127.0.0.1:\(port)/saml2/idp/metadata.php" }
}
