import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL
import TestKit
import Tokens

extension TestServer {
    /// Starts a server with its own certificate, and a client that accepts it.
    ///
    /// - Parameters:
    ///   - environment: `POSTERN_*` variables besides those of every test server.
    ///   - prefersHTTP2: Whether the client uses HTTP/2, with all requests on one connection.
    static func startWithTLS(
        environment: [String: String] = [:],
        prefersHTTP2: Bool = true,
        project: ((FakeIDP) -> String)? = nil
    ) async throws -> (TestServer, HTTPClient) {
        let directory = try await makeTemporaryDirectory()
        let pair = try SigningKeyPair.generate(TestClock().environment())
        let key = pair.privateKey.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        try pair.certificate.write(toFile: directory + "/cert.pem", atomically: true, encoding: .utf8)
        try "-----BEGIN PRIVATE KEY-----\n\(key)\n-----END PRIVATE KEY-----\n"
            .write(toFile: directory + "/key.pem", atomically: true, encoding: .utf8)
        let files = [
            "POSTERN_SERVER_TLS_CERTIFICATE_FILE": directory + "/cert.pem",
            "POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": directory + "/key.pem",
        ]
        let server = try await start(environment: environment.merging(files) { $1 }, project: project)
        var tls = TLSConfiguration.makeClientConfiguration()
        // The certificate is its own root and has no name. The test only needs the configured one.
        tls.certificateVerification = .none
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, timeout: .init(connect: .seconds(600)))
        configuration.httpVersion = prefersHTTP2 ? .automatic : .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        try Teardown.add { try await client.shutdown() }
        return (server, client)
    }
}
