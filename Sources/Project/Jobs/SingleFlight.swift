/// Work that several callers want at once, done once for each key: those who come while it goes on wait for its result.
///
/// No caller's cancellation ends the work, because others may wait for it. There are never more keys than callers that have begun work.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Flight {
        let number: Int
        let begunAt: Timestamp
        let task: Task<Result<Value, any Error>, Never>
    }

    private struct State {
        var begun = 0
        var flights: [Key: Flight] = [:]
    }

    private let environment: ServerEnvironment
    private let shareable: Duration?
    private let state = LockedState(State())

    /// - Parameter shareable: How old work may be for others to join it; `nil` for work that is joined until it ends.
    package init(environment: ServerEnvironment, shareable: Duration? = nil) {
        self.environment = environment
        self.shareable = shareable
    }

    /// Whether work of a key goes on that others would join.
    package func isUnderWay(_ key: Key) -> Bool { state.withLock { $0.flights[key] != nil } }

    /// The result of the work that goes on for a key, or else of this work. It begins before the caller's actor does anything else.
    package func value(
        of key: Key,
        isolation: isolated (any Actor)? = #isolation,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let now = environment.now()
        let task = state.withLock { state in
            if let flight = state.flights[key],
                shareable.map({ now < flight.begunAt.advanced(by: $0) && now >= flight.begunAt }) ?? true
            {
                return flight.task
            }
            state.begun += 1
            let number = state.begun
            let task = environment.tasks.begin { () -> Result<Value, any Error> in
                defer { self.state.withLock { if $0.flights[key]?.number == number { $0.flights[key] = nil } } }
                do { return .success(try await work()) } catch { return .failure(error) }
            }
            state.flights[key] = Flight(number: number, begunAt: now, task: task)
            return task
        }
        return try await task.value.get()
    }

    /// From now on callers begin anew. Those who wait get the result of the older work.
    package func forgetAll() { state.withLock { $0.flights.removeAll() } }
}
