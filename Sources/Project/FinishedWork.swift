/// Work that is finished though the client who waits for it has hung up, because a part of it cannot be done twice. Its caller waits for
/// it all the same, so that it has an owner when the server stops.
package enum FinishedWork {
    @TaskLocal private static var hangUp: LockedState<Bool>?

    /// Whether nobody waits for the result of the running work any more.
    package static var isAbandoned: Bool { Task.isCancelled || hangUp?.withLock { $0 } ?? false }

    /// Does work to its end, in a task of its own.
    ///
    /// - Returns: What it returns, also where the caller's task has been cancelled meanwhile.
    package static func run<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
        let flag = LockedState(Task.isCancelled)
        return try await withTaskCancellationHandler {
            try await $hangUp.withValue(flag) { try await Task { try await work() }.value }
        } onCancel: {
            flag.withLock { $0 = true }
        }
    }
}
