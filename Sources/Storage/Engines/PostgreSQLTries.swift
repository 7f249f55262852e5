extension PostgreSQLWorker {
    /// Decides whether a transaction runs again.
    ///
    /// A write with an unknown outcome never does. Conflicts are repeated within the time limit: a few times after random pauses,
    /// because writers of one row that all returned at once would conflict again, and then one after the other.
    struct Tries {
        /// The next step after a failure.
        enum Verdict: Equatable {
            case giveUp
            case again(after: Duration)
            /// When ``ConflictSerializer`` grants the turn, if that happens within the remaining time.
            case inTurn(patience: Duration)
        }

        private let deadline: ContinuousClock.Instant
        private var conflicts = 0
        private var losses = 0
        private var staleStatements = 0
        private var locks = 0

        /// A first connection that died while idle, and a second one that died in use.
        private static let maximumLosses = 2
        private static let maximumStaleStatements = 2
        private static let conflictsOutOfTurn = 3
        // PostgreSQL finds transactions that wait for each other after a second (`deadlock_timeout`), if they may wait for so long.
        private static let deadlockTime = Duration.seconds(1)
        private let maximumLocks: Int

        init(limits: PostgreSQLDatabase.Limits, ends: Deadline.Ends?) {
            let longest = ContinuousClock.now + limits.conflictTime
            deadline = min(longest, ends?.lastCommit ?? longest)
            maximumLocks = limits.timeouts.lock <= Self.deadlockTime ? 1 : 0
        }

        /// Decides on the next step after a failure.
        ///
        /// - Parameter seed: A number that makes this connection's pauses differ from those of others.
        mutating func next(after failure: PostgreSQLFailure, seed: Int32) -> Verdict {
            switch failure {
            case .refused, .silent, .late, .unknown: return .giveUp
            case .lost:
                losses += 1
                return losses <= Self.maximumLosses ? .again(after: .zero) : .giveUp
            case .staleStatement:
                staleStatements += 1
                return staleStatements <= Self.maximumStaleStatements ? .again(after: .zero) : .giveUp
            case .locked:
                locks += 1
                guard locks <= maximumLocks else { return .giveUp }
                return .again(after: pause(seed: seed, ceiling: Self.pauseAfterLock))
            case .conflict:
                conflicts += 1
                let left = deadline - .now
                if conflicts > Self.conflictsOutOfTurn { return left > .zero ? .inTurn(patience: left) : .giveUp }
                let pause = pause(seed: seed, ceiling: 1 << (conflicts - 1))
                return ContinuousClock.now + pause < deadline ? .again(after: pause) : .giveUp
            }
        }

        // Of two that waited for each other, one has the time to end before the other begins again.
        private static let pauseAfterLock = 64

        /// A pause of up to a number of milliseconds.
        private func pause(seed: Int32, ceiling: Int) -> Duration {
            // Scatters the connection's number and the try over all values (Knuth, The Art of Computer Programming, 6.4).
            let scattered = (UInt32(bitPattern: seed) &* 31 &+ UInt32(conflicts)) &* 2_654_435_769
            return .microseconds(Int64(scattered >> 16) * Int64(ceiling) * 1000 / 65_536)
        }
    }
}
