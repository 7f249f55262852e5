/// How long one transaction may still wait: as long as its call has patience.
struct PostgreSQLCallTime: Sendable {
    /// The patience of the call; `nil` for work whose transactions have none in common.
    let patience: StorePatience?
    private let limit: Duration

    /// - Parameter patience: `nil` for work whose transactions have none in common.
    init(patience: StorePatience?, limit: Duration) {
        self.patience = patience
        self.limit = min(limit, patience?.limit ?? limit)
    }

    /// The longest wait from now on; `nil` without a bound.
    var left: Duration? {
        // A call whose patience has ended is served by a server that answers at once.
        patience.map { max(limit - $0.spent, .zero) + StorePatience.free }
    }

    /// Whether a commit may begin. It is not begun when a server that works might answer too late, because then nobody knows whether
    /// it was made.
    var isEnoughToCommit: Bool { left.map { $0 >= commitTime } ?? true }

    private var commitTime: Duration { limit / 4 }

    /// The longest wait from now on that would otherwise be bounded by another time, so that a commit may still begin.
    func boundBeforeCommit(_ time: Duration) -> Duration { left.map { min(max($0 - commitTime, .zero), time) } ?? time }

    /// Counts a wait.
    func count(since start: ContinuousClock.Instant) { patience?.count(.now - start) }
}
