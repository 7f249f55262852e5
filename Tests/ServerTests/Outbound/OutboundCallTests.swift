import AsyncHTTPClient
import Dispatch
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Project
import Settings
import TestKit
import Testing

@testable import Server

@Suite("An outgoing call", .teardown, .timeLimit(.minutes(15)))
struct OutboundCallTests {
    private static let production = [
        "POSTERN_PROJECT_ID": "example-project", "POSTERN_PROJECT_API_KEYS": "key-one",
        "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
    ]

    @Test("goes on where its name has moved meanwhile; after the end there is none")
    func retirement() async throws {
        let service = try await LoopbackService.start()
        let (gates, gate) = AsyncStream.makeStream(of: Void.self)
        let clients = PinnedClients(tls: .makeClientConfiguration())
        let (old, new) = (try #require(IPAddress(bytes: [127, 0, 0, 1])), try #require(IPAddress(bytes: [127, 0, 0, 2])))
        let status: @Sendable (HTTPClient, String) async throws -> UInt = { client, host in
            let request = HTTPClientRequest(url: "http://\(host):\(service.port)/")
            return try await client.execute(request, timeout: .seconds(240)).status.code
        }
        let early = Task {
            try await clients.pinned(host: "peer.example", to: old, among: [old]) { client in
                _ = try await status(client, "peer.example")
                for await _ in gates {}
                return try await status(client, "peer.example")
            }
        }
        _ = await service.call(1)
        let isSame = try await clients.pinned(host: "peer.example", to: new, among: [new]) { moved in
            try await clients.pinned(host: "peer.example", to: new, among: [old, new]) { $0 === moved }
        }
        #expect(isSame)
        // A client that must not be closed would be closed within this time.
        let other = try await clients.pinned(host: "other.example", to: old, among: [old]) {
            try await status($0, "other.example")
        }
        #expect(other == 200)
        gate.finish()
        #expect(try await early.value == 200)
        await clients.shutdown()
        await #expect(throws: OutboundError.unreachable) {
            try await clients.pinned(host: "peer.example", to: new, among: [new]) { _ in }
        }
        await #expect(throws: OutboundError.unreachable) { try await clients.unpinned { _ in } }
    }

    @Test("ends in time though the name server does not answer")
    func slowNames() async throws {
        let settings = try SettingsLoader.load(file: nil, environment: Self.production)
        let gate = DispatchSemaphore(value: 0)
        let resolver = NameResolver { _ in
            gate.wait()
            return []
        }
        let http = try LiveHTTP(settings.outbound, resolver: resolver)
        await #expect(throws: OutboundError.timedOut) {
            try await http.outbound(.init(url: "https://slow.example/"), limits: .init(timeout: .milliseconds(20)))
        }
        gate.signal()
        await http.shutdown()
    }

    @Test("says why it failed: the name, the connection, or what is wrong with the certificate")
    func reasons() async throws {
        let directory = try await makeTemporaryDirectory()
        let good = try TestCertificate(dnsName: "localhost", in: directory)
        let ended = try TestCertificate(dnsName: "ended.example", in: directory, endingIn: -60)
        func reason(_ url: String, trusting authority: TestCertificate? = nil) async throws -> OutboundError? {
            var variables = Self.production
            variables["POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS"] = "true"
            variables["POSTERN_OUTBOUND_TIMEOUT_SECONDS"] = "120"
            variables["POSTERN_OUTBOUND_CA_FILE"] = authority?.certificateFile
            let settings = try SettingsLoader.load(file: nil, environment: variables)
            let http = try LiveHTTP(settings.outbound, explains: true)
            let error = await #expect(throws: OutboundError.self) { try await http.outbound(.init(url: url)) }
            await http.shutdown()
            return error
        }
        let port = try RefusingPort()
        #expect(try await reason("https://127.0.0.1:\(port.number)/") == .connectionRefused)
        #expect(try await reason("https://nothing.invalid/") == .unknownName)
        let known = try await LoopbackService.start(certificate: good)
        #expect(try await reason("https://localhost:\(known.port)/") == .certificate(.untrusted))
        let other = try await reason("https://127.0.0.1:\(known.port)/", trusting: good)
        #expect(other == .certificate(.otherName))
        let expired = try await LoopbackService.start(certificate: ended)
        let late = try await reason("https://localhost:\(expired.port)/", trusting: ended)
        guard case .certificate(.ended) = late else { Issue.record("\(String(describing: late))"); return }
    }

    @Test("goes nowhere when one of the name's addresses is private, and nowhere when there is none")
    func mixedAddresses() async throws {
        let settings = try SettingsLoader.load(file: nil, environment: Self.production)
        let (open, inner) = (IPAddress(bytes: [93, 184, 216, 34]), IPAddress(bytes: [10, 0, 0, 1]))
        for (addresses, error) in [([open, inner], OutboundError.forbiddenAddress), ([], .unknownName)] {
            let http = try LiveHTTP(settings.outbound, resolver: NameResolver { _ in addresses.compactMap { $0 } })
            await #expect(throws: error) { try await http.outbound(.init(url: "https://mixed.example/")) }
            await http.shutdown()
        }
    }
}
