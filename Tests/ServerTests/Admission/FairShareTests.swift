import Accounts
import Project
import Testing

@testable import Server

@Suite("The budget of bytes in memory")
struct FairShareTests {
    private let one = ClientNetwork("192.0.2.1")
    private let other = ClientNetwork("192.0.2.2")
    private let ended = LockedState<[String]>([])

    private var allEnded: [String] { ended.withLock { $0 } }

    // One that waits, unless told otherwise.
    @discardableResult
    private func reserve(
        _ budget: FairShare,
        _ bytes: Int,
        _ network: ClientNetwork?,
        _ name: String = "",
        works: Bool = false
    ) throws(FairShare.NoRoom) -> FairShare.Reservation {
        let ended = ended
        let reservation = try budget.reserve(bytes, for: network) { ended.withLock { $0.append(name) } }
        if works { #expect(budget.works(reservation)) }
        return reservation
    }

    @Test("has a share for each address and a bound for all, and takes nothing that does not fit")
    func bounds() throws {
        let budget = FairShare(total: 150, perAddress: 100)
        let first = try reserve(budget, 60, one, works: true)
        #expect(throws: FairShare.NoRoom.share) { try reserve(budget, 41, one) }
        let second = try reserve(budget, 40, one, works: true)
        #expect(throws: FairShare.NoRoom.total) { try reserve(budget, 51, other) }
        let third = try reserve(budget, 50, other, works: true)
        #expect(budget.used == 150)
        for reservation in [first, second, third] { #expect(budget.release(reservation)) }
        #expect(budget.used == 0)
        #expect(!budget.release(first))
        try reserve(budget, 100, one)
        #expect(allEnded.isEmpty)
    }

    @Test("lets an answer exceed a share in which something is left, and none in which nothing is")
    func answers() throws {
        let budget = FairShare(total: 1000, perAddress: 100)
        let first = try reserve(budget, 99, one, works: true)
        try budget.take(500, by: first, mayExceed: true)
        #expect(throws: FairShare.NoRoom.share) { try budget.take(1, by: first, mayExceed: true) }
        try budget.take(1, by: try reserve(budget, 1, other), mayExceed: true)
        #expect(budget.used == 601)
    }

    @Test("counts what an administrator sends for all, and for no address")
    func exempt() throws {
        let budget = FairShare(total: 150, perAddress: 100)
        let first = try reserve(budget, 100, one, works: true)
        budget.exempt(first)
        let second = try reserve(budget, 50, one, works: true)
        #expect(budget.used == 150)
        budget.release(first)
        budget.release(second)
        #expect(budget.used == 0)
    }

    @Test("ends what has waited longest of an address that has used its share, and nothing of others")
    func share() throws {
        let budget = FairShare(total: 1000, perAddress: 100)
        try reserve(budget, 90, other, "other")
        for name in ["a", "b", "c", "d"] { try reserve(budget, 50, one, name) }
        #expect(allEnded == ["a", "b"])
        #expect(budget.used == 190)
        // More than one where one is not enough.
        try reserve(budget, 100, one, "e")
        #expect(allEnded == ["a", "b", "c", "d"])
    }

    @Test("ends what has waited longest of all when everything is used, and what has no share last")
    func total() throws {
        let budget = FairShare(total: 100, perAddress: 60)
        try reserve(budget, 30, nil, "nobody's")
        try reserve(budget, 30, one, "a")
        try reserve(budget, 30, other, "b")
        try reserve(budget, 50, one, "c")
        #expect(allEnded == ["a", "b"])
        try reserve(budget, 60, ClientNetwork("192.0.2.3"), "d")
        #expect(allEnded == ["a", "b", "c"])
        try reserve(budget, 60, other, "e")
        #expect(allEnded == ["a", "b", "c", "d"])
        let nobodys = try reserve(budget, 40, nil, "f")
        #expect(allEnded == ["a", "b", "c", "d", "e"])
        #expect(budget.works(nobodys))
        try reserve(budget, 50, one, "g")
        #expect(allEnded == ["a", "b", "c", "d", "e", "nobody's"])
        #expect(budget.used == 90)
    }

    @Test("lets a network that would hold more than an equal part make room itself")
    func equalParts() throws {
        let budget = FairShare(total: 100, perAddress: 90)
        try reserve(budget, 20, other, "modest")
        try reserve(budget, 30, one, "a")
        try reserve(budget, 30, one, "b")
        try reserve(budget, 30, one, "c")
        #expect(allEnded == ["a"])
    }

    @Test("makes room for one modest body although many networks hold a little each")
    func manyNetworks() throws {
        let budget = FairShare(total: 100, perAddress: 90)
        for number in 0..<9 { try reserve(budget, 10, ClientNetwork("198.51.100.\(number)"), "\(number)") }
        let body = try reserve(budget, 10, one, "body")
        try budget.take(10, by: body)
        #expect(allEnded == ["0"])
        #expect(budget.used == 100)
    }

    @Test("has shares for an IPv6 client's /56 and /48 as well, and gives them back (THR-14)")
    func widerNetworks() throws {
        let budget = FairShare(total: 1000, perAddress: 10)
        func network(_ site: Int, _ number: Int) -> ClientNetwork {
            ClientNetwork("2001:db8:\(site):\(String(number, radix: 16))::1")
        }
        var reservations = try (0..<4).map { try reserve(budget, 10, network(1, $0), works: true) }
        #expect(throws: FairShare.NoRoom.share) { try reserve(budget, 1, network(1, 4)) }
        reservations += try (1..<13).map { try reserve(budget, 10, network(1, $0 << 8), works: true) }
        #expect(throws: FairShare.NoRoom.share) { try reserve(budget, 1, network(1, 13 << 8)) }
        // An administrator's bytes count for none of them.
        budget.exempt(reservations[0])
        reservations.append(try reserve(budget, 10, network(1, 13 << 8), works: true))
        #expect(throws: FairShare.NoRoom.share) { try reserve(budget, 1, network(1, 14 << 8)) }
        try reserve(budget, 10, network(2, 0))
        try reserve(budget, 10, one)
        for reservation in reservations { #expect(budget.release(reservation)) }
        try reserve(budget, 10, network(1, 4))
        #expect(allEnded.isEmpty)
        #expect(budget.used == 30)
    }

    @Test("counts equal parts by customer: many networks of one /48 make room themselves, and leave others theirs (THR-14)")
    func equalPartsOfCustomers() throws {
        let budget = FairShare(total: 100, perAddress: 90)
        for number in 0..<2 { try reserve(budget, 20, other, "modest \(number)") }
        for number in 0..<5 { try reserve(budget, 10, ClientNetwork("2001:db8:1:\(number)00::1"), "\(number)") }
        try reserve(budget, 10, one, "third")
        #expect(allEnded.isEmpty)
        try reserve(budget, 10, ClientNetwork("2001:db8:1:900::1"), "last")
        #expect(allEnded == ["0"])
        #expect(budget.used == 100)
    }

    @Test("never ends what is being worked on, nor anything for what does not fit alone")
    func works() throws {
        let budget = FairShare(total: 200, perAddress: 100)
        try reserve(budget, 50, one, "at work", works: true)
        try reserve(budget, 30, one, "waits")
        #expect(throws: FairShare.NoRoom.share) { try reserve(budget, 101, one) }
        #expect(throws: FairShare.NoRoom.total) { try reserve(budget, 201, nil) }
        #expect(allEnded.isEmpty)
        #expect(throws: FairShare.NoRoom.share) { try reserve(budget, 60, one) }
        #expect(allEnded == ["waits"])
        #expect(budget.used == 50)
    }

    @Test("does not spare what has waited longest when that asks for more itself, and knows what it has ended")
    func askers() throws {
        let budget = FairShare(total: 200, perAddress: 100)
        let old = try reserve(budget, 40, one, "old")
        let young = try reserve(budget, 40, one, "young")
        #expect(throws: FairShare.NoRoom.share) { try budget.take(30, by: old) }
        #expect(allEnded.isEmpty)
        try budget.take(30, by: young)
        #expect(allEnded == ["old"])
        #expect(throws: FairShare.NoRoom.ended) { try budget.take(1, by: old) }
        #expect(!budget.works(old))
        budget.give(10, of: old)
        budget.exempt(old)
        budget.waits(old)
        #expect(budget.used == 70)
        // It waits anew once it has its answer.
        #expect(budget.works(young))
        try reserve(budget, 20, one, "younger")
        budget.waits(young)
        try reserve(budget, 30, one, "youngest")
        #expect(allEnded == ["old", "younger"])
    }
}
