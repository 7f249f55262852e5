import Accounts
import Project
import Testing

@testable import Server

@Suite("The connections of a listener")
struct HouseTests {
    /// The connections that were told to end, in order.
    private final class Ended: Sendable {
        private let names = LockedState<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    private let ended = Ended()

    private func house(total: Int = 100, perAddress: Int = 100, reserve: Int = 2) -> House {
        House(.init(total: total, perAddress: perAddress, reserve: reserve))
    }

    @discardableResult
    private func enter(_ house: House, _ name: String, from address: String, isProxy: Bool = false) -> House.Lodger? {
        let ended = ended
        return house.enter(from: isProxy ? nil : ClientNetwork(address)) { ended.add(name) }
    }

    @Test("have a share for each address: the one that has waited longest goes for the next of the same address")
    func share() {
        let house = house(perAddress: 2)
        for name in ["a", "b", "c", "d"] { enter(house, name, from: "192.0.2.1") }
        enter(house, "other", from: "192.0.2.2")
        #expect(ended.all == ["a", "b"])
        #expect(house.count == 3)
    }

    @Test("count an IPv6 /64 as one address, and IPv4 written as IPv6 as IPv4")
    func network() {
        let house = house(perAddress: 1)
        enter(house, "a", from: "2001:db8:1:2::1")
        enter(house, "b", from: "2001:db8:1:2:ffff::1")
        enter(house, "c", from: "2001:db8:1:3::1")
        enter(house, "d", from: "::ffff:192.0.2.1")
        enter(house, "e", from: "192.0.2.1")
        #expect(ended.all == ["a", "d"])
    }

    @Test("have shares for an IPv6 client's /56 and /48 as well, 4 and 16 times as large; another /48 keeps its own (THR-14)")
    func widerNetworks() {
        let house = house(perAddress: 2)
        func fill(_ site: Int, _ count: Int, _ address: (Int) -> String) {
            for number in 0..<count { enter(house, "\(site):\(number)", from: "2001:db8:\(site):\(address(number))::1") }
        }
        fill(1, 10) { "\($0)" }
        #expect(ended.all == ["1:0", "1:1"])
        #expect(house.count == 8)
        fill(2, 34) { "\($0)00" }
        #expect(ended.all.dropFirst(2) == ["2:0", "2:1"])
        #expect(house.count == 40)
        fill(3, 2) { "\($0)" }
        for number in 0..<20 { enter(house, "v4", from: "192.0.2.\(number)") }
        #expect(ended.all.count == 4)
    }

    @Test("of a /48 take no more than half of the house, those that are worked on neither")
    func halfTheHouse() throws {
        let house = house(total: 20, perAddress: 4)
        for number in 0..<10 {
            house.works(try #require(enter(house, "busy", from: "2001:db8:1:\(number)00::1")))
        }
        #expect(enter(house, "next", from: "2001:db8:1:a00::1")?.isGuest == true)
        #expect(enter(house, "other", from: "2001:db8:2::1")?.isGuest == false)
    }

    @Test("go when the house is full: those that wait for their clients, the oldest first, and proxies last")
    func full() throws {
        let house = house(total: 4)
        enter(house, "proxy", from: "198.51.100.1", isProxy: true)
        let busy = try #require(enter(house, "busy", from: "192.0.2.1"))
        house.works(busy)
        let active = try #require(enter(house, "active", from: "192.0.2.2"))
        enter(house, "silent", from: "192.0.2.3")
        house.works(active)
        house.waits(active)
        for number in 4...6 { enter(house, "new \(number)", from: "192.0.2.\(number)") }
        #expect(ended.all == ["silent", "active", "new 4"])
        house.waits(busy)
        enter(house, "last", from: "192.0.2.9")
        #expect(ended.all.last == "new 5")
        #expect(house.count == 4)
    }

    @Test("of proxies have no share, and make room for other proxies only when none else waits")
    func proxies() {
        let house = house(total: 3, perAddress: 1)
        for name in ["a", "b", "c"] { enter(house, name, from: "198.51.100.1", isProxy: true) }
        #expect(ended.all.isEmpty)
        enter(house, "stranger", from: "192.0.2.1")
        #expect(ended.all == ["a"])
        enter(house, "d", from: "198.51.100.1", isProxy: true)
        #expect(ended.all == ["a", "stranger"])
    }

    @Test("that find everything at work are guests, as many as the reserve has, the newest of them")
    func guests() throws {
        let house = house(total: 1, reserve: 2)
        let busy = try #require(enter(house, "busy", from: "192.0.2.1"))
        house.works(busy)
        #expect(!busy.isGuest)
        let guests = ["a", "b", "c"].compactMap { enter(house, $0, from: "192.0.2.2") }
        #expect(guests.map(\.isGuest) == [true, true, true])
        #expect(ended.all == ["a"])
        for guest in guests { house.works(guest) }
        #expect(enter(house, "d", from: "192.0.2.3") == nil)
        // The place of a closed connection goes to an ordinary one.
        house.leave(busy)
        #expect(enter(house, "e", from: "192.0.2.3")?.isGuest == false)
    }

    @Test("that find their address's share at work are guests, too, whatever room others have")
    func busyAddress() throws {
        let house = house(perAddress: 1)
        house.works(try #require(enter(house, "busy", from: "192.0.2.1")))
        #expect(enter(house, "second", from: "192.0.2.1")?.isGuest == true)
        #expect(enter(house, "other", from: "192.0.2.2")?.isGuest == false)
    }

    @Test("leave nothing behind, in whatever order they come, work and go")
    func order() throws {
        let house = house(total: 8, perAddress: 3)
        var generator = SystemRandomNumberGenerator()
        var inside: [House.Lodger] = []
        for _ in 0..<5000 {
            switch UInt8.random(in: 0..<4, using: &generator) {
            case 0:
                let number = UInt8.random(in: 0..<6, using: &generator)
                let address = Bool.random(using: &generator) ? "192.0.2.\(number)" : "2001:db8:\(number / 3):\(number)00::1"
                inside += [enter(house, "x", from: address)].compactMap { $0 }
            case 1: inside.randomElement().map(house.works)
            case 2: inside.randomElement().map(house.waits)
            default:
                guard let index = inside.indices.randomElement() else { continue }
                house.leave(inside.remove(at: index))
            }
            #expect(house.count <= 10)
        }
        for lodger in inside { house.leave(lodger) }
        #expect(house.count == 0)
        enter(house, "new", from: "192.0.2.1")
        #expect(house.count == 1)
    }
}
