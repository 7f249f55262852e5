import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Project
import TestKit
import Testing

@testable import postern

/// Threat case RES-03.
@Suite("Bodies that fill the memory", .timeLimit(.minutes(15)))
struct BodyThreatTests {
    private static let size = 60_000
    private static let share = 256 * 1024

    private static func head(_ length: Int, _ more: String = "") -> String {
        "POST /v1/accounts:signUp?key=test-key HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\(more)\r\n"
    }

    private static var unfinished: String {
        head(size + 1, "X-Forwarded-For: 192.0.2.1\r\n") + String(repeating: "x", count: size)
    }

    private static let limits = [
        "POSTERN_LIMITS_BODIES_PER_ADDRESS_BYTES": "\(share)", "POSTERN_LIMITS_BODIES_TOTAL_BYTES": "1048576",
    ]

    // Sends unfinished bodies until one is refused.
    private func fill(_ server: TestServer, from sources: [String]) async throws -> (held: [RawConnection], refusal: String) {
        var held: [RawConnection] = []
        for source in sources {
            for _ in 0..<(Self.share / Self.size + 1) {
                let connection = try await RawConnection(port: server.port, from: source)
                try await connection.send(Self.unfinished)
                held.append(connection)
            }
        }
        let refusal = try await eventually { held.first { !$0.text.isEmpty } }
        return (held, await refusal.waitForEnd())
    }

    private func expectRefusal(_ answer: String, _ status: Int, _ name: String) throws {
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.lowercased().contains("\r\nretry-after: 1\r\n"))
        #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
        let body = try JSONValue.parse(try #require(answer.components(separatedBy: "\r\n\r\n").last).utf8)
        #expect(body["error"]?["code"]?.integer == Int64(status))
        #expect(body["error"]?["status"]?.string == name)
    }

    @Test("are bounded for each address: 429, and the connection ends; others are served, and the address is again later")
    func share() async throws {
        try await TestServer.running(environment: Self.limits) { server in
            let (held, refusal) = try await fill(server, from: ["127.0.0.2"])
            try expectRefusal(refusal, 429, "RESOURCE_EXHAUSTED")
            let request = Self.head(2, "Connection: close\r\n") + "{}"
            #expect(try await RawConnection.answer(to: request, port: server.port, from: "127.0.0.3").hasPrefix("HTTP/1.1 200 "))
            for connection in held { await connection.close() }
            try await eventually {
                try await RawConnection.answer(to: request, port: server.port, from: "127.0.0.2").hasPrefix("HTTP/1.1 200 ")
            }
        }
    }

    @Test("are bounded for all addresses together: 503, and the server's health is answered meanwhile")
    func total() async throws {
        try await TestServer.running(environment: Self.limits) { server in
            var held: [RawConnection] = []
            // Some may be refused for the share of their address before all addresses together have reached the total.
            let refused = try await eventually {
                let connection = try await RawConnection(port: server.port, from: "127.0.1.\(held.count / 4 + 1)")
                try? await connection.send(Self.unfinished)
                held.append(connection)
                return held.first { $0.text.hasPrefix("HTTP/1.1 503 ") }
            }
            try expectRefusal(await refused.waitForEnd(), 503, "UNAVAILABLE")
            let health = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            for source in ["127.0.1.1", "127.0.0.9"] {
                #expect(try await RawConnection.answer(to: health, port: server.port, from: source).hasPrefix("HTTP/1.1 200 "))
            }
            for connection in held { await connection.close() }
        }
    }

    @Test("count for the client behind a trusted proxy, and not for the proxy")
    func proxies() async throws {
        let environment = Self.limits.merging(["POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.7"]) { $1 }
        try await TestServer.running(environment: environment) { server in
            let (held, refusal) = try await fill(server, from: ["127.0.0.7"])
            try expectRefusal(refusal, 429, "RESOURCE_EXHAUSTED")
            let request = Self.head(2, "Connection: close\r\nX-Forwarded-For: 192.0.2.2\r\n") + "{}"
            #expect(try await RawConnection.answer(to: request, port: server.port, from: "127.0.0.7").hasPrefix("HTTP/1.1 200 "))
            for connection in held { await connection.close() }
        }
    }

