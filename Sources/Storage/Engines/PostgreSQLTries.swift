extension PostgreSQLWorker {
    /// Decides whether a transaction runs again.
    ///
    /// A write whose fate is unknown never does. Conflicts are tried for as long as the limits say: a few times after pauses drawn at
    /// random, for writers of one row that all returned at once would be in each other's way again, and then in turn.
    struct Tries {
        /// What to do after a failure.
        enum Verdict: Equatable {
            case giveUp
            case again(after: Duration)
            /// At once, when ``PostgreSQLTurns`` gives the turn, if that is within the time that is left.
            case inTurn(patience: Duration)
        }

        private let deadline: ContinuousClock.Instant
        private var conflicts = 0
        private var losses = 0
        private var staleStatements = 0

        /// A first connection that died while idle, and one that died at work.
        private static let maximumLosses = 2
        private static let maximumStaleStatements = 2
        private static let conflictsOutOfTurn = 3

        init(limits: PostgreSQLDatabase.Limits) { deadline = .now + limits.conflictTime }

        /// What to do after a failure.
        ///
        /// - Parameters:
        ///   - failure: How the try ended.
        ///   - seed: What tells this connection's pauses from those of others.
        /// - Returns: Whether to run the body again, and after which pause.
        mutating func next(after failure: PostgreSQLFailure, seed: Int32) -> Verdict {
            switch failure {
            case .refused, .unknown: return .giveUp
            case .lost:
                losses += 1
                return losses <= Self.maximumLosses ? .again(after: .zero) : .giveUp
            case .staleStatement:
                staleStatements += 1
                return staleStatements <= Self.maximumStaleStatements ? .again(after: .zero) : .giveUp
            case .conflict:
                conflicts += 1
                let left = deadline - .now
                if conflicts > Self.conflictsOutOfTurn { return left > .zero ? .inTurn(patience: left) : .giveUp }
                let pause = pause(seed: seed)
                return ContinuousClock.now + pause < deadline ? .again(after: pause) : .giveUp
            }
        }

        /// Up to 1, 2, 4 milliseconds.
        private func pause(seed: Int32) -> Duration {
            let ceiling = 1 << (conflicts - 1)
            // Scatters the connection's number and the try over all values (Knuth, The Art of Computer Programming, 6.4).
            let scattered = (UInt32(bitPattern: seed) &* 31 &+ UInt32(conflicts)) &* 2_654_435_769
            return .microseconds(Int64(scattered >> 16) * Int64(ceiling) * 1000 / 65_536)
        }
    }
}
