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

@Suite("The audit trail reaches those who are to get it", .teardown, .timeLimit(.minutes(15)))
struct AuditForwardingTests {
    private static let key = AuditChainKey(scope: Scope(projectID: "demo-test"), recordClass: "administration")

    /// Acts of administrators, with their places.
    private static func fill(_ server: TestServer, _ ids: [String]) async throws {
        for id in ids {
            server.clock.advance(by: .seconds(1))
            #expect(try await server.admin("accounts", ["localId": .string(id)]).status == 200)
        }
        #expect(try await server.core.auditSequencer.sequence() == ids.count)
    }

    private static func cursor(_ server: TestServer, _ receiver: String) async throws -> Int64 {
        try await server.core.database.read { try $0.auditCursor(receiver, key).seq }
    }

    @Test("by a web hook, signed, in the order of the chain, again until it is taken", arguments: Engine.allCases)
    func webhook(engine: Engine) async throws {
        let hook = try await LoopbackService.start()
        let environment = [
            "POSTERN_AUDIT_WEBHOOK_URL": "http://127.0.0.1:\(hook.port)/audit", "POSTERN_AUDIT_WEBHOOK_SECRET": "secret",
        ]
        let server = try await TestServer.start(environment: environment, on: engine)
        let forwarding = try #require(server.core.auditForwardings.first)
        #expect(try await forwarding.forward() == 0)
        try await Self.fill(server, ["a", "b"])
        hook.answer { _ in (503, [:]) }
        await #expect(throws: (any Error).self) { try await forwarding.forward() }
        #expect(try await Self.cursor(server, "webhook") == 0)
        hook.answer { _ in (200, [:]) }
        #expect(try await forwarding.forward() == 2)
        #expect(try await forwarding.forward() == 0)
        #expect(try await Self.cursor(server, "webhook") == 2)
        try await Self.fill(server, ["c"])
        #expect(try await forwarding.forward() == 1)
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
        #expect(try await other.forward() == 0)
    }

    /// What somebody does to a chain that was forwarded.
    enum ChainChange: String, CaseIterable {
        case shorter =
            "UPDATE audit_chains SET head_seq = 1, head_hash = (SELECT chain_hash FROM audit_events WHERE chain_seq = 1)"
        case another = "UPDATE audit_events SET chain_hash = '00' WHERE chain_seq = 3"
        case gone = "DELETE FROM audit_events WHERE chain_seq = 3"
    }

    @Test("again from the beginning, when the chain is not what was forwarded", arguments: ChainChange.allCases, Engine.allCases)
    func changed(change: ChainChange, engine: Engine) async throws {
        let hook = try await LoopbackService.start()
        let environment = [
            "POSTERN_AUDIT_WEBHOOK_URL": "http://127.0.0.1:\(hook.port)/audit", "POSTERN_AUDIT_WEBHOOK_SECRET": "secret",
        ]
        let server = try await TestServer.start(environment: environment, on: engine)
        let forwarding = try #require(server.core.auditForwardings.first)
        hook.answer { _ in (200, [:]) }
        try await Self.fill(server, ["a", "b", "c"])
        #expect(try await forwarding.forward() == 3)
        // The server's own work refuses such a chain, so that its next record is made by hand, too.
        try await server.core.database.write { transaction throws in
            _ = try transaction.execute("\(raw: change.rawValue)")
            guard change != .shorter else { return }
            _ = try transaction.execute("UPDATE audit_chains SET head_seq = 4")
        }
        let before = hook.calls.count
        #expect(try await forwarding.forward() > 0)
        let lines = hook.calls.dropFirst(before).first?.json["lines"]?.array ?? []
        #expect(lines.first?["record"]?["seq"] == 1)
        #expect(try await forwarding.forward() == 0)
        let page = try await server.client.get("/metrics", headers: TestServer.bearer)
        let metrics = String(decoding: page.bytes, as: UTF8.self)
        #expect(metrics.contains("postern_audit_blocked_total{work=\"forwarding\"} 1\n"), "\(metrics)")
    }

