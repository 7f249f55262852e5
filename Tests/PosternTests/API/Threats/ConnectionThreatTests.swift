import Foundation
import TestKit
import Testing

/// Threat case RES-04.
@Suite("Connections that keep silent", .teardown, .timeLimit(.minutes(15)))
struct ConnectionThreatTests {
    private static let health = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    private func settings(total: Int, perAddress: Int) -> [String: String] {
        ["POSTERN_LIMITS_CONNECTIONS_TOTAL": "\(total)", "POSTERN_LIMITS_CONNECTIONS_PER_ADDRESS": "\(perAddress)"]
    }

    // The connections are ended without an answer and without a time-out. Connections that come at the same time may change
    // places.
    private func expectEnded(_ count: Int, of held: [RawConnection]) async throws {
        try await eventually { held.count { !$0.isOpen } == count }
        #expect(held.prefix(count / 2).allSatisfy { !$0.isOpen })
        #expect(held.suffix((held.count - count) / 2).allSatisfy { $0.isOpen })
        #expect(held.allSatisfy { $0.text.isEmpty })
    }

    @Test("take no more than their address's share, and keep neither others nor their own address out")
    func share() async throws {
        let server = try await TestServer.start(environment: settings(total: 64, perAddress: 8))
        var held: [RawConnection] = []
        for _ in 0..<24 { held.append(try await RawConnection(port: server.port, from: "127.0.0.2")) }
        try await expectEnded(16, of: held)
        for source in ["127.0.0.3", "127.0.0.2"] {
            let answer = try await RawConnection.answer(to: Self.health, port: server.port, from: source)
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(source): \(answer)")
        }
        for connection in held { await connection.close() }
    }

    @Test("from many addresses make room for those that ask something, the oldest first")
    func fullHouse() async throws {
        let server = try await TestServer.start(environment: settings(total: 16, perAddress: 4))
        var held: [RawConnection] = []
        for round in 0..<4 {
            for source in 2...11 { held.append(try await RawConnection(port: server.port, from: "127.0.\(round).\(source)")) }
        }
        try await expectEnded(24, of: held)
        let answer = try await RawConnection.answer(to: Self.health, port: server.port, from: "127.0.9.9")
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        for connection in held { await connection.close() }
    }

    @Test("or send a request without its end count as silent, however much they drip")
    func unfinishedHeads() async throws {
        let server = try await TestServer.start(environment: settings(total: 16, perAddress: 4))
        var held: [RawConnection] = []
        for _ in 0..<12 {
            let connection = try await RawConnection(port: server.port, from: "127.0.0.2")
            // A connection that was ended meanwhile cannot be written to.
            try? await connection.send("POST /v1/accounts:signUp?key=test-key HTTP/1.1\r\nHost: x\r\nX-")
            held.append(connection)
        }
        try await expectEnded(8, of: held)
        for connection in held { await connection.close() }
    }

    @Test("of a trusted proxy have no share")
    func proxies() async throws {
        let environment = settings(total: 64, perAddress: 2).merging(["POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.7"]) { $1 }
        let server = try await TestServer.start(environment: environment)
        var held: [RawConnection] = []
        for _ in 0..<12 { held.append(try await RawConnection(port: server.port, from: "127.0.0.7")) }
        for connection in held {
            try await connection.send(Self.health)
            #expect(await connection.waitForEnd().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("on the private listener make room for administrators")
    func privateListener() async throws {
        let environment = TestServer.privateListener
        let server = try await TestServer.start(environment: environment)
        let client = try #require(server.privateClient)
        let port = try #require(URL(string: client.base)?.port)
        var held: [RawConnection] = []
        for _ in 0..<140 { held.append(try await RawConnection(port: port)) }
        try await expectEnded(44, of: held)
        #expect(try await client.get("/healthz").status == 200)
        for connection in held { await connection.close() }
    }
}
