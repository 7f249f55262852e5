import Project

/// Runs work that heeds cancellation, until a deadline.
///
/// - Parameters:
///   - timeout: How long it may take.
///   - work: The work.
/// - Returns: What the work returns.
/// - Throws: `OutboundError.timedOut` at the deadline; what the work throws.
func withDeadline<T: Sendable>(_ timeout: Duration, _ work: @escaping @Sendable () async throws -> T) async throws -> T {
    try await withThrowingTaskGroup { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: timeout)
            throw OutboundError.timedOut
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw OutboundError.timedOut }
        return result
    }
}
