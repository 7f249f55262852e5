import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Project
import TestKit
import Testing

/// Threat case RES-03.
@Suite("Bodies that fill the memory", .teardown, .timeLimit(.minutes(15)))
struct BodyThreatTests {
    private static let size = 60_000
    private static let share = 256 * 1024

    private static func head(_ length: Int, _ more: String = "") -> String {
        "POST /v1/accounts:signUp?key=test-key HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\(more)\r\n"
    }

    private static func unfinished(for client: Int) -> String {
        head(size + 1, "X-Forwarded-For: 192.0.2.\(client)\r\n") + String(repeating: "x", count: size)
    }

    private static let limits = [
        "POSTERN_LIMITS_BODIES_PER_ADDRESS_BYTES": "\(share)", "POSTERN_LIMITS_BODIES_TOTAL_BYTES": "1048576",
    ]

    // Leaves as many unfinished bodies at the server; each was sent, and not necessarily read, before the next.
    private func hold(_ count: Int, at server: TestServer, from source: String, for client: Int? = nil) async throws
        -> [RawConnection]
    {
        var held: [RawConnection] = []
        for number in 0..<count {
            let connection = try await RawConnection(port: server.port, from: source)
            // One that was ended in the meantime cannot be written to.
            try? await connection.send(Self.unfinished(for: client ?? number))
            held.append(connection)
        }
        return held
    }

    private func expectServed(_ server: TestServer, from source: String, _ more: String = "") async throws {
        let request = Self.head(2, "Connection: close\r\n\(more)") + "{}"
        let answer = try await RawConnection.answer(to: request, port: server.port, from: source)
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(source): \(answer)")
    }

    @Test("are bounded for each address: those that have waited longest end for the next, of it alone, and all are served")
    func share() async throws {
        let server = try await TestServer.start(environment: Self.limits)
        let others = try await hold(2, at: server, from: "127.0.0.3")
        let held = try await hold(12, at: server, from: "127.0.0.2")
        // Four fit. Which of two that come at the same time is the older is open.
        try await eventually { held.count { $0.isOpen } <= 4 }
        #expect(held.last?.isOpen == true)
        #expect(held.prefix(4).allSatisfy { !$0.isOpen })
        for source in ["127.0.0.2", "127.0.0.3"] { try await expectServed(server, from: source) }
        #expect(others.allSatisfy { $0.isOpen })
        for connection in held + others { await connection.close() }
        try await expectServed(server, from: "127.0.0.2")
    }

    @Test("are bounded for all addresses together: those that have waited longest end for the next, and newcomers are served")
    func total() async throws {
        let server = try await TestServer.start(environment: Self.limits)
        var held: [RawConnection] = []
        for source in 1...10 { held += try await hold(3, at: server, from: "127.0.1.\(source)") }
        // Sixteen fit.
        try await eventually { held.count { $0.isOpen } <= 16 }
        #expect(held.last?.isOpen == true)
        #expect(held.prefix(6).allSatisfy { !$0.isOpen })
        let health = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        for source in ["127.0.1.1", "127.0.0.9"] {
            #expect(try await RawConnection.answer(to: health, port: server.port, from: source).hasPrefix("HTTP/1.1 200 "))
            try await expectServed(server, from: source)
        }
        for connection in held { await connection.close() }
    }

    @Test("count for the client behind a trusted proxy, and not for the proxy")
    func proxies() async throws {
        let environment = Self.limits.merging(["POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.7"]) { $1 }
        let server = try await TestServer.start(environment: environment)
        let held = try await hold(8, at: server, from: "127.0.0.7", for: 1)
        try await eventually { held.count { $0.isOpen } <= 4 }
        // Of as many clients as there are requests.
        let others = try await hold(8, at: server, from: "127.0.0.7")
        try await expectServed(server, from: "127.0.0.7", "X-Forwarded-For: 192.0.2.99\r\n")
        #expect(others.allSatisfy { $0.isOpen })
        for connection in held + others { await connection.close() }
    }

    @Test("and heads that never end are bounded as well: the connections of the oldest end for the next")
    func heads() async throws {
        let server = try await TestServer.start(environment: Self.limits)
        let fields = (0..<3).map { "X-\($0): " + String(repeating: "x", count: 8000) }
        let unfinished = "GET / HTTP/1.1\r\nHost: x\r\n" + fields.joined(separator: "\r\n")
        var held: [RawConnection] = []
        for _ in 0..<14 {
            let connection = try await RawConnection(port: server.port, from: "127.0.0.2")
            try? await connection.send(unfinished)
            held.append(connection)
        }
        try await eventually { held.contains { !$0.isOpen } }
        #expect(held.last?.isOpen == true)
        try await expectServed(server, from: "127.0.0.2")
        for connection in held { await connection.close() }
    }

    @Test("are small where no administrator sends them: 413 before they are read, and no credential that is none helps")
    func strangers() async throws {
        let server = try await TestServer.start()
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

    @Test("are not read on without end once the request has its answer: the connection ends")
    func answered() async throws {
        let server = try await TestServer.start()
        let connection = try await RawConnection(port: server.port)
        let started = ContinuousClock.now
        try await connection.send("POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n")
        try await eventually { connection.text.contains("\r\n\r\n") }
        let part = String(repeating: "x", count: 1 << 20)
        while connection.isOpen {
            // It fails once the connection has ended.
            try? await connection.send(part)
        }
        // A request that is not finished has a minute.
        #expect(ContinuousClock.now - started < .seconds(30))
        #expect(connection.text.hasPrefix("HTTP/1.1 404 "), "\(connection.text)")
        #expect(connection.text.lowercased().contains("connection: close"))
    }

    @Test("of administrators count for no address")
    func administrators() async throws {
        // Bytes that arrive before the credential is checked still count, and are less than a MiB.
        let environment = ["POSTERN_LIMITS_BODIES_PER_ADDRESS_BYTES": "1048576", "POSTERN_SERVER_MAX_BODY_BYTES": "4194304"]
        let server = try await TestServer.start(environment: environment)
        let path = "/v1/projects/demo-test/accounts:lookup"
        let body: JSONValue = ["x": .string(String(repeating: "x", count: 3 << 20))]
        let bearer = [("Authorization", "Bearer \(TestServer.adminToken)")]
        let answer = try await server.client.post(path, body, headers: bearer)
        #expect(![413, 429, 503].contains(answer.status), "\(answer.json)")
    }

    @Test("of one HTTP/2 connection are bounded, too: silent streams end for the next, which are served")
    func streams() async throws {
        let (server, client) = try await TestServer.startWithTLS(environment: Self.limits)
        let url = "https://127.0.0.1:\(server.port)/v1/accounts:signUp?key=\(TestServer.apiKey)"
        var sources: [AsyncStream<ByteBuffer>.Continuation] = []
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                var request = HTTPClientRequest(url: url)
                request.method = .POST
                let (pieces, source) = AsyncStream.makeStream(of: ByteBuffer.self)
                source.yield(ByteBuffer(repeating: UInt8(ascii: "x"), count: 1000))
                sources.append(source)
                request.body = .stream(pieces, length: .unknown)
                group.addTask { [request] in
                    // The stream is reset.
                    await #expect(throws: (any Error).self) { try await client.execute(request, timeout: .seconds(600)) }
                }
            }
            // Those that found room wait for the ends of their bodies.
            _ = try await group.next()
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.body = .bytes(ByteBuffer(string: "{}"))
            #expect(try await client.execute(request, timeout: .seconds(600)).status == .ok)
            group.cancelAll()
            for source in sources { source.finish() }
        }
    }
}
