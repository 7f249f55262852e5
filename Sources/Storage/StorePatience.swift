import Project

/// For how long the store keeps one call waiting, over all of its transactions.
///
/// A store that is cut off costs a call more than one wait: for a free connection, for a host that is gone, for an answer that never
/// comes, and all of that again in the next transaction. Each wait has a bound of its own. Here they are added up, so that the whole
/// call has one, too (`Docs/PostgreSQL.md`, "How long a request may wait").
///
/// Short waits cost nothing, so that a call with many statements may take its time on a server that answers.
package final class StorePatience: Sendable {
    @TaskLocal static var current: StorePatience?

    /// What a wait may take at no cost.
    static let free = Duration.milliseconds(100)

    /// How long the call may wait, if that is shorter than the store allows.
    let limit: Duration?
    private let counted = LockedState(Duration.zero)

    init(limit: Duration? = nil) { self.limit = limit }

    /// Runs a call, whose transactions share one patience.
    package static func ofOneCall<Value>(
        within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await $current.withValue(StorePatience(limit: limit), operation: body)
    }

    /// Tidies up after a call that the store has refused, and whose patience may have ended. It gets a little more.
    package static func ofCleanUp<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await ofOneCall(within: .milliseconds(750), body)
    }

    /// Runs work of many transactions, which have no patience in common. Each is bounded by itself.
    package static func ofEachTransaction<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await $current.withValue(nil, operation: body)
    }

    /// Waits for a transaction that another call has begun, and counts that.
    package static func counting<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let start = ContinuousClock.now
        defer { current?.count(.now - start) }
        return try await body()
    }

    /// What has been counted so far.
    var spent: Duration { counted.withLock { $0 } }

    /// Counts a wait.
    func count(_ wait: Duration) {
        guard wait > Self.free else { return }
        counted.withLock { $0 += wait - Self.free }
    }

    /// Counts at least so much in all.
    func count(atLeast total: Duration) { counted.withLock { $0 = max($0, total) } }
}
