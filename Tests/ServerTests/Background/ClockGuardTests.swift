import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("A jump of the system's clock (OPS-03)", .timeLimit(.minutes(15)))
struct ClockGuardTests {
    private static let hour = Duration.seconds(3600)
    private static let day = Duration.seconds(86_400)

    /// A node: its clock, and what judges it.
    private struct Node {
        let clock: TestClock
        let judge: ClockGuard
        let database: any Database

        init(_ clock: TestClock, _ database: any Database) async throws {
            (self.clock, self.database) = (clock, database)
            judge = ClockGuard(clock.environment(), logger: LogCapture().logger())
            try await judge.start(database)
        }

        var environment: ServerEnvironment {
            var environment = clock.environment()
            environment.clockLead = { judge.lead }
            return environment
        }

        func review() async throws { try await judge.review(database) }
    }

    private func withStore(_ body: (any Database) async throws -> Void) async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(database, now: 0)
        try await body(database)
        try await database.close()
    }

    @Test("is noticed at once, back and forth, and leaves the believed time as it was until the clock is right")
    func jumps() async throws {
        try await withStore { database in
            let node = try await Node(TestClock(), database)
            for passed in [Self.hour * 2, Self.day * 30] {
                node.clock.advance(by: passed)
                #expect(node.judge.lead == nil)
            }
            for small in [Duration.seconds(60), .seconds(-60)] {
                node.clock.jump(by: small)
                #expect(node.judge.lead == nil)
                node.clock.jump(by: .zero - small)
            }
            for jump in [Self.day * 500, Self.hour * 3, .seconds(61), .seconds(-61), .zero - Self.hour * 3] {
                try await node.review()
                let before = node.clock.now
                node.clock.jump(by: jump)
                #expect(node.judge.lead == jump)
                #expect(node.environment.steadyNow() == before)
                node.clock.advance(by: .seconds(36))
                try await node.review()
                #expect(node.judge.lead == jump)
                #expect(node.environment.steadyNow() == before.advanced(by: .seconds(36)))
                #expect(try await database.read { try $0.storeClock()?.seenAt } == before)
                node.clock.advance(by: Self.day * 8)
                try await node.review()
                #expect(node.judge.lead == jump, "time alone makes no running clock right")
                node.clock.jump(by: .zero - jump)
                try await node.review()
                #expect(node.judge.lead == nil)
                #expect(node.environment.steadyNow() == node.clock.now)
            }
        }
    }

    @Test("is none where a clock is corrected little by little")
    func corrections() async throws {
        try await withStore { database in
            let node = try await Node(TestClock(), database)
            for _ in 0..<48 {
                node.clock.advance(by: Self.hour + .seconds(1))
                node.clock.jump(by: .seconds(30))
                try await node.review()
                #expect(node.judge.lead == nil)
            }
        }
    }

    @Test("before the start is noticed too: a short one may be a pause, a long one and one back need an operator")
    func starts() async throws {
        let never: Duration? = nil
        for (lead, wait) in [
            (.seconds(60), .zero), (.seconds(120), .seconds(120)), (Self.hour * 3, Self.hour), (Self.day * 7, Self.hour),
            (Self.day * 8, never), (Self.day * 500, never), (.zero - Self.hour * 3, never),
        ] as [(Duration, Duration?)] {
            try await withStore { database in
                let before = TestClock()
                try await Node(before, database).review()
                let node = try await Node(TestClock(before.now.advanced(by: lead)), database)
                #expect((node.judge.lead == nil) == (wait == .zero), "\(lead)")
                if let wait, wait > .zero {
                    node.clock.advance(by: wait - .seconds(1))
                    try await node.review()
                    #expect(node.judge.lead == lead)
                    node.clock.advance(by: .seconds(1))
                    try await node.review()
                    #expect(node.judge.lead == nil, "\(lead)")
                } else if wait == nil {
                    for _ in 0..<10 {
                        node.clock.advance(by: Self.day)
                        try await node.review()
                        #expect(node.judge.lead == lead)
                    }
                    try await database.write { try $0.confirmStoreClock(at: node.clock.now) }
                    try await node.review()
                    #expect(node.judge.lead == nil, "an operator has confirmed it")
                }
            }
        }
    }

    @Test("before the start is over once the clock is corrected")
    func correctedStart() async throws {
        try await withStore { database in
            let before = TestClock()
            try await Node(before, database).review()
            let node = try await Node(TestClock(before.now.advanced(by: Self.day * 500)), database)
            node.clock.jump(by: .zero - Self.day * 500)
            node.clock.advance(by: .seconds(5))
            try await node.review()
            #expect(node.judge.lead == nil)
        }
    }

    @Test("is judged by the other nodes, who note that they were here")
    func otherNodes() async throws {
        try await withStore { database in
            let other = try await Node(TestClock(), database)
            let node = try await Node(TestClock(), database)
            func pass(_ duration: Duration) async throws {
                for one in [other, node] { one.clock.advance(by: duration) }
                try await other.review()
                try await node.review()
            }
            // A wrong clock stays wrong while they go on, however long it keeps in step.
            node.clock.jump(by: Self.hour * 3)
            for _ in 0..<200 { try await pass(.seconds(60)) }
            #expect(node.judge.lead == Self.hour * 3)
            #expect(other.judge.lead == nil)
            node.clock.jump(by: .zero - Self.hour * 3)
            try await pass(.seconds(5))
            #expect(node.judge.lead == nil)
            // A machine that stood still for hours has the others' time once its clock is corrected.
            other.clock.advance(by: Self.hour * 3)
            try await other.review()
            try await node.review()
            #expect(node.judge.lead != nil)
            node.clock.jump(by: Self.hour * 3)
            try await pass(.seconds(5))
            #expect(node.judge.lead == nil)
            #expect(other.judge.lead == nil)
        }
    }

    @Test("of a common pause leaves nodes that start minutes apart with one time, by which no window begins anew")
    func startsApart() async throws {
        try await withStore { database in
            let before = TestClock()
            try await Node(before, database).review()
            let late = before.now.advanced(by: Self.hour * 3)
            let first = try await Node(TestClock(late), database)
            func count(at node: Node) async throws -> Int64 {
                try await database.write { transaction in
                    try transaction.countThrottle(
                        Scope(projectID: "p"),
                        bucket: "signUps",
                        at: node.environment.steadyNow(),
                        window: .fixed(Self.hour)
                    ).count
                }
            }
            for _ in 0..<120 {
                first.clock.advance(by: .seconds(5))
                try await first.review()
            }
            #expect(try await count(at: first) == 1)
            let second = try await Node(TestClock(late.advanced(by: .seconds(600))), database)
            #expect(second.judge.lead == Self.hour * 3)
            #expect(second.environment.steadyNow() == first.environment.steadyNow())
            #expect(try await count(at: second) == 2)
            // A third begins before the others say how far they are.
            for node in [first, second] { node.clock.advance(by: .seconds(4)) }
            let third = try await Node(TestClock(late.advanced(by: .seconds(604))), database)
            for _ in 0..<3 {
                for node in [first, second, third] {
                    node.clock.advance(by: .seconds(5))
                    try await node.review()
                }
                #expect(third.environment.steadyNow() == first.environment.steadyNow())
            }
            for node in [third, first, second] { _ = try await count(at: node) }
            #expect(try await count(at: first) == 6)
            // The one that began first believes its clock first, and the others go by it.
            for _ in 0..<600 {
                for node in [first, second, third] {
                    node.clock.advance(by: .seconds(5))
                    try await node.review()
                }
            }
            #expect([first, second, third].allSatisfy { $0.judge.lead == nil })
            #expect(Set([first, second, third].map { $0.environment.steadyNow() }).count == 1)
        }
    }

    @Test("of a common pause is still known to a node whose clock stands where the pause began")
    func behindOthers() async throws {
        try await withStore { database in
            let before = TestClock()
            try await Node(before, database).review()
            let right = try await Node(TestClock(before.now.advanced(by: Self.hour * 3)), database)
            right.clock.advance(by: .seconds(600))
            try await right.review()
            let wrong = try await Node(TestClock(before.now), database)
            #expect(wrong.judge.lead == .seconds(-600))
            #expect(wrong.environment.steadyNow() == right.environment.steadyNow())
        }
    }

    @Test("beside another node's doubt is a jump of its own")
    func jumpInDoubt() async throws {
        try await withStore { database in
            let node = try await Node(TestClock(), database)
            let ahead = try await Node(TestClock(node.clock.now.advanced(by: .seconds(60))), database)
            ahead.clock.advance(by: .seconds(60))
            try await ahead.review()
            try await node.review()
            #expect(node.judge.lead == .seconds(-120))
            node.clock.advance(by: .seconds(59))
            try await node.review()
            #expect(node.judge.lead != nil)
            // Its own clock must not jump meanwhile.
            node.clock.jump(by: Self.day * 500)
            for _ in 0..<3 {
                try await node.review()
                #expect(node.judge.lead == Self.day * 500 - .seconds(120))
            }
            node.clock.jump(by: .zero - Self.day * 500)
            node.clock.jump(by: .seconds(60))
            try await node.review()
            #expect(node.judge.lead == nil)
        }
    }

    @Test("of another node that is gone since is forgotten once the clock has passed what it said")
    func otherNodePassed() async throws {
        try await withStore { database in
            let node = try await Node(TestClock(), database)
            let ahead = try await Node(TestClock(node.clock.now.advanced(by: .seconds(60))), database)
            ahead.clock.advance(by: .seconds(60))
            try await ahead.review()
            try await node.review()
            node.clock.advance(by: .seconds(60))
            try await node.review()
            #expect(node.judge.lead == nil)
        }
    }

    @Test("that an operator takes back is not told the store again by nodes that have not heard")
    func unheardConfirmation() async throws {
        try await withStore { database in
            let ahead = TestClock()
            let node = try await Node(ahead, database)
            ahead.jump(by: .zero - Self.day * 500)
            try await node.review()
            try await database.write { try $0.confirmStoreClock(at: ahead.now) }
            try await node.review()
            #expect(node.judge.lead == nil)
            #expect(try await database.read { try $0.storeClock()?.time } == ahead.now)
            #expect(try await Node(TestClock(ahead.now), database).judge.lead == nil)
        }
    }
}
