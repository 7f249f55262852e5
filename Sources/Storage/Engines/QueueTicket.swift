/// A job's place in a queue, by which the job can be taken back.
final class QueueTicket: Sendable {
    private init() {}

    /// Waits for a job that stands in a queue. A task that is cancelled meanwhile takes its job back, if that has not begun.
    ///
    /// What a task asks for after it was cancelled is done all the same: it tidies up what it had begun.
    ///
    /// - Parameters:
    ///   - enqueue: Puts the job into the queue.
    ///   - takeBack: Takes it out and lets its continuation throw `CancellationError`; does nothing once the job has begun.
    /// - Returns: What the job returned.
    /// - Throws: What the job threw; `CancellationError`.
    static func waiting<T: Sendable>(
        _ enqueue: (QueueTicket, CheckedContinuation<T, any Error>) -> Void,
        takeBack: @Sendable (QueueTicket) -> Void
    ) async throws -> T {
        let ticket = QueueTicket()
        let tidiesUp = Task.isCancelled
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(ticket, continuation)
                // A task that was cancelled before the job stood in the queue has found nothing there.
                if !tidiesUp, Task.isCancelled { takeBack(ticket) }
            }
        } onCancel: {
            if !tidiesUp { takeBack(ticket) }
        }
    }
}
