import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Passwords
import Project
import TestKit
import Testing

@testable import Server

/// Threat case RES-06: what nobody waits for any more is not done.
@Suite("A client that hangs up", .teardown, .timeLimit(.minutes(15)))
struct HangUpTests {
    // One password after the other, each of which takes most of a second or more.
    private static let slowPasswords = [
        "POSTERN_PASSWORDS_WORKERS": "1", "POSTERN_PASSWORDS_QUEUE_LIMIT": "100", "POSTERN_PASSWORDS_ARGON2_MEMORY_KIB": "65536",
        "POSTERN_PASSWORDS_ARGON2_ITERATIONS": "16",
    ]
    private static let count = 30

    static func request(_ method: String, _ body: JSONValue, more: String = "") -> String {
        let text = String(decoding: body.serialized(), as: UTF8.self)
        return "POST /v1/accounts:\(method)?key=\(TestServer.apiKey) HTTP/1.1\r\nHost: x\r\n\(more)"
            + "Content-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
    }

    private static func signIn(_ number: Int, more: String = "") -> String {
        request("signInWithPassword", ["email": .string("a\(number)@b.c"), "password": "secret-1"], more: more)
    }

    // That the queue empties because passwords are hashed is no proof.
    private func expectAbandoned(_ server: TestServer) async throws {
        try await eventually { server.core.assembly.hasher.load.waiting == 0 }
        let load = server.core.assembly.hasher.load
        #expect(load.defaultHashes + load.running < Self.count / 2, "\(load)")
    }

    @Test("has its passwords taken out of the queue, though its end looks like that of one who waits")
    func queuedPasswords() async throws {
        let server = try await TestServer.start(environment: Self.slowPasswords, project: TestServer.emailProject())
        var held: [RawConnection] = []
        for number in 0..<Self.count {
            let connection = try await RawConnection(port: server.port, from: "127.0.1.\(number + 1)")
            try await connection.send(Self.signIn(number))
            held.append(connection)
        }
        try await eventually { server.core.assembly.hasher.load.waiting > Self.count * 2 / 3 }
        for connection in held { await connection.close() }
        try await expectAbandoned(server)
        try await eventually { try await inFlight(server) == 1 }
        #expect(server.log.lines.allSatisfy { !$0.contains("request failed") })
    }

