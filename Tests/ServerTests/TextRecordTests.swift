import Accounts
import Foundation
import NIOCore
import NIOPosix
import Project
import TestKit
import Testing

@testable import Server

/// A name server on loopback that knows a few TXT records (RFC 1035).
private final class NameServer: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    /// The texts of a record's parts, by name.
    private let records: [String: [[String]]]

    init(_ records: [String: [[String]]]) { self.records = records }

    /// Starts a server, which ends with the test, and gives its port.
    static func start(_ records: [String: [[String]]]) async throws -> Int {
        let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NameServer(records))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try Teardown.add { try await channel.close() }
        return channel.localAddress?.port ?? 0
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var envelope = unwrapInboundIn(data)
        let question = Array(envelope.data.readableBytesView)
        guard question.count > 12 else { return }
        var (labels, at): ([String], Int) = ([], 12)
        while at < question.count, question[at] > 0 {
            let length = Int(question[at])
            labels.append(String(decoding: question[(at + 1)..<(at + 1 + length)], as: UTF8.self))
            at += length + 1
        }
        let found = records[labels.joined(separator: ".")]
        var answer = ByteBuffer()
        answer.writeBytes(question[0..<2])
        // A response with recursion; 3 is a name that does not exist.
        answer.writeInteger(UInt16(found == nil ? 0x8183 : 0x8180))
        for count in [1, found?.count ?? 0, 0, 0] { answer.writeInteger(UInt16(count)) }
        answer.writeBytes(question[12..<(at + 5)])
        for parts in found ?? [] {
            // The name is that of the question. TXT, IN, a minute.
            for value: UInt16 in [0xC00C, 16, 1, 0, 60] { answer.writeInteger(value) }
            let data = parts.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            answer.writeInteger(UInt16(data.count))
            answer.writeBytes(data)
        }
        envelope.data = answer
        context.writeAndFlush(wrapOutboundOut(envelope), promise: nil)
    }
}

@Suite("Records of the DNS", .teardown, .timeLimit(.minutes(5)))
struct TextRecordTests {
    @Test("are read whole, and a name without any has none")
    func records() async throws {
        let long = String(repeating: "k", count: 200)
        let port = try await NameServer.start([
            "example.com": [["v=spf1 -all"], ["something else"]], "k1._domainkey.example.com": [["v=DKIM1; p=", long, long]],
            "empty.example.com": [],
        ])
        let records = TextRecords(server: ("127.0.0.1", port))
        #expect(try await records("example.com").sorted() == ["something else", "v=spf1 -all"])
        #expect(try await records("k1._domainkey.example.com") == ["v=DKIM1; p=" + long + long])
        #expect(try await records("nothing.example.com") == [])
        #expect(try await records("empty.example.com") == [])
    }

    @Test("tell whether a domain's mail is believed")
    func domain() async throws {
        let port = try await NameServer.start([
            "good.example": [["v=spf1 include:mail.example -all"]], "_dmarc.good.example": [["v=DMARC1; p=reject"]],
            "k1._domainkey.good.example": [["v=DKIM1; k=rsa; p=AAAA"]],
            "bad.example": [["v=spf1 +all"]], "_dmarc.bad.example": [["v=DMARC1; p=none"]],
            "k1._domainkey.bad.example": [["v=DKIM1; p="]],
            "odd.example": [["v=spf1 -all"], ["v=spf1 ~all"]], "_dmarc.odd.example": [["v=DMARC1"]],
        ])
        let records = TextRecords(server: ("127.0.0.1", port))
        let domain = SenderDomain { try await records($0) }
        func verdicts(_ name: String) async -> [SenderDomain.Finding.Verdict] {
            await domain.findings(name, selector: "k1").map(\.verdict)
        }
        #expect(await verdicts("good.example") == [.good, .good, .good])
        #expect(await verdicts("bad.example") == [.weak, .weak, .unusable])
        #expect(await verdicts("odd.example") == [.unusable, .unusable, .missing])
        #expect(await verdicts("none.example") == [.missing, .missing, .missing])
        #expect(await verdicts("no domain") == [])
        #expect(await domain.findings("good.example", selector: "../x").count == 2)
        let failing = SenderDomain { _ in throw OutboundError.unreachable }
        #expect(await failing.findings("a.example", selector: nil).map(\.verdict) == [.unknown, .unknown])
    }
}
