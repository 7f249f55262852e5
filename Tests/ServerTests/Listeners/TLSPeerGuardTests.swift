import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import Server

@Suite("A TLS peer")
struct TLSPeerGuardTests {
    private func channel() throws -> (EmbeddedChannel, EmbeddedEventLoop) {
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(loop: loop)
        let patience = TLSPeerGuard.Patience(handshake: .seconds(20), silence: .seconds(90))
        try channel.pipeline.syncOperations.addHandler(TLSPeerGuard(patience: patience))
        try channel.connect(to: .init(ipAddress: "127.0.0.1", port: 1)).wait()
        return (channel, loop)
    }

    private func greet(_ channel: EmbeddedChannel) {
        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: "http/1.1"))
    }

    @Test("that never completes its handshake is cut off")
    func handshake() throws {
        let (channel, loop) = try channel()
        loop.advanceTime(by: .seconds(19))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("that falls silent is cut off")
    func silence() throws {
        let (channel, loop) = try channel()
        loop.advanceTime(by: .seconds(10))
        greet(channel)
        loop.advanceTime(by: .seconds(89))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("that talks or is talked to stays")
    func talk() throws {
        let (channel, loop) = try channel()
        greet(channel)
        for _ in 0..<3 {
            loop.advanceTime(by: .seconds(80))
            try channel.writeInbound(ByteBuffer(string: "x"))
            loop.advanceTime(by: .seconds(80))
            try channel.writeOutbound(ByteBuffer(string: "x"))
            #expect(channel.isActive)
        }
        _ = try channel.finish()
    }
}
