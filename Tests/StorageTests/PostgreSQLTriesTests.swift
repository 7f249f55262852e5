import Foundation
import Project
import Testing

@testable import Storage

@Suite("Transactions on PostgreSQL that met conflicts", .timeLimit(.minutes(15)))
struct PostgreSQLTriesTests {
    @Test("run again after short pauses, and from the fourth conflict on in turn, until the time is over")
    func conflicts() {
        var limits = PostgreSQLDatabase.Limits(connections: 1)
        limits.conflictTime = .seconds(600)
        var tries = PostgreSQLWorker.Tries(limits: limits, ends: nil)
        for longest in [1, 2, 4] {
            guard case .again(let pause) = tries.next(after: .conflict, seed: 7) else {
                Issue.record("no pause")
                continue
            }
            #expect(pause >= .zero && pause <= .milliseconds(longest))
        }
        guard case .inTurn(let patience) = tries.next(after: .conflict, seed: 7) else {
            Issue.record("out of turn")
            return
        }
        #expect(patience > .seconds(500) && patience <= .seconds(600))
        limits.conflictTime = .zero
        tries = PostgreSQLWorker.Tries(limits: limits, ends: nil)
        #expect(tries.next(after: .conflict, seed: 7) == .giveUp)
        // In the last quarter of its call's time a transaction could not be committed any more.
        limits.conflictTime = .seconds(600)
        let ends = Deadline.Ends(of: .seconds(400), from: .now - .seconds(300))
        tries = PostgreSQLWorker.Tries(limits: limits, ends: ends)
        #expect(tries.next(after: .conflict, seed: 7) == .giveUp)
    }

    @Test("run again once after a lock that was held too long, where PostgreSQL had no time to find two that wait for each other")
    func locks() {
        var usual = PostgreSQLWorker.Tries(limits: .init(connections: 1), ends: nil)
        #expect(usual.next(after: .locked, seed: 7) == .giveUp)
        var tries = PostgreSQLWorker.Tries(limits: .init(connections: 1, answer: .seconds(2)), ends: nil)
        guard case .again(let pause) = tries.next(after: .locked, seed: 7) else {
            Issue.record("no second try")
            return
        }
        #expect(pause >= .zero && pause <= .milliseconds(64))
        #expect(tries.next(after: .locked, seed: 7) == .giveUp)
    }

    @Test("have the turn one at a time, and wait for it no longer than they may")
    func turns() async {
        let turns = ConflictSerializer()
        // The turn belongs to the thread that took it.
        let came = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let first = turns.take(patience: .seconds(600))
                let second = Self.onOtherThread { turns.take(patience: .milliseconds(1)) }
                turns.give()
                let third = Self.onOtherThread {
                    let came = turns.take(patience: .seconds(600))
                    turns.give()
                    return came
                }
                continuation.resume(returning: [first, second, third])
            }
        }
        #expect(came == [true, false, true])
    }

    private static func onOtherThread(_ body: @escaping @Sendable () -> Bool) -> Bool {
        let result = LockedState(false)
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let value = body()
            result.withLock { $0 = value }
            isDone.signal()
        }
        isDone.wait()
        return result.withLock { $0 }
    }
}
