import Accounts
import HTTPAPI
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Project
import Testing

@testable import postern

@Suite("The meter of requests and answers")
struct ExchangeMeterTests {
    private static let health = HTTPRequest(method: .get, scheme: nil, authority: "x", path: "/healthz")

    private func channel(_ budget: TrafficBudget) throws -> EmbeddedChannel {
        let admission = Admission(
            house: House(House.Rules(total: 10, perAddress: 10, reserve: 1)),
            budget: budget,
            clientAddress: ClientAddress(trusted: []),
            proxies: [],
            refusals: try Admission.Refusals(mode: .production)
        )
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ConnectionGuard(admission))
        try channel.pipeline.syncOperations.addHandler(ExchangeMeter())
        try channel.connect(to: .init(ipAddress: "192.0.2.1", port: 1)).wait()
        return channel
    }

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
        let budget = TrafficBudget(total: 100_000, perAddress: 100_000)
        #expect(budget.take(100_000, for: nil) == nil)
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
        let budget = TrafficBudget(total: 100_000_000, perAddress: 100_000_000)
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
        let channel = try channel(TrafficBudget(total: 1_000_000, perAddress: 100_000))
        for _ in 0..<2000 { try ask(channel) }
        #expect(!channel.isActive)
    }

    @Test(
        "refuses headers of many combining marks before anything compares them",
        arguments: ["Expect", "Connection", "X-Forwarded-For"]
    )
    func marks(_ name: String) throws {
        let channel = try channel(TrafficBudget(total: 1_000_000, perAddress: 100_000))
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

    @Test("keeps no more free for a stream than it announces, and little for one that announces nothing")
    func reserve() {
        func reserve(_ length: String?) -> Int {
            var head = Self.health
            if let length { head.headerFields[.contentLength] = length }
            return ExchangeMeter.reserve(for: head)
        }
        #expect(reserve("0") == 0)
        #expect(reserve("100") == 100)
        #expect(reserve("1000000") == 65_535)
        #expect(reserve("-1") == 65_535)
        #expect(reserve("x") == 65_535)
        #expect(reserve(nil) == 16_384)
    }
}

@Suite("The meter of unfinished heads")
struct HeadMeterTests {
    /// Makes parts of bytes as the decoder does.
    private final class Decoder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var parts: [HTTPRequestPart] = []
        let meter: HeadMeter

        init(_ meter: HeadMeter) { self.meter = meter }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            for part in parts { meter.wasRead(part) }
            parts = []
        }
    }

    @Test("charges for the next head when it begins in the same read as the request before ends")
    func nextHead() throws {
        let budget = TrafficBudget(total: 100_000, perAddress: 100_000)
        let admission = Admission(
            house: House(House.Rules(total: 10, perAddress: 10, reserve: 1)),
            budget: budget,
            clientAddress: ClientAddress(trusted: []),
            proxies: [],
            refusals: try Admission.Refusals(mode: .production)
        )
        let meter = HeadMeter(budget, of: ConnectionGuard(admission))
        let decoder = Decoder(meter)
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([meter, decoder])
        let text = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        let head = HTTPRequestPart.head(HTTPRequest(method: .get, scheme: nil, authority: "x", path: "/healthz"))
        let field = String(repeating: "x", count: 20_000)

        decoder.parts = [head, .end(nil)]
        try channel.writeInbound(ByteBuffer(string: text))
        #expect(budget.used == 0)

        decoder.parts = [head, .end(nil)]
        try channel.writeInbound(ByteBuffer(string: text + field))
        #expect((19_900...20_100).contains(budget.used))
        try channel.writeInbound(ByteBuffer(string: field))
        #expect((39_900...40_100).contains(budget.used))

        // The head is complete. Its request is now charged for it, and for the body.
        decoder.parts = [head, .body(ByteBuffer(string: field))]
        try channel.writeInbound(ByteBuffer(string: field))
        #expect(budget.used == 0)

        decoder.parts = [.end(nil)]
        try channel.writeInbound(ByteBuffer(string: field))
        #expect(budget.used == 20_000)
        _ = try channel.finish()
        #expect(budget.used == 0)
    }
}
