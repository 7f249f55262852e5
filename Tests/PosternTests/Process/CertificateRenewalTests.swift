import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import TestKit
import Testing

@Suite("Renewed certificates", .teardown, .timeLimit(.minutes(15)))
struct CertificateRenewalTests {
    /// A client that trusts one certificate's authority and keeps its connection.
    private struct Client {
        let client: HTTPClient
        let url: String

        init(port: Int, trusting authority: TestAuthority) throws {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authority.authorityFile)
            var configuration = HTTPClient.Configuration(tlsConfiguration: tls, timeout: .init(connect: .seconds(600)))
            configuration.httpVersion = .http1Only
            configuration.connectionPool.retryConnectionEstablishment = false
            client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            url = "https://127.0.0.1:\(port)/healthz"
        }

        func isServed() async -> Bool {
            let answer = try? await client.execute(HTTPClientRequest(url: url), timeout: .seconds(600))
            guard let answer, (try? await answer.body.collect(upTo: 1 << 16)) != nil else { return false }
            return answer.status == .ok
        }

        func close() async { try? await client.shutdown() }
    }

    /// Whether a new connection gets a certificate of an authority.
    private func isServed(_ port: Int, _ authority: TestAuthority) async throws -> Bool {
        let client = try Client(port: port, trusting: authority)
        let isServed = await client.isServed()
        await client.close()
        return isServed
    }

    private func authority(_ name: String, _ directory: String) throws -> TestAuthority {
        try FileManager.default.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
        return try TestAuthority(names: ["auth.example.com"], in: "\(directory)/\(name)")
    }

    private func install(certificate: String? = nil, key: String? = nil, _ directory: String) throws {
        for (source, name) in [(certificate, "cert.pem"), (key, "key.pem")] {
            guard let source else { continue }
            try Data(contentsOf: URL(fileURLWithPath: source)).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
        }
    }

    private func count(_ text: String, _ server: ServerProcess) -> Int { server.printed.ranges(of: text).count }

    @Test("are taken up on SIGHUP by new connections, while open ones go on; broken files leave the old certificate")
    func signal() async throws {
        let directory = try await makeTemporaryDirectory()
        let (first, second) = (try authority("first", directory), try authority("second", directory))
        try install(certificate: first.certificateFile, key: first.keyFile, directory)
        let server = try ServerProcess(["serve"], environment: Self.variables, directory: directory)
        let port = try #require(Int(try await server.waitUntilPrinted(/at https:\/\/127\.0\.0\.1:([0-9]+)/)))
        let old = try Client(port: port, trusting: first)
        #expect(await old.isServed())
        #expect(try await isServed(port, second) == false)
        #expect(count("the TLS certificate ends soon", server) == 1)

        try install(certificate: second.certificateFile, key: second.keyFile, directory)
        server.hangUp()
        try await eventually { count("read again and are in use", server) > 0 }
        #expect(try await isServed(port, second))
        #expect(try await isServed(port, first) == false)
        #expect(await old.isServed())

        for (number, broken) in [(1, first.keyFile), (2, directory + "/second/nothing")] {
            try Data("no key".utf8).write(to: URL(fileURLWithPath: directory + "/second/nothing"))
            try install(key: broken, directory)
            server.hangUp()
            try await eventually { count("are not taken up", server) >= number }
            #expect(try await isServed(port, second))
        }
        try install(key: second.keyFile, directory)
        server.hangUp()
        try await eventually { count("were read again and are the same", server) > 0 }
        #expect(await old.isServed())
        await old.close()
        #expect(await server.terminate() == 0)
    }

    @Test("are taken up without a signal, once both files are there")
    func watch() async throws {
        let directory = try await makeTemporaryDirectory()
        let (first, second) = (try authority("first", directory), try authority("second", directory))
        try install(certificate: first.certificateFile, key: first.keyFile, directory)
        let server = try ServerProcess(["serve"], environment: Self.variables, directory: directory)
        let port = try #require(Int(try await server.waitUntilPrinted(/at https:\/\/127\.0\.0\.1:([0-9]+)/)))
        #expect(try await isServed(port, first))
        try install(certificate: second.certificateFile, directory)
        try install(key: second.keyFile, directory)
        try await eventually { try await isServed(port, second) }
        #expect(await server.terminate() == 0)
    }

    @Test("are nothing to a server without TLS: SIGHUP ends it neither in production nor as the emulator")
    func withoutTLS() async throws {
        let directory = try await makeTemporaryDirectory()
        var plain = Self.variables.filter { !$0.key.contains("_TLS_") }
        plain["POSTERN_DATABASE_URL"] = "sqlite:plain.sqlite"
        for (arguments, variables) in [(["serve"], plain), (["emulator", "--port", "0"], ["POSTERN_LOG_LEVEL": "notice"])] {
            let server = try ServerProcess(arguments, environment: variables, directory: directory)
            let url = try await server.waitUntilReady()
            server.hangUp()
            try await eventually { count("SIGHUP: the listener has no TLS files", server) > 0 }
            #expect(try await TestClient(url).get("/readyz").status == 200)
            #expect(await server.terminate() == 0)
        }
    }

    private static let variables = [
        "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "0", "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
        "POSTERN_LOG_LEVEL": "notice", "POSTERN_PROJECT_ID": "shop", "POSTERN_PROJECT_API_KEYS": "k",
        "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(), "POSTERN_PROJECT_FILE": "",
        "POSTERN_SERVER_TLS_CERTIFICATE_FILE": "cert.pem", "POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": "key.pem",
    ]
}
