import Testing

@testable import Project

private final class Item: Sendable, Equatable, ExpressibleByIntegerLiteral {
    let number: Int

    init(_ number: Int) { self.number = number }
    convenience init(integerLiteral number: Int) { self.init(number) }

    static func == (one: Item, other: Item) -> Bool { one.number == other.number }
}

@Suite("A list of what waits, from which anything can be taken back", .timeLimit(.minutes(1)))
struct WaitingListTests {
    private func rest(of list: WaitingList<Item>) -> [Int] {
        var list = list
        var rest: [Int] = []
        while let element = list.popFirst() { rest.append(element.number) }
        return rest
    }

    @Test("keeps the order, whether the first, one in the middle or the last is removed", arguments: 0..<5)
    func removal(removed: Int) {
        var list = WaitingList<Item>()
        let places = (0..<5).map { list.append(Item($0)) }
        #expect(list.remove(places[removed])?.number == removed)
        #expect(list.count == 4)
        #expect(list.first == (removed == 0 ? 1 : 0))
        _ = list.append(5)
        #expect(rest(of: list) == (0...5).filter { $0 != removed })
    }

    @Test("removes nothing by a place that is used up, even when its room is used again")
    func usedUp() {
        var list = WaitingList<Item>()
        let (first, second) = (list.append(1), list.append(2))
        #expect(list.popFirst() == 1)
        #expect(list.remove(second) == 2)
        #expect(list.first == nil && list.popFirst() == nil)
        for number in 3...4 { _ = list.append(Item(number)) }
        #expect(list.capacity == 2)
        #expect(list.remove(first) == nil && list.remove(second) == nil)
        #expect(rest(of: list) == [3, 4])
    }

    @Test("does what a plain array does")
    func model() {
        var random = SystemRandomNumberGenerator()
        var list = WaitingList<Item>()
        var (places, model): ([WaitingPlace], [Int]) = ([], [])
        for number in 0..<5000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1, 2:
                places.append(list.append(Item(places.count)))
                model.append(places.count - 1)
            case 3: #expect(list.popFirst()?.number == (model.isEmpty ? nil : model.removeFirst()))
            default:
                guard let place = places.indices.randomElement(using: &random) else { continue }
                let index = model.firstIndex(of: place)
                #expect(list.remove(places[place])?.number == index.map { model.remove(at: $0) }, "step \(number)")
            }
            #expect(list.count == model.count && list.first?.number == model.first)
        }
        #expect(rest(of: list) == model)
    }

    @Test("needs no room for what is gone, though one element waits all the time")
    func room() {
        var list = WaitingList<Item>()
        _ = list.append(0)
        var last = list.append(1)
        for number in 2..<10_000 {
            let next = list.append(Item(number))
            #expect(list.remove(last)?.number == number - 1)
            last = next
        }
        #expect(list.capacity == 3)
    }

    // A search for each of them would take minutes, which the time limit of the suite ends.
    @Test("gives back 100,000 of 200,000 without a search for each of them")
    func flood() {
        let count = 200_000
        var list = WaitingList<Item>()
        let places = (0..<count).map { list.append(Item($0)) }
        var missing = 0
        for number in stride(from: count - 1, to: 0, by: -2) where list.remove(places[number])?.number != number { missing += 1 }
        #expect(missing == 0)
        #expect(list.count == count / 2 && list.capacity == count)
        #expect(rest(of: list) == Array(stride(from: 0, to: count, by: 2)))
    }
}
