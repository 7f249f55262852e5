import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Project
import TestKit
import Testing

@testable import Server

@Suite("The server as a process, under attack", .teardown, .timeLimit(.minutes(15)))
struct HostileProcessTests {
    private func environment(_ directory: String) -> [String: String] {
        [
            "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "0", "POSTERN_PROJECT_ID": "p", "POSTERN_PROJECT_FILE": "",
            "POSTERN_SERVER_PUBLIC_URL": "", "POSTERN_PROJECT_API_KEYS": "k",
            "POSTERN_DATABASE_URL": "sqlite:\(directory)/postern.sqlite",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
            "POSTERN_SERVER_ADMIN_HOST": "127.0.0.1", "POSTERN_SERVER_ADMIN_PORT": "0",
        ]
    }

    @Test("logs none of the secrets that it was started with, at any level")
    func secretsOfTheSettings() async throws {
        let directory = try await makeTemporaryDirectory()
        let key = directory + "/apns.p8"
        try P256.Signing.PrivateKey().pemRepresentation.write(toFile: key, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let secrets = [
            "POSTERN_ADMIN_TOKEN", "POSTERN_EMAIL_SMTP_PASSWORD", "POSTERN_SMS_TWILIO_AUTH_TOKEN", "POSTERN_RECAPTCHA_SECRET",
            "POSTERN_WEBHOOKS_SECRET",
        ]
        var variables = environment(directory).merging([
            "POSTERN_LOG_LEVEL": "trace", "POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_FROM": "a@example.com",
            "POSTERN_EMAIL_SMTP_URL": "smtps://mail.example.com:465", "POSTERN_EMAIL_SMTP_USERNAME": "me",
            "POSTERN_SMS_TRANSPORT": "twilio", "POSTERN_SMS_TWILIO_ACCOUNT_SID": "AC1",
            "POSTERN_SMS_TWILIO_FROM": "+15005550006", "POSTERN_RECAPTCHA_SITE_KEY": "site",
            "POSTERN_APNS_KEY_ID": "ABCDEFGHIJ", "POSTERN_APNS_TEAM_ID": "TEAM123456", "POSTERN_APNS_PRIVATE_KEY_FILE": key,
            "POSTERN_WEBHOOKS_URL": "https://hooks.example.com/x",
        ]) { $1 }
        for name in secrets { variables[name] = "hidden-\(name)-which-is-long-enough-for-all" }
        let process = try ServerProcess(["serve"], environment: variables, directory: directory)
        _ = try await process.waitUntilReady()
        #expect(await process.terminate() == 0)
        #expect(process.printed.contains(#""level":"trace""#))
        #expect(!process.printed.contains("hidden-"))
        #expect(!process.printed.contains(try String(contentsOfFile: key, encoding: .utf8).split(separator: "\n")[1]))
        #expect(!process.printed.contains(try #require(variables["POSTERN_SECRETS_MASTER_KEY"])))
    }

    @Test("holds no more connections than leave it file descriptors, and answers the private listener meanwhile")
    func connections() async throws {
        let directory = try await makeTemporaryDirectory()
        let process = try ServerProcess(
            ["-c", "ulimit -n 256 && exec \"$0\" serve", ServerProcess.path(of: "postern")],
            executable: "/bin/sh",
            environment: environment(directory),
            directory: directory
        )
        _ = try await process.waitUntilReady()
        let port = try #require(process.printed.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) })
        let privatePort = try await process.waitUntilPrinted(/private listener","port":"([0-9]+)"/)
        var held: [RawConnection] = []
        for _ in 0..<230 { held.append(try await RawConnection(port: port)) }
        let answer = try await TestClient("http://127.0.0.1:\(privatePort)").post("/v1/accounts:signUp?key=k", [:])
        // Anonymous sign-up is off, but the answer still needs the store.
        #expect(answer.errorMessage == "ADMIN_ONLY_OPERATION")
        for connection in held { await connection.close() }
        // On its own connection, because the client's may have been idle for too long.
        let request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        #expect(try await RawConnection.answer(to: request, port: port).hasPrefix("HTTP/1.1 200 "))
        #expect(await process.terminate() == 0)
    }

    private static let memoryBound = 200 << 20
    private static let bodySize = 60_000

    private static func signUp(_ length: Int) -> String {
        "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(length)\r\n\r\n"
    }

    @Test("keeps its memory small under unfinished bodies of many addresses, and serves newcomers")
    func memory() async throws {
        ConnectionLimit.raiseDescriptors()
        let directory = try await makeTemporaryDirectory()
        let process = try ServerProcess(["serve"], environment: environment(directory), directory: directory)
        let port = try #require(URL(string: try await process.waitUntilReady())?.port)
        let before = process.residentBytes
        let unfinished = Self.signUp(Self.bodySize + 1) + String(repeating: "x", count: Self.bodySize)
        var held: [RawConnection] = []
        for number in 0..<2400 {
            let connection = try await RawConnection(port: port, from: "127.1.0.\(number % 200 + 1)")
            // One that was ended in the meantime cannot be written to.
            try? await connection.send(unfinished)
            held.append(connection)
        }
        let health = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        for source in ["127.1.0.1", "127.2.0.1"] {
            #expect(try await RawConnection.answer(to: health, port: port, from: source).hasPrefix("HTTP/1.1 200 "))
            let answer = try await RawConnection.answer(to: Self.signUp(2) + "{}", port: port, from: source)
            #expect(answer.contains("ADMIN_ONLY_OPERATION"), "\(answer)")
        }
        // Of a debug build, which begins with 85 MB. Without the budget it grows by 300 MB.
        let growth = process.peakResidentBytes - before
        #expect(growth < Self.memoryBound, "\(growth)")
        // The bound was put to the test.
        #expect(held.contains { !$0.isOpen } && held.contains { $0.isOpen })
        for connection in held { await connection.close() }
        #expect(await process.terminate() == 0)
    }

    @Test("keeps its memory small under HTTP/2 streams that never end, and serves newcomers")
    func memoryOfStreams() async throws {
        let directory = try await makeTemporaryDirectory()
        let certificate = try TestCertificate(dnsName: "localhost", in: directory)
        let files = [
            "POSTERN_SERVER_TLS_CERTIFICATE_FILE": certificate.certificateFile,
            "POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": certificate.keyFile,
        ]
        let process = try ServerProcess(
            ["serve"],
            environment: environment(directory).merging(files) { $1 },
            directory: directory
        )
        let port = try await process.waitUntilPrinted(/https:\/\/127\.0\.0\.1:([0-9]+)/)
        let privatePort = try await process.waitUntilPrinted(/private listener","port":"([0-9]+)"/)
        let attackers = (0..<12).map { _ in client() }
        let (pieces, source) = AsyncStream.makeStream(of: ByteBuffer.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for attacker in attackers {
                for _ in 0..<100 {
                    var request = HTTPClientRequest(url: "https://127.0.0.1:\(port)/v1/accounts:signUp?key=k")
                    request.method = .POST
                    let body = Unfinished(first: ByteBuffer(repeating: UInt8(ascii: "x"), count: Self.bodySize), rest: pieces)
                    request.body = .stream(body, length: .unknown)
                    group.addTask { [request] in _ = try? await attacker.execute(request, timeout: .seconds(600)) }
                }
            }
            // Most are ended in favour of others: the address has used its share.
            for _ in 0..<900 { _ = try await group.next() }
            let answer = try await TestClient("http://127.0.0.1:\(privatePort)").post("/v1/accounts:signUp?key=k", [:])
            #expect(answer.errorMessage == "ADMIN_ONLY_OPERATION")
            let newcomer = client()
            var request = HTTPClientRequest(url: "https://127.0.0.1:\(port)/v1/accounts:signUp?key=k")
            request.method = .POST
            request.body = .bytes(ByteBuffer(string: "{}"))
            #expect(try await newcomer.execute(request, timeout: .seconds(600)).status.code == 400)
            request.url = "https://127.0.0.1:\(port)/healthz"
            request.method = .GET
            request.body = nil
            #expect(try await newcomer.execute(request, timeout: .seconds(600)).status.code == 200)
            #expect(process.peakResidentBytes < Self.memoryBound, "\(process.peakResidentBytes)")
            group.cancelAll()
            source.finish()
            try await newcomer.shutdown()
        }
        for attacker in attackers { try await attacker.shutdown() }
        #expect(await process.terminate() == 0)
    }

    // The certificate is its own root; what matters is that it is the one configured.
    private func client() -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        return HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: .init(tlsConfiguration: tls, timeout: .init(connect: .seconds(600)))
        )
    }

    /// A body that begins and does not end until its rest does.
    private struct Unfinished: AsyncSequence, Sendable {
        let first: ByteBuffer
        let rest: AsyncStream<ByteBuffer>

        struct AsyncIterator: AsyncIteratorProtocol {
            var first: ByteBuffer?
            var rest: AsyncStream<ByteBuffer>.AsyncIterator

            mutating func next() async throws -> ByteBuffer? {
                if let first = first.take() { return first }
                return await rest.next()
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(first: first, rest: rest.makeAsyncIterator()) }
    }

    @Test("names the setting that it cannot use, and ends with a code other than 0")
    func unusableSettings() async throws {
        let directory = try await makeTemporaryDirectory()
        let bad = directory + "/bad.pem"
        try "hush".write(toFile: bad, atomically: true, encoding: .utf8)
        let taken = try await TCPListener()
        let apns = ["POSTERN_APNS_KEY_ID": "K", "POSTERN_APNS_TEAM_ID": "T", "POSTERN_APNS_PRIVATE_KEY_FILE": bad]
        for (key, variables) in [
            ("outbound.caFile", ["POSTERN_OUTBOUND_CA_FILE": bad]), ("apns.privateKeyFile", apns),
            (
                "server.tls.certificateFile",
                ["POSTERN_SERVER_TLS_CERTIFICATE_FILE": bad, "POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": bad]
            ),
            ("server.host and server.port", ["POSTERN_SERVER_PORT": String(taken.port)]),
            ("server.adminHost and server.adminPort", ["POSTERN_SERVER_ADMIN_PORT": String(taken.port)]),
        ] {
            let process = try ServerProcess(
                ["serve"],
                environment: environment(directory).merging(variables) { $1 },
                directory: directory
            )
            let (code, text) = await process.waitForOutput()
            #expect(code != 0, "\(key)")
            #expect(text.contains("Error: \(key): "), "\(text)")
            #expect(!text.contains("hush"))
        }
        try await taken.close()
    }
}
