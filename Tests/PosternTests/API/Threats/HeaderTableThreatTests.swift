import NIOHPACK
import TestKit
import Testing

@Suite("A client that speaks HTTP/2", .teardown, .timeLimit(.minutes(15)))
struct HeaderTableThreatTests {
    // RFC 9113 §6.5.2
    private static let headerTableSize: UInt16 = 1

    @Test(
        "has no larger table of sent fields kept for it than 4,096 bytes, however large it allows one (RES-14)",
        arguments: [UInt32.max, 1 << 20, 4097, 4096, 300, 0]
    )
    func table(allowed: UInt32) async throws {
        let (server, _) = try await TestServer.startWithTLS()
        let settings = [(number: UInt16(3), value: UInt32(100)), (number: Self.headerTableSize, value: allowed)]
        // The client's decoder refuses an answer that needs a larger table, or that announces one.
        let client = try await RawHTTP2Connection(port: server.port, settings: settings)
        for number in 0..<300 {
            // Both are sent back, so that every answer has fields that none had before.
            let fields = [("origin", "https://app-\(number).example"), ("x-request-id", "request-\(number)")]
            let answer = try #require(try await client.get("/healthz", headers: fields))
            #expect(answer[":status"] == ["200"])
            #expect(answer["access-control-allow-origin"] == ["https://app-\(number).example"])
            #expect(client.tableBytes == min(Int(allowed), 4096))
        }
        await client.close()
    }

    @Test("may allow another table later on, and gets no larger one")
    func changes() async throws {
        let (server, _) = try await TestServer.startWithTLS()
        let client = try await RawHTTP2Connection(port: server.port, settings: [])
        for allowed in [UInt32.max, 100, 4096, 1 << 30] {
            try await client.send(settings: [(number: Self.headerTableSize, value: allowed)])
            let answer = try #require(try await client.get("/healthz", headers: [("origin", "https://\(allowed).example")]))
            #expect(answer[":status"] == ["200"])
            #expect(client.tableBytes == min(Int(allowed), 4096))
        }
        await client.close()
    }

    @Test("is hung up on when it sends settings without end")
    func settings() async throws {
        let (server, _) = try await TestServer.startWithTLS()
        let client = try await RawHTTP2Connection(port: server.port, settings: [])
        #expect(try await client.get("/healthz") != nil)
        for number in 0..<300 {
            do { try await client.send(settings: [(number: 4, value: UInt32(70_000 + number))]) } catch { break }
        }
        await client.waitForEnd()
    }

    @Test("may send fields of 16 KiB with a request, which it is told; its connection ends when it sends more (RES-03)")
    func longHead() async throws {
        let (server, _) = try await TestServer.startWithTLS()
        let client = try await RawHTTP2Connection(port: server.port, settings: [])
        let answer = try await client.get("/healthz", headers: [("x-long", String(repeating: "a", count: 15_000))])
        #expect(answer?[":status"] == ["200"])
        let none = try await client.get("/healthz", headers: [("x-long", String(repeating: "a", count: 20_000))])
        #expect(none == nil)
    }

    @Test("gets no origin back that is longer than an origin can be, nor a list of headers without end")
    func origin() async throws {
        let server = try await TestServer.start()
        let longest = "https://" + String(repeating: "a", count: 253) + ":65535"
        #expect(
            try await server.client.get("/healthz", headers: [("Origin", longest)]).header("Access-Control-Allow-Origin")
                == longest
        )
        for origin in [String(repeating: "o", count: 301), "https://" + String(repeating: "a", count: 12_000)] {
            let answer = try await server.client.get("/healthz", headers: [("Origin", origin)])
            #expect(answer.status == 200)
            #expect(answer.header("Access-Control-Allow-Origin") == nil)
        }
        let headers = String(repeating: "x-header,", count: 300)
        let preflight = try await server.client.send(
            "OPTIONS",
            "/v1/accounts:signUp",
            headers: [("Origin", "https://app.example"), ("Access-Control-Request-Headers", headers)]
        )
        #expect(preflight.header("Access-Control-Allow-Origin") == "https://app.example")
        #expect(preflight.header("Access-Control-Allow-Headers") == nil)
    }
}
