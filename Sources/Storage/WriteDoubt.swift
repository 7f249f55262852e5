import Project

/// Remembers that a write failed, until a probe has shown that the store accepts writes (threat case OPS-02).
///
/// Reads still succeed while a disk is full, a file is read-only or another process holds its lock. A check that only reads would
/// report such a store as healthy.
struct WriteDoubt: Sendable {
    /// What a failed write puts in doubt.
    enum Kind {
        /// Whether the store accepts a write at all.
        case turn
        /// Whether it also has space for one.
        case space

        init(_ failure: StorageError) {
            switch failure {
            case .busy, .readOnly: self = .turn
            // A full disk is not always reported as such. It may also break connections or exceed a quota.
            default: self = .space
            }
        }
    }

    private struct State {
        /// How many writes have failed since the store was last known to be good.
        var failures = 0
        var isProbing = false
        var isSpaceInDoubt = false
        /// Why the last probe failed.
        var reason: StorageError?

        var kind: Kind { isSpaceInDoubt ? .space : .turn }
    }

    private let state = LockedState(State())
    private let probes = OwnedTasks()

    // A health check must answer soon, but a probe may wait much longer for a lock.
    private static let patience = Duration.seconds(1)
    private static let pause = Duration.milliseconds(20)

    /// Runs a write, and records a failure that is not due to its content.
    func watching<T: Sendable>(_ write: () async throws -> T) async throws -> T {
        do {
            return try await write()
        } catch let error as StorageError {
            switch error {
            case .uniqueViolation, .foreignKeyViolation, .decoding, .closed: break
            default:
                state.withLock { state in
                    state.failures += 1
                    if Kind(error) == .space { state.isSpaceInDoubt = true }
                }
            }
            throw error
        }
    }

    /// After a failed write, runs a probe that writes. One probe runs at a time and answers all callers that wait. The store
    /// stays in doubt until a probe has been committed.
    ///
    /// - Parameter probe: Writes the proof that the doubt is over, and waits for the commit.
    /// - Throws: ``StorageError/busy`` when the probe fails or takes longer than a second.
    func settle(_ probe: @escaping @Sendable (Kind) async throws -> Void) async throws {
        let (isGood, starts) = state.withLock { state in
            let starts = state.failures > 0 && !state.isProbing
            if starts { state.isProbing = true }
            return (state.failures == 0, starts)
        }
        if isGood { return }
        if starts { probes.begin { await StorePatience.ofEachTransaction { await run(probe) } } }
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            try await Task.sleep(for: Self.pause)
            let now = state.withLock { $0 }
            if now.failures == 0 { return }
            if !now.isProbing { throw now.reason ?? .busy }
        }
        throw StorageError.busy
    }

    /// Ends the probe that runs, and waits for it. The store is closed afterwards.
    func end() async { await probes.end() }

    private func run(_ probe: @Sendable (Kind) async throws -> Void) async {
        let seen = state.withLock { $0 }
        var failure: (any Error)?
        do { try await probe(seen.kind) } catch { failure = error }
        state.withLock { [failure] state in
            state.isProbing = false
            state.reason = failure as? StorageError
            // What failed meanwhile may have failed after the probe.
            guard failure == nil, state.failures == seen.failures else { return }
            state = State()
        }
    }
}
