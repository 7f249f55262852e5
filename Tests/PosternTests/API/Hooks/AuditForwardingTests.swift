import Accounts
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("The audit trail reaches those who are to get it", .timeLimit(.minutes(15)))
struct AuditForwardingTests {
    private static let key = AuditChainKey(scope: Scope(projectID: "demo-test"), recordClass: "administration")

    /// Acts of administrators, with their places.
    private static func fill(_ server: TestServer, _ ids: [String]) async throws {
        for id in ids {
            server.clock.advance(by: .seconds(1))
            #expect(try await server.admin("accounts", ["localId": .string(id)]).status == 200)
        }
        #expect(try await server.core.auditSequencer.run() == ids.count)
    }

    private static func cursor(_ server: TestServer, _ receiver: String) async throws -> Int64 {
        try await server.core.database.read { try $0.auditCursor(receiver, key) }
    }

    @Test("by a web hook, signed, in the order of the chain, again until it is taken", arguments: TestServer.Engine.allCases)
    func webhook(engine: TestServer.Engine) async throws {
        try await LoopbackService.running { hook in
            let environment = [
                "POSTERN_AUDIT_WEBHOOK_URL": "http://127.0.0.1:\(hook.port)/audit", "POSTERN_AUDIT_WEBHOOK_SECRET": "secret",
            ]
            try await TestServer.running(environment: environment, on: engine) { server in
                let forwarding = try #require(server.core.auditForwardings.first)
                #expect(try await forwarding.run() == 0)
                try await Self.fill(server, ["a", "b"])
                hook.answer { _ in (503, [:]) }
                await #expect(throws: (any Error).self) { try await forwarding.run() }
                #expect(try await Self.cursor(server, "webhook") == 0)
                hook.answer { _ in (200, [:]) }
                #expect(try await forwarding.run() == 2)
                #expect(try await forwarding.run() == 0)
                #expect(try await Self.cursor(server, "webhook") == 2)
                try await Self.fill(server, ["c"])
                #expect(try await forwarding.run() == 1)
                let calls = hook.calls
                #expect(calls.count == 3 && calls[0].json["lines"]?[0] == calls[1].json["lines"]?[0])
                let call = calls[2]
                let lines = call.json["lines"]?.array ?? []
                #expect(lines.map { $0["record"]?["localId"]?.string } == ["c", nil] && lines.last?["kind"] == "head")
                let second = calls[1].json["lines"]?[1]
                #expect(lines.first?["record"]?["previous"] == second?["hash"] && second?["record"]?["seq"] == 2)
                let signature = try #require(call.headers["postern-signature"])
                let time = signature.prefix { $0 != "," }.dropFirst(2)
                let expected = hexadecimal(hmacSHA256(Array("\(time).".utf8) + call.body, key: "secret".utf8))
                #expect(signature.hasSuffix("v1=\(expected)"))
                // Another node does not send at the same time.
                try await Self.fill(server, ["d"])
                let other = AuditForwarding(to: "webhook", database: server.core.database, environment: server.core.environment) {
                    _ in
                    Issue.record("two nodes forward")
                }
                #expect(try await other.run() == 0)
            }
        }
    }

    @Test("by syslog over TLS, each message framed, and no batch is lost when the server breaks off")
    func syslog() async throws {
        try await withTemporaryDirectory { directory in
            let authority = try TestAuthority(names: ["localhost"], in: directory)
            let receiver = try await SyslogReceiver(authority)
            let environment = [
                "POSTERN_AUDIT_SYSLOG_URL": "tls://127.0.0.1:\(receiver.port)",
                "POSTERN_AUDIT_SYSLOG_CA_FILE": authority.authorityFile,
            ]
            try await TestServer.running(environment: environment) { server in
                let forwarding = try #require(server.core.auditForwardings.first)
                _ = try await server.refresh("made-up")
                await server.recordRefusals()
                server.clock.advance(by: .seconds(121))
                _ = try await server.core.auditSequencer.run()
                try await Self.fill(server, ["a", "b"])
                #expect(try await forwarding.run() == 3)
                let messages = receiver.messages
                #expect(messages.count == 5)
                #expect(
                    messages.allSatisfy { $0.wholeMatch(of: /<1(08|10)>1 \S+Z - postern - \S+ - \{.*\}/) != nil },
                    "\(messages)"
                )
                #expect(messages.count { $0.hasPrefix("<108>") && $0.contains(" refused - ") } == 1)
                #expect(messages.count { $0.contains(" checkpoint - ") } == 2)
                #expect(try await Self.cursor(server, "syslog") == 2)
            }
            try await receiver.stop()
        }
    }

    @Test("no syslog server that nobody vouches for, or of another name")
    func foreign() async throws {
        try await withTemporaryDirectory { directory in
            let authority = try TestAuthority(names: ["another.example"], hasAddress: false, in: directory)
            let receiver = try await SyslogReceiver(authority)
            for variables in [
                ["POSTERN_AUDIT_SYSLOG_URL": "tls://127.0.0.1:\(receiver.port)"],
                [
                    "POSTERN_AUDIT_SYSLOG_URL": "tls://localhost:\(receiver.port)",
                    "POSTERN_AUDIT_SYSLOG_CA_FILE": authority.authorityFile,
                ],
            ] {
                try await TestServer.running(environment: variables) { server in
                    try await Self.fill(server, ["a"])
                    let forwarding = try #require(server.core.auditForwardings.first)
                    await #expect(throws: (any Error).self) { try await forwarding.run() }
                    #expect(try await Self.cursor(server, "syslog") == 0)
                }
            }
            #expect(receiver.messages.isEmpty)
            try await receiver.stop()
        }
    }
}

/// A syslog server over TLS (RFC 5425).
private final class SyslogReceiver: Sendable {
    private let channel: any Channel
    private let received = LockedState<[UInt8]>([])
    let port: Int

    init(_ authority: TestAuthority) async throws {
        let chain = try NIOSSLCertificate.fromPEMFile(authority.certificateFile).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: authority.keyFile, format: .pem)
        let configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        let context = try NIOSSLContext(configuration: configuration)
        let received = received
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context), Keeper(received: received),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async throws { try await channel.close() }

    /// The messages, by the lengths before them.
    var messages: [String] {
        var rest = received.withLock { $0 }[...]
        var messages: [String] = []
        while let space = rest.firstIndex(of: UInt8(ascii: " ")),
            let length = Int(String(decoding: rest[..<space], as: UTF8.self))
        {
            let start = rest.index(after: space)
            guard rest.count >= length else { break }
            messages.append(String(decoding: rest[start..<(start + length)], as: UTF8.self))
            rest = rest[(start + length)...]
        }
        return messages
    }

    private final class Keeper: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let received: LockedState<[UInt8]>

        init(received: LockedState<[UInt8]>) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Array(unwrapInboundIn(data).readableBytesView)
            received.withLock { $0 += bytes }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
