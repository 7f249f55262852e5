import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Project
import TestKit
import Testing

@Suite("Requests that break HTTP", .teardown, .timeLimit(.minutes(15)))
struct MalformedRequestTests {
    private static let good = #"{"idToken":"x"}"#
    private static let head = "POST /v1/accounts:lookup?key=test-key HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"

    /// Bodies with a wrong or ambiguous framing.
    private static let framings = [
        "Content-Length: 15\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n\(good)\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\nf\r\n\(good)\r\n0\r\n\r\n",
        "Content-Length: 15\r\nContent-Length: 3\r\n\r\n\(good)",
        "Content-Length: 15, 15\r\n\r\n\(good)",
        "Content-Length: +15\r\n\r\n\(good)",
        "Content-Length: 9223372036854775808\r\n\r\n\(good)",
        "Transfer-Encoding: xchunked\r\n\r\n\(good)",
        "Transfer-Encoding: chunked, gzip\r\n\r\n\(good)",
        "Transfer-Encoding : chunked\r\n\r\nf\r\n\(good)\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n\(good)\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n-f\r\n\(good)\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\(good)\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nf\r\n\(good)XX0\r\n\r\n",
        "X-Folded: a\r\n b\r\nContent-Length: 15\r\n\r\n\(good)",
    ]

    @Test("are refused as the caller's fault, with nothing of the body taken for a request", arguments: framings)
    func framing(_ rest: String) async throws {
        let server = try await TestServer.start()
        let answer = try await RawConnection.answer(to: Self.head + rest, port: server.port)
        #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
        #expect(answer.matches(of: /HTTP\/1\.1 [0-9]/).count == 1)
        #expect(!server.log.lines.contains { $0.hasPrefix("error ") })
    }

    @Test(
        "by a transfer coding besides chunked are refused: 501",
        arguments: ["gzip, chunked", "gzip,chunked", "identity, chunked"]
    )
    func coding(_ value: String) async throws {
        let server = try await TestServer.start()
        let next = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        let rest = "Transfer-Encoding: \(value)\r\n\r\nf\r\n\(Self.good)\r\n0\r\n\r\n"
        let answer = try await RawConnection.answer(to: Self.head + rest + next, port: server.port)
        #expect(answer.hasPrefix("HTTP/1.1 501 "), "\(answer)")
        #expect(answer.contains("The request's Transfer-Encoding must be chunked."))
        #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
        #expect(answer.matches(of: /HTTP\/1\.1 [0-9]/).count == 1)
    }

    @Test("of HTTP/1.0 by chunks are refused, and nothing behind them is a request", arguments: ["", "Content-Length: 25\r\n"])
    func oldChunks(_ length: String) async throws {
        let server = try await TestServer.start()
        let head = "POST /v1/accounts:lookup?key=test-key HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\(length)"
        let rest = "Transfer-Encoding: chunked\r\n\r\nf\r\n\(Self.good)\r\n0\r\n\r\nGET /healthz HTTP/1.0\r\n\r\n"
        let answer = try await RawConnection.answer(to: head + rest, port: server.port)
        #expect(answer.matches(of: /HTTP\/1\.[01] 400/).count == 1, "\(answer)")
        #expect(answer.matches(of: /HTTP\/1\.[01] [0-9]/).count == 1, "\(answer)")
    }

    @Test("of HTTP/1.0 expect nothing")
    func oldExpectation() async throws {
        let server = try await TestServer.start()
        let head = "POST /v1/accounts:lookup?key=test-key HTTP/1.0\r\nContent-Length: 15\r\nExpect: 100-continue\r\n\r\n"
        let answer = try await RawConnection.answer(to: head + Self.good, port: server.port)
        #expect(!answer.contains(" 100 "), "\(answer)")
        #expect(answer.contains("INVALID_ID_TOKEN"), "\(answer)")
    }

    @Test("and are sent ahead with an expectation are told to go on behind the answers before them")
    func expectation() async throws {
        let server = try await TestServer.start()
        let connection = try await RawConnection(port: server.port)
        let earlier = String(repeating: "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", count: 3)
        try await connection.send(earlier + Self.head + "Content-Length: 15\r\nExpect: 100-continue\r\n\r\n")
        try await eventually { connection.text.contains(" 100 ") || !connection.isOpen }
        try await connection.send(Self.good)
        let statuses = await connection.waitForEnd().matches(of: /HTTP\/1\.1 ([0-9]+)/).map { String($0.1) }
        #expect(statuses == ["200", "200", "200", "100", "400"])
    }

