import Accounts
import Project
import Testing

@testable import Server

@Suite("The connections of a listener")
struct ConnectionLimiterTests {
    /// The connections that were told to end, in order.
    private final class Ended: Sendable {
        private let names = LockedState<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    private let ended = Ended()

    private func limiter(total: Int = 100, perAddress: Int = 100, reserve: Int = 2) -> ConnectionLimiter {
        ConnectionLimiter(.init(total: total, perAddress: perAddress, reserve: reserve))
    }

    @discardableResult
    private func enter(_ limiter: ConnectionLimiter, _ name: String, from address: String, isProxy: Bool = false)
        -> ConnectionLimiter.Ticket?
    {
        let ended = ended
        return limiter.enter(from: isProxy ? nil : ClientNetwork(address)) { ended.add(name) }
    }

    @Test("have a share for each address: the one that has waited longest goes for the next of the same address")
    func share() {
        let limiter = limiter(perAddress: 2)
        for name in ["a", "b", "c", "d"] { enter(limiter, name, from: "192.0.2.1") }
        enter(limiter, "other", from: "192.0.2.2")
        #expect(ended.all == ["a", "b"])
        #expect(limiter.count == 3)
    }

    @Test("count an IPv6 /64 as one address, and IPv4 written as IPv6 as IPv4")
    func network() {
        let limiter = limiter(perAddress: 1)
        enter(limiter, "a", from: "2001:db8:1:2::1")
        enter(limiter, "b", from: "2001:db8:1:2:ffff::1")
        enter(limiter, "c", from: "2001:db8:1:3::1")
        enter(limiter, "d", from: "::ffff:192.0.2.1")
        enter(limiter, "e", from: "192.0.2.1")
        #expect(ended.all == ["a", "d"])
    }

    @Test("have shares for an IPv6 client's /56 and /48 as well, 4 and 16 times as large; another /48 keeps its own (THR-14)")
    func widerNetworks() {
        let limiter = limiter(perAddress: 2)
        func fill(_ site: Int, _ count: Int, _ address: (Int) -> String) {
            for number in 0..<count { enter(limiter, "\(site):\(number)", from: "2001:db8:\(site):\(address(number))::1") }
        }
        fill(1, 10) { "\($0)" }
        #expect(ended.all == ["1:0", "1:1"])
        #expect(limiter.count == 8)
        fill(2, 34) { "\($0)00" }
        #expect(ended.all.dropFirst(2) == ["2:0", "2:1"])
        #expect(limiter.count == 40)
        fill(3, 2) { "\($0)" }
        for number in 0..<20 { enter(limiter, "v4", from: "192.0.2.\(number)") }
        #expect(ended.all.count == 4)
    }

    @Test("of a /48 take no more than half of all places, those that are worked on neither")
    func halfOfAllPlaces() throws {
        let limiter = limiter(total: 20, perAddress: 4)
        for number in 0..<10 {
            limiter.works(try #require(enter(limiter, "busy", from: "2001:db8:1:\(number)00::1")))
        }
        #expect(enter(limiter, "next", from: "2001:db8:1:a00::1")?.isHealthOnly == true)
        #expect(enter(limiter, "other", from: "2001:db8:2::1")?.isHealthOnly == false)
    }

    @Test("go when all places are taken: those that wait for their clients, the oldest first, and proxies last")
    func full() throws {
        let limiter = limiter(total: 4)
        enter(limiter, "proxy", from: "198.51.100.1", isProxy: true)
        let busy = try #require(enter(limiter, "busy", from: "192.0.2.1"))
        limiter.works(busy)
        let active = try #require(enter(limiter, "active", from: "192.0.2.2"))
        enter(limiter, "silent", from: "192.0.2.3")
        limiter.works(active)
        limiter.waits(active)
        for number in 4...6 { enter(limiter, "new \(number)", from: "192.0.2.\(number)") }
        #expect(ended.all == ["silent", "active", "new 4"])
        limiter.waits(busy)
        enter(limiter, "last", from: "192.0.2.9")
        #expect(ended.all.last == "new 5")
        #expect(limiter.count == 4)
    }

    @Test("of proxies have no share, and make room for other proxies only when none else waits")
    func proxies() {
        let limiter = limiter(total: 3, perAddress: 1)
        for name in ["a", "b", "c"] { enter(limiter, name, from: "198.51.100.1", isProxy: true) }
        #expect(ended.all.isEmpty)
        enter(limiter, "stranger", from: "192.0.2.1")
        #expect(ended.all == ["a"])
        enter(limiter, "d", from: "198.51.100.1", isProxy: true)
        #expect(ended.all == ["a", "stranger"])
    }

    @Test("that find everything at work are health-only, as many as the reserve has, the newest of them")
    func healthOnly() throws {
        let limiter = limiter(total: 1, reserve: 2)
        let busy = try #require(enter(limiter, "busy", from: "192.0.2.1"))
        limiter.works(busy)
        #expect(!busy.isHealthOnly)
        let healthOnly = ["a", "b", "c"].compactMap { enter(limiter, $0, from: "192.0.2.2") }
        #expect(healthOnly.map(\.isHealthOnly) == [true, true, true])
        #expect(ended.all == ["a"])
        for ticket in healthOnly { limiter.works(ticket) }
        #expect(enter(limiter, "d", from: "192.0.2.3") == nil)
        // The place of a closed connection goes to an ordinary one.
        limiter.leave(busy)
        #expect(enter(limiter, "e", from: "192.0.2.3")?.isHealthOnly == false)
    }

    @Test("that find their address's share at work are health-only, too, whatever room others have")
    func busyAddress() throws {
        let limiter = limiter(perAddress: 1)
        limiter.works(try #require(enter(limiter, "busy", from: "192.0.2.1")))
        #expect(enter(limiter, "second", from: "192.0.2.1")?.isHealthOnly == true)
        #expect(enter(limiter, "other", from: "192.0.2.2")?.isHealthOnly == false)
    }

    @Test("leave nothing behind, in whatever order they come, work and go")
    func order() throws {
        let limiter = limiter(total: 8, perAddress: 3)
        var generator = SystemRandomNumberGenerator()
        var inside: [ConnectionLimiter.Ticket] = []
        for _ in 0..<5000 {
            switch UInt8.random(in: 0..<4, using: &generator) {
            case 0:
                let number = UInt8.random(in: 0..<6, using: &generator)
                let address = Bool.random(using: &generator) ? "192.0.2.\(number)" : "2001:db8:\(number / 3):\(number)00::1"
                inside += [enter(limiter, "x", from: address)].compactMap { $0 }
            case 1: inside.randomElement().map(limiter.works)
            case 2: inside.randomElement().map(limiter.waits)
            default:
                guard let index = inside.indices.randomElement() else { continue }
                limiter.leave(inside.remove(at: index))
            }
            #expect(limiter.count <= 10)
        }
        for ticket in inside { limiter.leave(ticket) }
        #expect(limiter.count == 0)
        enter(limiter, "new", from: "192.0.2.1")
        #expect(limiter.count == 1)
    }
}
