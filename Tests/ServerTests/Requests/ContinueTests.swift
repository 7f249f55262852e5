import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Server

@Suite("100 Continue")
struct ContinueTests {
    private func head(_ fields: HTTPFields = [:]) -> HTTPRequestPart {
        .head(HTTPRequest(method: .post, scheme: nil, authority: "x", path: "/", headerFields: fields))
    }

    private func channel() throws -> EmbeddedChannel { try requestChannel() }

    private func statuses(_ channel: EmbeddedChannel) throws -> [Int] {
        var statuses: [Int] = []
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
            if case .head(let head) = part { statuses.append(head.status.code) }
        }
        return statuses
    }

    private func answer(_ channel: EmbeddedChannel, _ status: HTTPResponse.Status = .ok) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: status)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    private static let expecting: HTTPFields = [.expect: "100-Continue", .contentLength: "2"]

    @Test("is said at once to the only request")
    func first() throws {
        let channel = try channel()
        try channel.writeInbound(head(Self.expecting))
        #expect(try statuses(channel) == [100])
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try answer(channel)
        #expect(try statuses(channel) == [200])
    }

    @Test("waits for the answers to the requests before")
    func pipelined() throws {
        let channel = try channel()
        for _ in 0..<2 {
            try channel.writeInbound(head())
            try channel.writeInbound(HTTPRequestPart.end(nil))
        }
        try channel.writeInbound(head(Self.expecting))
        #expect(try statuses(channel).isEmpty)
        try answer(channel)
        #expect(try statuses(channel) == [200])
        try answer(channel)
        #expect(try statuses(channel) == [200, 100])
    }

    @Test("is not said to a client that did not wait, to one that sends nothing, nor after the answer")
    func unneeded() throws {
        let channel = try channel()
        try channel.writeInbound(head())
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try channel.writeInbound(head(Self.expecting))
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "{")))
        try answer(channel)
        #expect(try statuses(channel) == [200])
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try answer(channel)
        #expect(try statuses(channel) == [200])
        try channel.writeInbound(head([.expect: "100-continue", .contentLength: "0"]))
        try channel.writeInbound(head([.expect: "something-else"]))
        #expect(try statuses(channel).isEmpty)
    }
}
