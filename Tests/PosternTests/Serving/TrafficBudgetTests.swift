import Accounts
import Testing

@testable import postern

@Suite("The budget of bytes in memory")
struct TrafficBudgetTests {
    private let one = ClientNetwork("192.0.2.1")
    private let other = ClientNetwork("192.0.2.2")

    @Test("has a share for each address and a bound for all, and takes nothing that does not fit")
    func bounds() {
        let budget = TrafficBudget(total: 150, perAddress: 100)
        #expect(budget.take(60, for: one) == nil)
        #expect(budget.take(41, for: one) == .share)
        #expect(budget.take(40, for: one) == nil)
        #expect(budget.take(51, for: other) == .total)
        #expect(budget.take(50, for: other) == nil)
        #expect(budget.used == 150)
        budget.give(100, for: one)
        budget.give(50, for: other)
        #expect(budget.used == 0)
        #expect(budget.take(100, for: one) == nil)
    }

    @Test("lets an answer exceed a share in which something is left, and none in which nothing is")
    func answers() {
        let budget = TrafficBudget(total: 1000, perAddress: 100)
        #expect(budget.take(99, for: one, mayExceed: true) == nil)
        #expect(budget.take(500, for: one, mayExceed: true) == nil)
        #expect(budget.take(1, for: one, mayExceed: true) == .share)
        #expect(budget.take(1, for: other, mayExceed: true) == nil)
    }

    @Test("counts what an administrator sends for all, and for no address")
    func exempt() {
        let budget = TrafficBudget(total: 150, perAddress: 100)
        #expect(budget.take(100, for: one) == nil)
        budget.exempt(100, of: one)
        #expect(budget.take(50, for: one) == nil)
        #expect(budget.used == 150)
        budget.give(100, for: nil)
        budget.give(50, for: one)
        #expect(budget.used == 0)
    }
}