    @Test("and heads that never end are bounded as well: their connections end")
    func heads() async throws {
        try await TestServer.running(environment: Self.limits) { server in
            let fields = (0..<3).map { "X-\($0): " + String(repeating: "x", count: 8000) }
            let unfinished = "GET / HTTP/1.1\r\nHost: x\r\n" + fields.joined(separator: "\r\n")
            var held: [RawConnection] = []
            for _ in 0..<14 {
                let connection = try await RawConnection(port: server.port, from: "127.0.0.2")
                try? await connection.send(unfinished)
                held.append(connection)
            }
            try await eventually { held.contains { !$0.isOpen } }
            for connection in held { await connection.close() }
        }
    }

    @Test("are small where no administrator sends them: 413 before they are read, and no credential that is none helps")
    func strangers() async throws {
        try await TestServer.running { server in
            let large = JSONValue.string(String(repeating: "x", count: 100_000))
            let path = "/v1/accounts:lookup?key=\(TestServer.apiKey)"
            #expect(try await server.client.post(path, ["idToken": large]).status == 413)
            for body in ["idToken", "x"] {
                let bearer = [("Authorization", "Bearer nothing-that-is-known")]
                #expect(try await server.client.post(path, [body: large], headers: bearer).status == 401)
            }
            let bearer = [("Authorization", "Bearer \(TestServer.adminToken)")]
            let answer = try await server.client.post("/v1/projects/demo-test/accounts:lookup", ["x": large], headers: bearer)
            #expect(answer.status != 413, "\(answer.json)")
            let announced = "POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n"
            #expect(try await RawConnection.answer(to: announced, port: server.port).hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test("of administrators count for no address")
    func administrators() async throws {
        // Bytes that arrive before the credential is checked still count, and are less than a MiB.
        let environment = [
            "POSTERN_LIMITS_BODIES_PER_ADDRESS_BYTES": "1048576", "POSTERN_SERVER_MAX_BODY_BYTES": "4194304",
        ]
        try await TestServer.running(environment: environment) { server in
            let path = "/v1/projects/demo-test/accounts:lookup"
            let body: JSONValue = ["x": .string(String(repeating: "x", count: 3 << 20))]
            let bearer = [("Authorization", "Bearer \(TestServer.adminToken)")]
            let answer = try await server.client.post(path, body, headers: bearer)
            #expect(![413, 429, 503].contains(answer.status), "\(answer.json)")
        }
    }

    @Test("of one HTTP/2 connection are bounded, too")
    func streams() async throws {
        try await TestServer.withTLS(environment: Self.limits) { server, client in
            var sources: [AsyncStream<ByteBuffer>.Continuation] = []
            let status = try await withThrowingTaskGroup(of: UInt.self) { group in
                for _ in 0..<20 {
                    let url = "https://127.0.0.1:\(server.port)/v1/accounts:signUp?key=\(TestServer.apiKey)"
                    var request = HTTPClientRequest(url: url)
                    request.method = .POST
                    let (pieces, source) = AsyncStream.makeStream(of: ByteBuffer.self)
                    source.yield(ByteBuffer(repeating: UInt8(ascii: "x"), count: 1000))
                    sources.append(source)
                    request.body = .stream(pieces, length: .unknown)
                    group.addTask { [request] in try await client.execute(request, timeout: .seconds(600)).status.code }
                }
                // The requests that found room wait for the ends of their bodies.
                let first = try await group.next()
                for source in sources { source.finish() }
                group.cancelAll()
                return first
            }
            #expect(status == 429)
        }
    }
}
