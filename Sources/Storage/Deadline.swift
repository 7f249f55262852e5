import Project
package import Tracing

/// The time that the store may keep one call waiting, over all of its transactions (`Docs/PostgreSQL.md`, "How long a request may wait").
///
/// Its clock runs only while the call waits for the store, so that providers, functions and hashing take nothing of it. Short waits are not
/// counted, so that a call of many transactions may take its time on a server that answers. It goes with the trace of the call in the
/// task's `ServiceContext`.
package final class Deadline: Sendable {
    /// When a wait ends that has begun.
    struct Ends: Sendable, Equatable {
        /// When the call is refused.
        let last: ContinuousClock.Instant
        /// Until when a commit may begin. Later a server that works might answer too late, and nobody would know whether it was made.
        let lastCommit: ContinuousClock.Instant

        init(of limit: Duration, from start: ContinuousClock.Instant) {
            last = start + limit
            lastCommit = last - limit / 4
        }
    }

    private struct Course {
        var spent = Duration.zero
        /// A call may wait for several transactions at once.
        var waits = 0
        var runsSince = ContinuousClock.now
        /// When the latest transaction is refused.
        var last: ContinuousClock.Instant?
    }

    /// What a wait may take without being counted.
    private static let free = Duration.milliseconds(250)

    private let limit: Duration?
    private let course = LockedState(Course())

    /// - Parameter limit: The time, if that is shorter than the store allows.
    package init(limit: Duration? = nil) { self.limit = limit }

    /// The deadline of the call that this task works for; `nil` for work whose transactions have none in common.
    static var current: Deadline? { ServiceContext.current?.deadline }

    /// Begins a wait for the store, which ``pause()`` ends.
    ///
    /// - Parameter limit: What the store allows.
    func begin(limit: Duration) -> Ends {
        let ends = Ends(of: min(limit, self.limit ?? limit), from: begin())
        course.withLock { $0.last = ends.last }
        return ends
    }

    /// - Returns: When the clock would have begun if it had never stood still.
    @discardableResult
    private func begin() -> ContinuousClock.Instant {
        course.withLock { course in
            if course.waits == 0 { course.runsSince = .now }
            course.waits += 1
            return course.runsSince - course.spent
        }
    }

    /// Ends a wait.
    func pause() {
        course.withLock { course in
            course.waits -= 1
            guard course.waits == 0 else { return }
            let (now, wait) = (ContinuousClock.now, ContinuousClock.now - course.runsSince)
            // A wait in vain leaves nothing.
            let isOver = course.last.map { $0 <= now } ?? false
            course.spent += isOver ? wait : max(wait - Self.free, .zero)
        }
    }
}

extension Deadline {
    /// Runs a call whose transactions share one deadline.
    package static func ofOneCall<Value>(
        within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await with(Deadline(limit: limit), body)
    }

    /// Tidies up after a call that the store has refused, and whose time may be over. It gets a little more.
    package static func ofCleanUp<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await ofOneCall(within: .milliseconds(750), body)
    }

    /// Runs work of many transactions, which have no deadline in common. Each is bounded by the bounds of its own waits.
    package static func ofEachTransaction<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await with(nil, body)
    }

    /// Waits for a transaction that another call has begun, and which has a deadline of its own.
    package static func running<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let deadline = current
        deadline?.begin()
        defer { deadline?.pause() }
        return try await body()
    }

    private static func with<Value>(
        _ deadline: Deadline?,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        var context = ServiceContext.current ?? .topLevel
        context.deadline = deadline
        return try await ServiceContext.withValue(context, operation: body)
    }
}

extension ServiceContext {
    private enum DeadlineKey: ServiceContextKey {
        typealias Value = Deadline
    }

    /// The deadline of the call, for the store.
    package var deadline: Deadline? {
        get { self[DeadlineKey.self] }
        set { self[DeadlineKey.self] = newValue }
    }
}
