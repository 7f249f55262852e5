import Accounts
import HTTPAPI
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Project
import Testing

@testable import Server

@Suite("The memory of requests and answers")
struct RequestMemoryTests {
    private static let health = HTTPRequest(method: .get, scheme: nil, authority: "x", path: "/healthz")

    private func channel(_ budget: FairShare) throws -> EmbeddedChannel { try requestChannel(connectionGuard(budget)) }

    private func ask(_ channel: EmbeddedChannel, _ head: HTTPRequest = health) throws {
        try channel.writeInbound(HTTPRequestPart.head(head))
        try channel.writeInbound(HTTPRequestPart.end(nil))
    }

    private func answer(_ channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: "{}")))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    @Test("lets health be asked for and answered when no byte is left")
    func health() throws {
        let budget = FairShare(total: 100_000, perAddress: 100_000)
        #expect(budget.works(try budget.reserve(100_000, for: nil) {}))
        let channel = try channel(budget)
        for _ in 0..<3 {
            try ask(channel)
            #expect(try channel.readInbound(as: HTTPRequestPart.self) == .head(Self.health))
            #expect(try channel.readInbound(as: HTTPRequestPart.self) == .end(nil))
            try answer(channel)
            #expect(try channel.readOutbound(as: HTTPResponsePart.self) == .head(HTTPResponse(status: .ok)))
            #expect(try channel.readOutbound(as: HTTPResponsePart.self) == .body(ByteBuffer(string: "{}")))
            #expect(try channel.readOutbound(as: HTTPResponsePart.self) == .end(nil))
        }
        #expect(channel.isActive)
        #expect(budget.used == 100_000)
        _ = try channel.finish()
    }

    @Test("charges for requests for health that are sent ahead, and gives everything back")
    func sentAhead() throws {
        let budget = FairShare(total: 100_000_000, perAddress: 100_000_000)
        let channel = try channel(budget)
        for _ in 0..<2000 { try ask(channel) }
        #expect(budget.used > 1999 * 4096)
        for _ in 0..<2000 { try answer(channel) }
        #expect(budget.used == 0)
        for _ in 0..<2000 { try ask(channel) }
        _ = try channel.finish(acceptAlreadyClosed: true)
        #expect(budget.used == 0)
    }

    @Test("bounds requests for health that are sent ahead by the share of their address")
    func share() throws {
        let channel = try channel(FairShare(total: 1_000_000, perAddress: 100_000))
        for _ in 0..<2000 { try ask(channel) }
        #expect(!channel.isActive)
    }

    private static let post = HTTPRequest(method: .post, scheme: nil, authority: "x", path: "/v1/accounts:signUp")

    @Test("charges for what a compressed body inflates to while it is inflated, and gives it back with the answer")
    func inflated() throws {
        let budget = FairShare(total: 1_000_000, perAddress: 100_000)
        let channel = try channel(budget)
        try ask(channel, Self.post)
        let before = budget.used
        try channel.triggerUserOutboundEvent(InflatedBytes(30_000)).wait()
        try channel.triggerUserOutboundEvent(InflatedBytes(30_000)).wait()
        #expect(budget.used == before + 60_000)
        #expect(throws: TransportError.self) { try channel.triggerUserOutboundEvent(InflatedBytes(60_000)).wait() }
        #expect(budget.used == before + 60_000)
        // An administrator's bytes count for no address.
        try channel.triggerUserOutboundEvent(VerifiedAdministrator()).wait()
        try channel.triggerUserOutboundEvent(InflatedBytes(60_000)).wait()
        try answer(channel)
        #expect(budget.used == 0)
        _ = try channel.finish()
    }

    @Test("ends a request that waits for the rest of its body in favour of another, and what has come of it is no body")
    func unfinished() throws {
        let budget = FairShare(total: 1_000_000, perAddress: 100_000)
        let (first, second) = (try channel(budget), try channel(budget))
        try first.writeInbound(HTTPRequestPart.head(Self.post))
        try first.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 60_000)))
        try second.writeInbound(HTTPRequestPart.head(Self.post))
        try second.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 60_000)))
        #expect(second.isActive)
        #expect((60_000..<70_000).contains(budget.used))
        // Its end comes too late.
        try first.writeInbound(HTTPRequestPart.end(nil))
        while let part = try first.readInbound(as: HTTPRequestPart.self) { #expect(part != .end(nil)) }
        (first.eventLoop as? EmbeddedEventLoop)?.run()
        #expect(!first.isActive)
        #expect(throws: TransportError.self) { try first.throwIfErrorCaught() }
        #expect((60_000..<70_000).contains(budget.used))
        try second.writeInbound(HTTPRequestPart.end(nil))
        try answer(second)
        #expect(budget.used == 0)
        _ = try second.finish()
    }

    @Test("ends no request that is being worked on, and none that was sent ahead of it: the newcomer is refused")
    func atWork() throws {
        let budget = FairShare(total: 1_000_000, perAddress: 100_000)
        let (first, second) = (try channel(budget), try channel(budget))
        try first.writeInbound(HTTPRequestPart.head(Self.post))
        try first.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 60_000)))
        try first.writeInbound(HTTPRequestPart.end(nil))
        try first.writeInbound(HTTPRequestPart.head(Self.post))
        try first.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 28_000)))
        try second.writeInbound(HTTPRequestPart.head(Self.post))
        guard case .head(let refusal) = try second.readOutbound(as: HTTPResponsePart.self) else {
            Issue.record("no answer")
            return
        }
        #expect(refusal.status == .tooManyRequests)
        #expect(refusal.headerFields[.retryAfter] == "1")
        #expect(refusal.headerFields[.connection] == "close")
        guard case .body(let body) = try second.readOutbound(as: HTTPResponsePart.self) else {
            Issue.record("no body")
            return
        }
        #expect(try JSONValue.parse(body.readableBytesView)["error"]?["status"]?.string == "RESOURCE_EXHAUSTED")
        (first.eventLoop as? EmbeddedEventLoop)?.run()
        #expect(first.isActive)
        // With the answer it is the client's turn to send the rest of the next.
        try answer(first)
        let third = try channel(budget)
        try third.writeInbound(HTTPRequestPart.head(Self.post))
        try third.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 70_000)))
        (first.eventLoop as? EmbeddedEventLoop)?.run()
        #expect(!first.isActive)
        #expect(third.isActive)
        for channel in [first, second, third] { _ = try? channel.finish(acceptAlreadyClosed: true) }
        #expect(budget.used == 0)
    }

    @Test("ends a client that takes no answers, also while it asks for more")
    func untaken() throws {
        let budget = FairShare(total: 1_000_000, perAddress: 100_000)
        let (first, second) = (try channel(budget), try channel(budget))
        try first.writeInbound(HTTPRequestPart.head(Self.post))
        try first.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 60_000)))
        try first.writeInbound(HTTPRequestPart.end(nil))
        first.isWritable = false
        first.pipeline.fireChannelWritabilityChanged()
        try second.writeInbound(HTTPRequestPart.head(Self.post))
        try second.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 60_000)))
        (first.eventLoop as? EmbeddedEventLoop)?.run()
        #expect(!first.isActive)
        #expect(second.isActive)
        for channel in [first, second] { _ = try? channel.finish(acceptAlreadyClosed: true) }
        #expect(budget.used == 0)
    }

    @Test("keeps room for the parts of a long answer only until its client has taken them")
    func longAnswer() throws {
        let budget = FairShare(total: 50_000, perAddress: 50_000)
        let channel = try channel(budget)
        try ask(channel, HTTPRequest(method: .get, scheme: nil, authority: "x", path: "/file"))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        for _ in 0..<20 {
            try channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(repeating: 0, count: 10_000)))
            #expect(budget.used < 30_000)
        }
        channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 0, count: 10_000)), promise: nil)
        #expect(budget.used > 20_000)
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        #expect(channel.isActive)
        #expect(budget.used == 0)
        _ = try channel.finish()
    }

    @Test("hands on no trailers, which are texts of strangers")
    func trailers() throws {
        let channel = try channel(FairShare(total: 1_000_000, perAddress: 100_000))
        var trailers = HTTPFields()
        trailers[try #require(HTTPField.Name("X-Last"))] = "a" + String(repeating: "\u{301}", count: 8000)
        try channel.writeInbound(HTTPRequestPart.head(Self.post))
        try channel.writeInbound(HTTPRequestPart.end(trailers))
        _ = try channel.readInbound(as: HTTPRequestPart.self)
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == .end(nil))
        _ = try channel.finish()
    }

    @Test(
        "refuses headers of many combining marks before anything compares them",
        arguments: ["Expect", "Connection", "X-Forwarded-For"]
    )
    func marks(_ name: String) throws {
        let channel = try channel(FairShare(total: 1_000_000, perAddress: 100_000))
        var head = Self.health
        head.headerFields[try #require(HTTPField.Name(name))] = "a" + String(repeating: "\u{301}", count: 8000)
        try ask(channel, head)
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
        guard case .head(let answer) = try channel.readOutbound(as: HTTPResponsePart.self) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.status == .badRequest)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    @Test("refuses HEAD without a body, which its client would take for the next answer")
    func head() throws {
        let budget = FairShare(total: 100_000, perAddress: 100_000)
        #expect(budget.works(try budget.reserve(100_000, for: nil) {}))
        let channel = try channel(budget)
        try ask(channel, HTTPRequest(method: .head, scheme: nil, authority: "x", path: "/a"))
        guard case .head(let answer) = try channel.readOutbound(as: HTTPResponsePart.self) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.status == .serviceUnavailable)
        #expect(try channel.readOutbound(as: HTTPResponsePart.self) == .end(nil))
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    @Test("keeps no more free for a stream than it announces, and little for one that announces nothing")
    func reserve() {
        func reserve(_ length: String?) -> Int {
            var head = Self.health
            if let length { head.headerFields[.contentLength] = length }
            return Exchange.reserve(for: head)
        }
        #expect(reserve("0") == 0)
        #expect(reserve("100") == 100)
        #expect(reserve("1000000") == 65_535)
        #expect(reserve("-1") == 65_535)
        #expect(reserve("x") == 65_535)
        #expect(reserve(nil) == 16_384)
    }
}
