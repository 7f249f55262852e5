import Project

/// Finished spans or log records that wait to be sent. What does not fit is dropped, so that a collector that is gone costs neither
/// memory nor time.
final class ExportQueue<Entry: Sendable>: Sendable {
    private let waiting = LockedState<[Entry]>([])
    private let size: Int
    private let batch: Int
    private let dropped: @Sendable (Int) -> Void
    /// Rung when a batch is full.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(size: Int, batch: Int, dropped: @escaping @Sendable (Int) -> Void) {
        self.size = size
        self.batch = batch
        self.dropped = dropped
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds an entry, unless too many wait.
    func offer(_ entry: Entry) {
        let count = waiting.withLock { waiting -> Int? in
            guard waiting.count < size else { return nil }
            waiting.append(entry)
            return waiting.count
        }
        guard let count else { return dropped(1) }
        if count.isMultiple(of: batch) { wake() }
    }

    /// Rings ``signals``.
    func wake() { signal.yield() }

    /// Takes the oldest entries, one batch at most.
    func take() -> [Entry] {
        waiting.withLock { waiting in
            let taken = Array(waiting.prefix(batch))
            waiting.removeFirst(taken.count)
            return taken
        }
    }

    /// Says that entries which were taken did not arrive.
    func lose(_ count: Int) { dropped(count) }
}
