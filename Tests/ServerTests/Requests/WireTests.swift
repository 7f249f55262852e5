import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import Server

@Suite("A connection of HTTP/1.1 on the wire")
struct WireTests {
    private static let request = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

    private func channel(
        on loop: EmbeddedEventLoop = EmbeddedEventLoop(),
        _ budget: FairShare = FairShare(total: 100_000_000, perAddress: 100_000_000)
    ) throws -> EmbeddedChannel {
        let connection = try connectionGuard(budget)
        let decoder = RequestDecoder(connection)
        let state = RequestState(connection, isStream: false, patience: RequestState.Patience())
        let channel = EmbeddedChannel(loop: loop)
        try channel.pipeline.syncOperations.addHandlers([
            connection, HTTPResponseEncoder(), ByteToMessageHandler(decoder), RequestHandler(state, decoder: decoder),
        ])
        try channel.connect(to: .init(ipAddress: "192.0.2.1", port: 1)).wait()
        return channel
    }

    private func heads(_ channel: EmbeddedChannel) throws -> [HTTPRequest] {
        var heads: [HTTPRequest] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) {
            if case .head(let head) = part { heads.append(head) }
        }
        return heads
    }

    private func answer(_ channel: EmbeddedChannel, _ status: HTTPResponse.Status = .ok) throws {
        let head = HTTPResponse(status: status, headerFields: [.contentLength: "0"])
        try channel.writeOutbound(HTTPResponsePart.head(head))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    private func sent(_ channel: EmbeddedChannel) throws -> String {
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }

    @Test("is not read behind the last request, also when that asks for another protocol")
    func behindTheLast() throws {
        for asking in ["Upgrade: h2c\r\n", ""] {
            let channel = try channel()
            let last = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(asking)\r\n"
            try channel.writeInbound(ByteBuffer(string: last))
            try answer(channel)
            _ = try? channel.writeInbound(ByteBuffer(string: Self.request))
            #expect(try heads(channel).map(\.path) == ["/last"])
            _ = try? channel.finish()
        }
    }

    @Test("is read on behind a request that asks for another protocol")
    func upgrade() throws {
        let channel = try channel()
        let asking = "GET /first HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: asking + Self.request + asking + "GET /b HT"))
        try channel.writeInbound(ByteBuffer(string: "TP/1.1\r\nHost: x\r\n\r\n"))
        #expect(try heads(channel).map(\.path) == ["/first", "/a", "/first", "/b"])
        for _ in 0..<4 { try answer(channel) }
        #expect(try sent(channel).components(separatedBy: "HTTP/1.1 200 OK\r\n").count == 5)
        _ = try channel.finish()
    }

    @Test("is told 102 while its client may have gone, and not when it is of HTTP/1.0")
    func probe() throws {
        for (request, isTold) in [(Self.request, true), ("GET /a HTTP/1.0\r\n\r\n", false)] {
            let loop = EmbeddedEventLoop()
            let channel = try channel(on: loop)
            try channel.writeInbound(ByteBuffer(string: request))
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            loop.advanceTime(by: .seconds(1))
            #expect(try sent(channel) == (isTold ? "HTTP/1.1 102 Processing\r\n\r\n" : ""))
            _ = try? channel.finish()
        }
    }

    // Stands where the server beneath does.
    private final class Hearing: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart

        var heard: [String] = []

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            heard.append("error")
            context.fireErrorCaught(error)
        }

        func channelInactive(context: ChannelHandlerContext) { heard.append("end") }

        func handlerRemoved(context: ChannelHandlerContext) { heard.append("end") }
    }

    @Test("that the server ends within a request is heard of as cut short before it is heard of as ended")
    func cutShort() throws {
        let loop = EmbeddedEventLoop()
        let channel = try channel(on: loop, FairShare(total: 10_000, perAddress: 10_000))
        let hearing = Hearing()
        try channel.pipeline.syncOperations.addHandler(hearing)
        try channel.writeInbound(ByteBuffer(string: "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n"))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        // The answer has begun, so that the connection is all that can be ended for want of room.
        #expect(throws: HTTPParserError.self) { try channel.writeInbound(ByteBuffer(repeating: 0, count: 9000)) }
        #expect(!channel.isActive)
        loop.run()
        #expect(hearing.heard == ["error", "end"])
    }

    @Test("ends behind a request whose end is unclear, which is answered with a body")
    func unclear() throws {
        let loop = EmbeddedEventLoop()
        let channel = try channel(on: loop)
        let request = "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
        #expect(throws: HTTPParserError.self) { try channel.writeInbound(ByteBuffer(string: request + Self.request)) }
        #expect(try heads(channel).isEmpty)
        try answer(channel, .badRequest)
        #expect(try sent(channel).hasPrefix("HTTP/1.1 501 "))
        loop.advanceTime(by: .seconds(9))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }
}
