import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL
import TestKit
import Tokens

extension TestServer {
    /// Runs a server with its own certificate, and a client that accepts it.
    ///
    /// - Parameters:
    ///   - environment: `POSTERN_*` variables besides those of every test server.
    ///   - prefersHTTP2: Whether the client uses HTTP/2, with all requests on one connection.
    static func withTLS<T>(
        environment: [String: String] = [:],
        prefersHTTP2: Bool = true,
        project: ((FakeIDP) -> String)? = nil,
        _ body: (TestServer, HTTPClient) async throws -> T
    ) async throws -> T {
        try await withTemporaryDirectory { directory in
            let pair = try SigningKeyPair.generate(TestClock().environment())
            let key = pair.privateKey.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            try pair.certificate.write(toFile: directory + "/cert.pem", atomically: true, encoding: .utf8)
            try "-----BEGIN PRIVATE KEY-----\n\(key)\n-----END PRIVATE KEY-----\n"
                .write(toFile: directory + "/key.pem", atomically: true, encoding: .utf8)
            let files = [
                "POSTERN_SERVER_TLS_CERTIFICATE_FILE": directory + "/cert.pem",
                "POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": directory + "/key.pem",
            ]
            return try await running(environment: environment.merging(files) { $1 }, project: project) { server in
                var tls = TLSConfiguration.makeClientConfiguration()
                // The certificate is its own root and has no name. The test only needs the configured one.
                tls.certificateVerification = .none
                var configuration = HTTPClient.Configuration(tlsConfiguration: tls, timeout: .init(connect: .seconds(600)))
                configuration.httpVersion = prefersHTTP2 ? .automatic : .http1Only
                let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
                do {
                    let result = try await body(server, client)
                    try await client.shutdown()
                    return result
                } catch {
                    try? await client.shutdown()
                    throw error
                }
            }
        }
    }
}