    @Test("and name two hosts are refused, on either listener")
    func twoHosts() async throws {
        let server = try await TestServer.start()
        let request = "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"
        let answer = try await RawConnection.answer(to: request, port: server.port)
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(answer.contains(#""status":"INVALID_ARGUMENT""#))
    }

    @Test(
        "and name no host, or what is none, are refused: 400",
        arguments: [
            "a b", "evil.example/x", "a@b", "x:99999", "x:y", "[::1", "[127.0.0.1]", "a,b", "\u{e4}.example",
            String(repeating: "a", count: 300),
        ].map { "Host: \($0)\r\n" } + [""]
    )
    func noHost(_ field: String) async throws {
        let server = try await TestServer.start()
        let request = "GET /healthz HTTP/1.1\r\n\(field)Connection: close\r\n\r\n"
        let answer = try await RawConnection.answer(to: request, port: server.port)
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        #expect(answer.contains(#""status":"INVALID_ARGUMENT""#))
    }

    @Test("name their host in every form that there is, and none in HTTP/1.0")
    func hosts() async throws {
        let server = try await TestServer.start()
        for host in ["x", "x:1", "a-b.example_c:65535", "127.0.0.1:80", "[::1]", "[2001:db8::1]:9099", ""] {
            let request = "GET /healthz HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            let answer = try await RawConnection.answer(to: request, port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(host): \(answer)")
        }
        let old = try await RawConnection.answer(to: "GET /healthz HTTP/1.0\r\nConnection: close\r\n\r\n", port: server.port)
        #expect(old.contains(" 200 "), "\(old)")
    }

    @Test(
        "of HTTP/1.0 that name no host pass the guards of development and of the private listener, as checks of load balancers do"
    )
    func oldVersion() async throws {
        let request = "GET /healthz HTTP/1.0\r\nConnection: close\r\n\r\n"
        try await TestServer.running(mode: .development) { server in
            let answer = try await RawConnection.answer(to: request, port: server.port)
            #expect(answer.contains(" 200 "), "\(answer)")
        }
        let variables = TestServer.privateListener
        let server = try await TestServer.start(environment: variables)
        let port = try #require(server.privatePort)
        let answer = try await RawConnection.answer(to: request, port: port)
        #expect(answer.contains(" 200 "), "\(answer)")
    }

    @Test(
        "and have headers of combining marks are refused, and the next one is served",
        arguments: ["Expect", "Connection", "X-Forwarded-For"]
    )
    func marks(_ name: String) async throws {
        let server = try await TestServer.start(environment: ["POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.1"])
        let value = "a" + String(repeating: "\u{301}", count: 8000)
        let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\(name): \(value)\r\n\r\n"
        let answer = try await RawConnection.answer(to: request, port: server.port)
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        #expect(answer.contains("combining marks"))
        #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
        let next = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        #expect(try await RawConnection.answer(to: next, port: server.port).hasPrefix("HTTP/1.1 200 "))
    }

    @Test("over HTTP/2 name their host by the authority")
    func authority() async throws {
        let (server, client) = try await TestServer.startWithTLS()
        let url = "https://127.0.0.1:\(server.port)/healthz"
        let answer = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(600))
        #expect(answer.status == .ok)
        #expect(answer.version == .http2)
    }

    /// The sizes of a request's fields, and its status.
    private static let sizes: [([Int], Int)] = [
        ([15_000], 200), ([17_000], 431), ([15_000, 15_000], 200), ([15_000, 15_000, 15_000], 431),
        ([Int](repeating: 1, count: 190), 200), ([Int](repeating: 1, count: 210), 431),
    ]

    @Test("by the size of their fields are refused: above 16 KiB for one, 32 KiB for all, or 200 fields", arguments: sizes)
    func fields(_ sizes: [Int], status: Int) async throws {
        let server = try await TestServer.start()
        let fields = sizes.enumerated().map { "X\($0): \(String(repeating: "a", count: $1))\r\n" }.joined()
        let request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(fields)\r\n"
        let answer = try await RawConnection.answer(to: request, port: server.port)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(200))")
    }

    @Test(
        "are answered with the envelope of errors, by whatever the parser trips over",
        arguments: [
            ("FOO /v1/accounts:lookup HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("garbage\r\n\r\n", 400),
            (head + framings[2], 400), (head + "X: " + String(repeating: "a", count: 100_000) + "\r\n\r\n", 431),
        ]
    )
    func envelope(_ request: String, status: Int) async throws {
        for mode in [ServerMode.production, .development] {
            let server = try await TestServer.start(mode: mode)
            let answer = try await RawConnection.answer(to: request, port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            #expect(answer.lowercased().contains("content-type: application/json; charset=utf-8\r\n"))
            #expect(answer.lowercased().contains("postern-mode: development") == (mode == .development))
            let body = try JSONValue.parse(try #require(answer.components(separatedBy: "\r\n\r\n").last).utf8)
            #expect(body["error"]?["code"]?.integer == Int64(status))
            #expect(body["error"]?["message"]?.string?.isEmpty == false)
            #expect(body["error"]?["errors"]?[0]?["reason"] == "badRequest")
        }
    }
}
