import Foundation
import TestKit
import Testing

@Suite("An answer to HEAD", .timeLimit(.minutes(15)))
struct HeadRequestTests {
    /// The ends of requests that are answered, refused by their route, and refused ahead of all routes.
    private static let requests = [
        "/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        "/nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        "/console/nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        "/healthz HTTP/1.1\r\nHost: a b\r\n",
        "/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.2\r\n",
        "/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://evil.example\r\n",
        "/healthz HTTP/1.1\r\nHost: evil.example\r\n",
        "/healthz HTTP/1.1\r\n",
    ]

    /// What the server sends behind the headers of an answer to HEAD, when another request is sent with it.
    private static func afterFirst(_ request: String, port: Int) async throws -> Substring {
        let next = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        let text = try await RawConnection.answer(to: "HEAD \(request)\r\n\(next)", port: port)
        let end = try #require(text.range(of: "\r\n\r\n"), "\(text)")
        return text[end.upperBound...]
    }

    @Test("has no body, which a client would take for its next answer, on either listener", arguments: requests)
    func body(_ request: String) async throws {
        try await TestServer.running(environment: TestServer.privateListener) { server in
            for port in [server.port, try #require(server.privatePort)] {
                let rest = try await Self.afterFirst(request, port: port)
                #expect(rest.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(rest)")
            }
        }
    }

    @Test("has none where its framing ends the connection, either")
    func framing() async throws {
        try await TestServer.running { server in
            let request = "/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip, chunked\r\n"
            let rest = try await Self.afterFirst(request, port: server.port)
            #expect(rest.isEmpty, "\(rest)")
        }
    }
}
