import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import TestKit
import Testing
import Tokens

@testable import postern

@Suite("TLS by configuration", .timeLimit(.minutes(15)))
struct TLSTests {
    @Test("serves HTTP/2 and HTTP/1.1 with the configured certificate", arguments: [true, false])
    func https(prefersHTTP2: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let pair = try SigningKeyPair.generate(TestClock().environment())
            let key = pair.privateKey.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            try pair.certificate.write(toFile: directory + "/cert.pem", atomically: true, encoding: .utf8)
            try "-----BEGIN PRIVATE KEY-----\n\(key)\n-----END PRIVATE KEY-----\n"
                .write(toFile: directory + "/key.pem", atomically: true, encoding: .utf8)
            let variables = [
                "POSTERN_SERVER_TLS_CERTIFICATE_FILE": directory + "/cert.pem",
                "POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": directory + "/key.pem",
            ]
            try await TestServer.running(environment: variables) { server in
                var tls = TLSConfiguration.makeClientConfiguration()
                // The certificate is its own root and names nobody; what matters here is that it is the one configured.
                tls.certificateVerification = .none
                var configuration = HTTPClient.Configuration(tlsConfiguration: tls, timeout: .init(connect: .seconds(600)))
                configuration.httpVersion = prefersHTTP2 ? .automatic : .http1Only
                let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
                var request = HTTPClientRequest(
                    url: "https://127.0.0.1:\(server.port)/v1/accounts:signUp?key=\(TestServer.apiKey)"
                )
                request.method = .POST
                request.body = .bytes(ByteBuffer(string: "{}"))
                let response = try await client.execute(request, timeout: .seconds(600))
                #expect(response.status == .ok)
                #expect(response.version == (prefersHTTP2 ? .http2 : .http1_1))
                let discovery = try await client.execute(
                    HTTPClientRequest(url: "https://127.0.0.1:\(server.port)/.well-known/openid-configuration"),
                    timeout: .seconds(600)
                )
                let body = String(buffer: try await discovery.body.collect(upTo: 1 << 16))
                #expect(body.contains("https://127.0.0.1:\(server.port)/.well-known/jwks.json"))
                try await client.shutdown()
            }
        }
    }
}
