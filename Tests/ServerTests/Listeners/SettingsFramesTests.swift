import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import Server

@Suite("A client's settings of HTTP/2")
struct SettingsFramesTests {
    private static let preface: [UInt8] = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private func frame(_ type: UInt8, _ payload: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        [UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 0xff), UInt8(payload.count & 0xff), type, flags, 0, 0, 0, 0]
            + payload
    }

    private func setting(_ number: UInt16, _ value: UInt32) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 0xff)] + (0..<4).reversed().map { UInt8(value >> (8 * $0) & 0xff) }
    }

    private func channel(speaking name: String = "h2") throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(TLSPeerGuard(patience: TLSPeerGuard.Patience()))
        try channel.connect(to: .init(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: name))
        return channel
    }

    private func passed(_ channel: EmbeddedChannel, _ parts: [[UInt8]]) throws -> [UInt8] {
        var all: [UInt8] = []
        for part in parts {
            try channel.writeInbound(ByteBuffer(bytes: part))
            while let bytes = try channel.readInbound(as: ByteBuffer.self) { all += bytes.readableBytesView }
        }
        return all
    }

    private func stream(_ table: UInt32) -> [UInt8] {
        let settings = setting(3, .max) + setting(1, table) + setting(4, 1 << 30) + setting(1, 100)
        // A frame of another type with the bytes of such a setting, and one of settings that cannot be read.
        return Self.preface + frame(4, settings) + frame(4, [], flags: 1) + frame(0, setting(1, .max) + [1, 2, 3])
            + frame(4, setting(1, table) + [0, 1, 0xff]) + frame(1, [4, 4, 4])
    }

    @Test("allow a table of 4,096 bytes at most, wherever their bytes are cut, and everything else is passed on as it came")
    func clamps() throws {
        let (sent, expected) = (stream(.max), stream(4096))
        for cut in 0...sent.count {
            let channel = try channel()
            #expect(try passed(channel, [Array(sent[..<cut]), Array(sent[cut...])]) == expected, "\(cut)")
            _ = try channel.finish()
        }
        let channel = try channel()
        #expect(try passed(channel, sent.map { [$0] }) == expected)
        #expect(try passed(channel, [frame(4, setting(1, 4097))]) == frame(4, setting(1, 4096)))
        #expect(try passed(channel, [frame(4, setting(1, 0))]) == frame(4, setting(1, 0)))
        _ = try channel.finish()
    }

    @Test("are not looked for in HTTP/1.1")
    func http1() throws {
        let channel = try channel(speaking: "http/1.1")
        #expect(try passed(channel, [stream(.max)]) == stream(.max))
        _ = try channel.finish()
    }

    @Test("end the connection when there are more of them than any client sends")
    func flood() throws {
        let channel = try channel()
        let frames = Array(repeating: frame(4, setting(4, 70_000)), count: SettingsFrames.mostFrames)
        _ = try passed(channel, [Self.preface] + frames)
        #expect(channel.isActive)
        try channel.writeInbound(ByteBuffer(bytes: frame(4, [])))
        #expect(!channel.isActive)
        _ = try? channel.finish()
    }
}
