import TestKit
import Testing

/// curl and Java's client ask for HTTP/2 in the first request of a connection without TLS.
@Suite("A request that asks for another protocol", .teardown, .timeLimit(.minutes(15)))
struct UpgradeTests {
    private static let last = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"

    /// The fields that NIO's decoder takes for a change of protocol, and such that it does not.
    private static let fields = [
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
        "Connection: upgrade\r\nUpgrade: x\r\n",
        "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n",
        "Connection: Upgrade\r\nUpgrade:\r\n",
        "Connection: Upgrade\r\nUpgrade: x\r\nUpgrade: y\r\n",
        "Upgrade: x\r\n",
        "Connection: upgrade\r\n",
    ]

    private static func requests(_ fields: String) -> [String] {
        let post = "POST /v1/accounts:lookup?key=\(TestServer.apiKey) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)"
        return [
            "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)\r\n",
            "OPTIONS /v1/accounts:lookup HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)\r\n",
            post + "Content-Length: 2\r\n\r\n{}",
            post + "Content-Length: 0\r\n\r\n",
            post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        ]
    }

    private static func statuses(_ text: String) -> [Substring] { text.matches(of: /HTTP\/1\.1 ([0-9]+)/).map { $0.1 } }

    @Test("is answered as if it did not, and the next request of its connection is, too, on either listener", arguments: fields)
    func nextRequest(_ fields: String) async throws {
        let server = try await TestServer.start(environment: TestServer.privateListener)
        let privatePort = try #require(server.privatePort)
        for port in [server.port, privatePort] {
            for request in Self.requests(fields) {
                let connection = try await RawConnection(port: port)
                for count in 1...2 {
                    try await connection.send(request)
                    try await eventually { Self.statuses(connection.text).count == count || !connection.isOpen }
                }
                try await connection.send(Self.last)
                let statuses = Self.statuses(await connection.waitForEnd())
                #expect(statuses.count == 3 && statuses.last == "200", "\(request): \(statuses)")
                #expect(statuses.first != "101")
            }
        }
    }

    @Test("is answered, and those sent with it are, wherever the bytes are cut", arguments: fields)
    func sentTogether(_ fields: String) async throws {
        let server = try await TestServer.start()
        let all = Self.requests(fields).joined() + Self.last
        for size in [7, 64, all.utf8.count] {
            let connection = try await RawConnection(port: server.port)
            var rest = all[...]
            while !rest.isEmpty {
                try await connection.send(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            let statuses = Self.statuses(await connection.waitForEnd())
            #expect(statuses.count == 6 && statuses.last == "200", "\(size): \(statuses)")
        }
    }

    @Test("with a body is not taken for more requests than it is")
    func body() async throws {
        let server = try await TestServer.start()
        let inner = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        let request =
            "POST /v1/accounts:lookup?key=\(TestServer.apiKey) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
            + "Content-Length: \(inner.utf8.count)\r\n\r\n\(inner)"
        let answer = try await RawConnection.answer(to: request + Self.last, port: server.port)
        #expect(Self.statuses(answer) == ["400", "200"], "\(answer)")
    }

    @Test("by CONNECT is refused, and what follows it is no request", arguments: ["", "Connection: Upgrade\r\nUpgrade: x\r\n"])
    func tunnel(_ fields: String) async throws {
        let server = try await TestServer.start()
        let request = "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\(fields)\r\n"
        let answer = try await RawConnection.answer(to: request + Self.last, port: server.port)
        #expect(Self.statuses(answer).count == 1, "\(answer)")
        #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
    }
}