    @Test("on streams of HTTP/2, which are reset, has its passwords taken out of the queue")
    func resetStreams() async throws {
        let (server, client) = try await TestServer.startWithTLS(
            environment: Self.slowPasswords,
            project: TestServer.emailProject()
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.count {
                var request = HTTPClientRequest(
                    url: "https://127.0.0.1:\(server.port)/v1/accounts:signInWithPassword?key=\(TestServer.apiKey)"
                )
                request.method = .POST
                request.body = .bytes(ByteBuffer(string: #"{"email":"a\#(number)@b.c","password":"secret-1"}"#))
                group.addTask { [request] in _ = try? await client.execute(request, timeout: .seconds(600)) }
            }
            try await eventually { server.core.assembly.hasher.load.waiting > Self.count * 2 / 3 }
            group.cancelAll()
        }
        try await expectAbandoned(server)
    }

    @Test("only with the sending half of its connection gets its answer, however long that takes")
    func halfClosed() async throws {
        let project = TestServer.emailProject(hidesAccounts: true)
        let server = try await TestServer.start(environment: Self.slowPasswords, project: project)
        var held: [RawConnection] = []
        for number in 0..<4 {
            let connection = try await RawConnection(port: server.port, from: "127.0.1.\(number + 1)")
            try await connection.send(Self.signIn(number))
            try await connection.finishSending()
            held.append(connection)
        }
        for connection in held {
            let answer = await connection.waitForEnd()
            #expect(answer.contains("HTTP/1.1 400 "), "\(answer)")
            #expect(answer.contains("INVALID_LOGIN_CREDENTIALS"))
        }
    }

    @Test("ends the call of another server that it waited for, and nothing of it is stored", arguments: Engine.allCases)
    func outgoingCall(engine: Engine) async throws {
        let hooked = try await HookedServer.start(["beforeCreate"], on: engine)
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        hooked.functions.reply { _ in
            for await _ in gate {}
            return HookedServer.Reply(json: [:])
        }
        let connection = try await RawConnection(port: hooked.server.port)
        try await connection.send(Self.request("signUp", ["email": "a@b.c", "password": "secret-1"]))
        try await eventually { hooked.functions.calls.count == 1 }
        #expect(try await inFlight(hooked.server) == 2)
        await connection.close()
        try await eventually { try await inFlight(hooked.server) == 1 }
        opened.finish()
        #expect(try await hooked.accounts() == 0)
        hooked.functions.reply { _ in HookedServer.Reply(json: [:]) }
        #expect(try await hooked.signUp().status == 200)
    }

    @Test("while a page works for it leaves no failure in the log, and none in the metrics")
    func page() async throws {
        let server = try await TestServer.start(environment: Self.slowPasswords, project: TestServer.emailProject())
        _ = try await server.signUp("ada@example.com")
        let link = try await server.link("PASSWORD_RESET", ["email": "ada@example.com"])
        let form = (link.split(separator: "?", maxSplits: 1).last ?? "") + "&newPassword=another-secret-1"
        var held: [RawConnection] = []
        for number in 0..<4 {
            let connection = try await RawConnection(port: server.port, from: "127.0.1.\(number + 1)")
            try await connection.send(Self.signIn(number))
            held.append(connection)
        }
        try await eventually { server.core.assembly.hasher.load.waiting >= 3 }
        let page = try await RawConnection(port: server.port)
        let head = "POST /__/auth/action HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        try await page.send(head + "Content-Length: \(form.utf8.count)\r\n\r\n\(form)")
        // It waits behind the others by then, or has not come that far: neither may leave a failure.
        try await Task.sleep(for: .milliseconds(300))
        for connection in held + [page] { await connection.close() }
        try await eventually { try await inFlight(server) == 1 }
        #expect(!server.log.lines.contains { $0.hasPrefix("error ") })
        let metrics = try await server.client.get("/metrics", headers: Self.administrator)
        #expect(!String(decoding: metrics.bytes, as: UTF8.self).contains(#"http_response_status_code="500""#))
    }

    @Test("the moment it is refused leaves lines of refusals at most, as one that stays does")
    func refusals() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let body: JSONValue = ["requestUri": "http://localhost", "postBody": "state=unknown&code=c&providerId=google.com"]
        for _ in 0..<100 {
            let connection = try await RawConnection(port: server.port)
            try await connection.send(Self.request("signInWithIdp", body))
            await connection.close()
        }
        try await eventually { try await inFlight(server) == 1 }
        #expect(!server.log.lines.contains { $0.hasPrefix("error ") || $0.contains("request failed") })
    }

    @Test("or not: no request is worked on by a thread of the event loops")
    func threads() async throws {
        let server = try await TestServer.start(project: TestServer.emailProject())
        let session = try await server.signUp("a@b.c")
        _ = try await server.signIn("a@b.c")
        _ = try await server.account(session)
        // Every request asks for the time, out at the door and in the rules.
        #expect(server.clock.reads.elsewhere > 10)
        #expect(server.clock.reads.onEventLoops == 0)
        try await HTTPClient.shared.eventLoopGroup.any().submit { _ = server.clock.now }.get()
        #expect(server.clock.reads.onEventLoops == 1)
    }

    private static let administrator = [("Authorization", "Bearer \(TestServer.adminToken)")]

    // The question itself is one.
    private func inFlight(_ server: TestServer) async throws -> Int? {
        let answer = try await server.client.get("/metrics", headers: Self.administrator)
        let line = String(decoding: answer.bytes, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("http_server_active_requests ") }
        return line.flatMap { Int($0.split(separator: " ")[1]) }
    }
}
