import HTTPAPI
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Server

@Suite("Whether the client of a connection may have gone", .timeLimit(.minutes(15)))
struct HangUpProbeTests {
    private func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(HangUpProbe())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    @Test("is in doubt from the moment at which it ends its side (RES-06)")
    func doubt() throws {
        let channel = try connection()
        defer { _ = try? channel.finish() }
        try channel.writeInbound(HTTPServerRequestPart.head(.init(version: .http1_1, method: .POST, uri: "/")))
        try channel.triggerUserOutboundEvent(PresenceQuestion()).wait()
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(throws: PresenceQuestion.Doubtful.self) { try channel.triggerUserOutboundEvent(PresenceQuestion()).wait() }
    }

    @Test("is not asked by other events")
    func others() throws {
        let channel = try connection()
        defer { _ = try? channel.finish() }
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        do { try channel.triggerUserOutboundEvent("else").wait() } catch { #expect(!(error is PresenceQuestion.Doubtful)) }
    }
}
