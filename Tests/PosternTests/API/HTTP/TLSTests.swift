import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import TestKit
import Testing

@Suite("TLS by configuration", .teardown, .timeLimit(.minutes(15)))
struct TLSTests {
    @Test("serves HTTP/2 and HTTP/1.1 with the configured certificate", arguments: [true, false])
    func https(prefersHTTP2: Bool) async throws {
        let (server, client) = try await TestServer.startWithTLS(prefersHTTP2: prefersHTTP2)
        var request = HTTPClientRequest(url: "https://127.0.0.1:\(server.port)/v1/accounts:signUp?key=\(TestServer.apiKey)")
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
    }
}
