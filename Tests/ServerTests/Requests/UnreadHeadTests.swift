import NIOCore
import NIOHTTP1
import Testing

@testable import Server

@Suite("The heads of requests that do not end")
struct UnreadHeadTests {
    private static let text = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let head = HTTPServerRequestPart.head(
        HTTPRequestHead(version: .http1_1, method: .GET, uri: "/healthz", headers: ["Host": "x"])
    )

    // Whether there is room once so many bytes have arrived and the decoder has made these parts of them.
    private func read(_ count: Int, _ parts: [HTTPServerRequestPart] = [], in unread: inout UnreadHead) -> Bool {
        unread.arrives(count)
        for part in parts { _ = unread.wasRead(part) }
        return unread.settle()
    }

    @Test("come in two reads when they are small and no byte is left, and not when they are large")
    func smallHead() throws {
        let budget = FairShare(total: 100_000, perAddress: 100_000)
        #expect(budget.works(try budget.reserve(100_000, for: nil) {}))
        var unread = UnreadHead(try connectionGuard(budget))
        let isSmallHeld = read(23, in: &unread)
        let isLargeHeld = read(1100, in: &unread)
        #expect(isSmallHeld)
        #expect(!isLargeHeld)
    }

    @Test("are charged when they begin in the same read as the request before ends")
    func nextHead() throws {
        let budget = FairShare(total: 100_000, perAddress: 100_000)
        var unread = UnreadHead(try connectionGuard(budget))
        let (size, field) = (Self.text.utf8.count, 20_000)

        _ = read(size, [Self.head, .end(nil)], in: &unread)
        #expect(budget.used == 0)

        _ = read(size + field, [Self.head, .end(nil)], in: &unread)
        #expect((19_900...20_100).contains(budget.used))
        _ = read(field, in: &unread)
        #expect((39_900...40_100).contains(budget.used))

        // The head is complete. Its request is now charged for it, and for the body.
        _ = read(field, [Self.head, .body(ByteBuffer(repeating: 0, count: field))], in: &unread)
        #expect(budget.used == 0)

        _ = read(field, [.end(nil)], in: &unread)
        #expect(budget.used == 20_000)
        unread.giveBack()
        #expect(budget.used == 0)
    }

    @Test("are counted once, also what the decoder leaves for its next turn")
    func left() throws {
        let budget = FairShare(total: 100_000, perAddress: 100_000)
        var unread = UnreadHead(try connectionGuard(budget))
        unread.arrives(5000)
        unread.isLeft(2000)
        let isFirstHeld = unread.settle()
        unread.arrives(5000)
        unread.isLeft(0)
        let isSecondHeld = unread.settle()
        #expect(isFirstHeld && isSecondHeld)
        #expect(budget.used == 8000)
    }
}
