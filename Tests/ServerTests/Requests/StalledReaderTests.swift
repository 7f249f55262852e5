import NIOCore
import NIOEmbedded
import Testing

@testable import Server

@Suite("A client that does not take its answers")
struct StalledReaderTests {
    private func channel() throws -> (EmbeddedChannel, EmbeddedEventLoop) {
        let loop = EmbeddedEventLoop()
        return (try requestChannel(on: loop), loop)
    }

    private func set(_ channel: EmbeddedChannel, isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    @Test("is cut off once its patience is used up")
    func stalled() throws {
        let (channel, loop) = try channel()
        set(channel, isWritable: false)
        loop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("stays while it makes room now and then, and when it has nothing to take")
    func slow() throws {
        let (channel, loop) = try channel()
        for _ in 0..<3 {
            set(channel, isWritable: false)
            loop.advanceTime(by: .seconds(59))
            set(channel, isWritable: true)
            loop.advanceTime(by: .seconds(600))
            #expect(channel.isActive)
        }
        _ = try channel.finish()
    }
}
