import Foundation
import Project
import TestKit
import Testing

@Suite("Compressed bodies (ruling 39)", .teardown, .timeLimit(.minutes(15)))
struct CompressedBodyTests {
    private func send(
        _ server: TestServer,
        _ body: [UInt8],
        coding: [String] = ["gzip"],
        path: String = "/v1/accounts:signUp?key=\(TestServer.apiKey)",
        headers: [(String, String)] = []
    ) async throws -> TestClient.Answer {
        let type = [("Content-Type", "application/json")]
        return try await server.client.send(
            "POST",
            path,
            headers: type + coding.map { ("Content-Encoding", $0) } + headers,
            body: Data(body)
        )
    }

    // An object of exactly so many bytes.
    private func object(_ size: Int) -> [UInt8] {
        let (beginning, end) = (Array("{\"x\":\"".utf8), Array("\"}".utf8))
        return beginning + [UInt8](repeating: 0x78, count: size - beginning.count - end.count) + end
    }

    @Test("are read where they are one gzip stream: calls of clients, of administrators, forms and key files")
    func accepted() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let user: JSONValue = ["email": "a@b.c", "password": "secret-1"]
        for (number, coding) in ["gzip", "x-gzip", "GZIP"].enumerated() {
            let body = user.merging(["email": .string("u\(number)@b.c")]).serialized()
            let answer = try await send(server, Gzip.stream(body), coding: [coding])
            #expect(answer["email"]?.string == "u\(number)@b.c", "\(coding): \(answer.json)")
        }
        #expect(try await send(server, Array(user.serialized()), coding: ["identity"]).status == 200)
        #expect(try await send(server, [], coding: []).status == 200)
        let owner = [("Authorization", "Bearer \(TestServer.adminToken)")]
        // More than strangers may send, and a piece's own size.
        for size in [16 * 1024, 32 * 1024, 900_000] {
            let users = Gzip.stream(object(size))
            let answer = try await send(server, users, path: "/v1/projects/demo-test/accounts:query", headers: owner)
            #expect(answer.status == 200, "\(size): \(answer.json)")
        }
        let mask: JSONValue = ["authorizedDomains": ["app.example"]]
        let changed = try await server.client.send(
            "PATCH",
            "/v2/projects/demo-test/config?updateMask=authorizedDomains",
            headers: owner + [("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
            body: Data(Gzip.stream(mask.serialized()))
        )
        #expect(changed["authorizedDomains"] == ["app.example"])
    }

    @Test("inflate to no more than they may have uncompressed, and what is not one whole stream is refused (RES-03)")
    func refused() async throws {
        let server = try await TestServer.start()
        #expect(try await send(server, Gzip.stream(object(64 * 1024))).status == 200)
        for size in [64 * 1024 + 1, 1 << 20, 20 << 20] {
            let answer = try await send(server, Gzip.stream(object(size)))
            #expect(answer.status == 413 && answer.errorMessage == "Request payload is too large.", "\(size): \(answer.status)")
        }
        let owner = [("Authorization", "Bearer \(TestServer.adminToken)")]
        let path = "/v1/projects/demo-test/accounts:query"
        #expect(try await send(server, Gzip.stream(object(2 << 20)), path: path, headers: owner).status == 413)
        let good = Gzip.stream(Array("{}".utf8))
        var wrongSum = good
        wrongSum[good.count - 8] ^= 1
        let torn: [[UInt8]] = [Array(good.dropLast()), Array(good.dropLast(9)), Array(good.prefix(10)), []]
        let others: [[UInt8]] = [good + [0], good + good, wrongSum, Array("{}".utf8), [0x1f]]
        for body in torn + others {
            let answer = try await send(server, body)
            #expect(answer.status == 400, "\(body.count): \(answer.json)")
            #expect(answer.errorMessage == "The request's body is not one whole gzip stream.")
        }
        for coding in [["deflate"], ["br"], ["zstd"], ["gzip, gzip"], ["gzip", "gzip"], ["gzip, identity"], ["compress"]] {
            let answer = try await send(server, good, coding: coding)
            #expect(answer.status == 415, "\(coding): \(answer.json)")
            #expect(answer.header("Accept-Encoding") == "gzip")
            #expect(answer["error"]?["status"] == "INVALID_ARGUMENT")
        }
        #expect(try await send(server, good).status == 200)
    }
}
