import Accounts
import HTTPAPI
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Project
import Testing

@testable import Server

@Suite("A request whose rest nobody waits for")
struct UnfinishedRequestTests {
    private static let limit = RequestState.mostSkipped

    private func channel(isStream: Bool = false) throws -> (EmbeddedChannel, EmbeddedEventLoop) {
        let loop = EmbeddedEventLoop()
        return (try requestChannel(isStream: isStream, on: loop), loop)
    }

    private func begin(_ channel: EmbeddedChannel, length: Int?) throws {
        var head = HTTPRequest(method: .post, scheme: nil, authority: "x", path: "/nothing")
        head.headerFields[.contentLength] = length.map { String($0) }
        try channel.writeInbound(HTTPRequestPart.head(head))
    }

    private func send(_ count: Int, _ channel: EmbeddedChannel) throws {
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: count)))
    }

    // The head of the answer.
    private func answer(_ channel: EmbeddedChannel) throws -> HTTPResponse? {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .notFound)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else { return nil }
        return head
    }

    // Counts how often a handler behind asks for more bytes.
    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    @Test(
        "is read a little further once it has its answer, and then no more; the connection closes",
        arguments: [99_999_999_999, nil] as [Int?]
    )
    func answered(_ length: Int?) throws {
        let (channel, loop) = try channel()
        let reads = ReadCounter()
        try channel.pipeline.syncOperations.addHandler(reads, position: .first)
        try begin(channel, length: length)
        #expect(try answer(channel)?.headerFields[.connection] == "close")
        try send(Self.limit, channel)
        let before = reads.count
        channel.read()
        #expect(reads.count == before + 1)
        try send(1, channel)
        channel.read()
        #expect(reads.count == before + 1)
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("ends the stream of HTTP/2, after as much")
    func stream() throws {
        let (channel, loop) = try channel(isStream: true)
        try begin(channel, length: nil)
        #expect(try answer(channel)?.headerFields[.connection] == nil)
        try send(Self.limit, channel)
        loop.advanceTime(by: .seconds(10))
        #expect(channel.isActive)
        try send(1, channel)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("is read to its end when little is to come, and the next one is served")
    func little() throws {
        let (channel, loop) = try channel()
        for _ in 0..<3 {
            try begin(channel, length: Self.limit + 1)
            #expect(try answer(channel)?.headerFields[.connection] == nil)
            try send(Self.limit + 1, channel)
            try channel.writeInbound(HTTPRequestPart.end(nil))
            while try channel.readOutbound(as: HTTPResponsePart.self) != nil {}
            loop.advanceTime(by: .seconds(10))
            #expect(channel.isActive)
        }
        _ = try channel.finish()
    }

    @Test("is followed by none when the answer said that the connection ends")
    func last() throws {
        let (channel, loop) = try channel()
        try begin(channel, length: RequestState.mostAnnounced + 1)
        _ = try answer(channel)
        while try channel.readInbound(as: HTTPRequestPart.self) != nil {}
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try begin(channel, length: 0)
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == .end(nil))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("ends within a second when the server stops, and what has come of it is no body", arguments: [false, true])
    func stop(isStream: Bool) throws {
        let (channel, loop) = try channel(isStream: isStream)
        try begin(channel, length: 100)
        try send(10, channel)
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
        #expect(throws: CancellationError.self) { try channel.throwIfErrorCaught() }
    }

    @Test("has its time when it is complete or its answer has begun")
    func work() throws {
        let (complete, completeLoop) = try channel()
        try begin(complete, length: 0)
        try complete.writeInbound(HTTPRequestPart.end(nil))
        let (begun, begunLoop) = try channel()
        try begin(begun, length: 100)
        try begun.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        for (channel, loop) in [(complete, completeLoop), (begun, begunLoop)] {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            loop.advanceTime(by: .seconds(15))
            #expect(channel.isActive)
            _ = try channel.finish()
        }
    }

    @Test("ends behind one that was worked on, a second after its answer")
    func behind() throws {
        let (channel, loop) = try channel()
        try begin(channel, length: 0)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try begin(channel, length: 100)
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        loop.advanceTime(by: .seconds(5))
        #expect(channel.isActive)
        _ = try answer(channel)
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
    }

    @Test("is not all that ends then: a connection without a request does, too, also before its handshake")
    func idle() throws {
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(handler: try connectionGuard(), loop: loop)
        try channel.connect(to: .init(ipAddress: "192.0.2.1", port: 1)).wait()
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }
}
