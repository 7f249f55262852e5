import Foundation
import TestKit
import Testing

@Suite("An answer to HEAD", .timeLimit(.minutes(15)))
struct HeadRequestTests {
    private static let adminListener = ["POSTERN_SERVER_ADMIN_HOST": "127.0.0.1", "POSTERN_SERVER_ADMIN_PORT": "0"]
    private static let last = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"

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

    @Test("has no body, which a client would take for its next answer, on either listener", arguments: requests)
    func body(_ request: String) async throws {
        try await TestServer.running(environment: Self.adminListener) { server in
            let privatePort = try #require(server.privatePort)
            for port in [server.port, privatePort] {
                let connection = try await RawConnection(port: port)
                try await connection.send("HEAD \(request)\r\n" + Self.last)
                let text = await connection.waitForEnd()
                let end = try #require(text.range(of: "\r\n\r\n"), "\(text)")
                let rest = text[end.upperBound...]
                #expect(rest.isEmpty || rest.hasPrefix("HTTP/1.1 200 OK"), "\(text)")
            }
        }
    }
}
