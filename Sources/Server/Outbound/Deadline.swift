import Project

/// Runs work with a deadline. The work must respond to cancellation.
///
/// - Throws: `OutboundError.timedOut` at the deadline.
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
