import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Server

@Suite("A request that arrives in drops")
struct SlowRequestTests {
    private let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"))
    private let drop = HTTPRequestPart.body(ByteBuffer(string: "x"))

    private func channel() throws -> (EmbeddedChannel, EmbeddedEventLoop) {
        let loop = EmbeddedEventLoop()
        return (try requestChannel(on: loop), loop)
    }

    @Test("is cut off when it takes too long as a whole, however steadily it drips")
    func drip() throws {
        let (channel, loop) = try channel()
        try channel.writeInbound(head)
        for _ in 0..<5 {
            loop.advanceTime(by: .seconds(10))
            try channel.writeInbound(drop)
            #expect(channel.isActive)
        }
        loop.advanceTime(by: .seconds(10))
        #expect(!channel.isActive)
    }

    @Test("or never is cut off as soon, and what waits for the rest hears that there is none")
    func silence() throws {
        let (channel, loop) = try channel()
        // The next request after one that was in time.
        try channel.writeInbound(head)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        loop.advanceTime(by: .seconds(30))
        try channel.writeInbound(head)
        loop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
        #expect(throws: RequestState.TooSlow.self) { try channel.throwIfErrorCaught() }
    }

    @Test("is a request like any other when it ends in time, and so is the next one after a long pause")
    func inTime() throws {
        let (channel, loop) = try channel()
        for _ in 0..<3 {
            try channel.writeInbound(head)
            loop.advanceTime(by: .seconds(59))
            try channel.writeInbound(drop)
            try channel.writeInbound(HTTPRequestPart.end(nil))
            loop.advanceTime(by: .seconds(70))
            #expect(channel.isActive)
        }
        _ = try channel.finish()
    }
}