    @Test("by syslog over TLS, each message framed, and no batch is lost when the server breaks off")
    func syslog() async throws {
        let directory = try await makeTemporaryDirectory()
        let authority = try TestAuthority(names: ["localhost"], in: directory)
        let receiver = try await SyslogReceiver(authority)
        let environment = [
            "POSTERN_AUDIT_SYSLOG_URL": "tls://127.0.0.1:\(receiver.port)",
            "POSTERN_AUDIT_SYSLOG_CA_FILE": authority.authorityFile,
        ]
        let server = try await TestServer.start(environment: environment)
        let forwarding = try #require(server.core.auditForwardings.first)
        _ = try await server.refresh("made-up")
        await server.recordRefusals()
        server.clock.advance(by: .seconds(121))
        _ = try await server.core.auditSequencer.sequence()
        try await Self.fill(server, ["a", "b"])
        #expect(try await forwarding.forward() == 3)
        let messages = receiver.messages
        #expect(messages.count == 5)
        #expect(messages.allSatisfy { $0.wholeMatch(of: /<1(08|10)>1 \S+Z - postern - \S+ - \{.*\}/) != nil }, "\(messages)")
        #expect(messages.count { $0.hasPrefix("<108>") && $0.contains(" refused - ") } == 1)
        #expect(messages.count { $0.contains(" checkpoint - ") } == 2)
        #expect(try await Self.cursor(server, "syslog") == 2)
    }

    @Test("by no syslog server that takes records and ends no TLS: they are sent again", arguments: SyslogReceiver.Break.allCases)
    func broken(way: SyslogReceiver.Break) async throws {
        let directory = try await makeTemporaryDirectory()
        let authority = try TestAuthority(names: ["localhost"], in: directory)
        let receiver = try await SyslogReceiver(authority, breaking: way)
        let environment = [
            "POSTERN_AUDIT_SYSLOG_URL": "tls://127.0.0.1:\(receiver.port)",
            "POSTERN_AUDIT_SYSLOG_CA_FILE": authority.authorityFile,
        ]
        let server = try await TestServer.start(environment: environment)
        try await Self.fill(server, ["a"])
        let forwarding = try #require(server.core.auditForwardings.first)
        await #expect(throws: (any Error).self) { try await forwarding.forward() }
        #expect(receiver.messages.count == 2)
        #expect(try await Self.cursor(server, "syslog") == 0)
    }

    @Test("no syslog server that nobody vouches for, or of another name")
    func foreign() async throws {
        let directory = try await makeTemporaryDirectory()
        let authority = try TestAuthority(names: ["another.example"], hasAddress: false, in: directory)
        let receiver = try await SyslogReceiver(authority)
        for variables in [
            ["POSTERN_AUDIT_SYSLOG_URL": "tls://127.0.0.1:\(receiver.port)"],
            [
                "POSTERN_AUDIT_SYSLOG_URL": "tls://localhost:\(receiver.port)",
                "POSTERN_AUDIT_SYSLOG_CA_FILE": authority.authorityFile,
            ],
        ] {
            let server = try await TestServer.start(environment: variables)
            try await Self.fill(server, ["a"])
            let forwarding = try #require(server.core.auditForwardings.first)
            await #expect(throws: (any Error).self) { try await forwarding.forward() }
            #expect(try await Self.cursor(server, "syslog") == 0)
        }
        #expect(receiver.messages.isEmpty)
    }
}

/// A syslog server over TLS (RFC 5425), which ends with the test.
final class SyslogReceiver: Sendable {
    private let channel: any Channel
    private let received = LockedState<[UInt8]>([])
    let port: Int

    /// How a server goes once it has records. In every case it sends nothing of TLS any more.
    enum Break: CaseIterable, Sendable { case freezes, finishes, resets, babbles }

    init(_ authority: TestAuthority, breaking way: Break? = nil) async throws {
        let chain = try NIOSSLCertificate.fromPEMFile(authority.certificateFile).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: authority.keyFile, format: .pem)
        let configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        let context = try NIOSSLContext(configuration: configuration)
        let received = received
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let breaker = way.map(Breaker.init)
                    if let breaker { try channel.pipeline.syncOperations.addHandler(breaker) }
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context), Keeper(received: received, breaker: breaker),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        try Teardown.add { [channel] in try await channel.close() }
    }

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

        private let breaker: Breaker?

        init(received: LockedState<[UInt8]>, breaker: Breaker?) {
            self.received = received
            self.breaker = breaker
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Array(unwrapInboundIn(data).readableBytesView)
            received.withLock { $0 += bytes }
            breaker?.begin()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// Stands between TLS and the network.
    private final class Breaker: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let way: Break
        private var context: ChannelHandlerContext?
        private var isBroken = false

        init(_ way: Break) { self.way = way }

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }

        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        func begin() {
            guard !isBroken, let context else { return }
            isBroken = true
            switch way {
            case .freezes: break
            case .finishes: context.close(promise: nil)
            case .resets:
                _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                context.close(promise: nil)
            case .babbles: context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "no TLS at all")), promise: nil)
            }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if isBroken { promise?.succeed() } else { context.write(data, promise: promise) }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            if isBroken { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
        }
    }
}
