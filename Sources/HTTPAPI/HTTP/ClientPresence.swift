import Hummingbird
import NIOCore

/// Cancels the work on a request of HTTP/2 when its client has gone: when its stream has closed before the answer. Of HTTP/1.1 the
/// listener does so for the whole connection.
///
/// What waits then ends: passwords that are to be hashed, transactions that have not begun, calls of other servers, pauses. A
/// transaction that has begun is finished.
enum ClientPresence {
    /// Works on a request while its client is there.
    ///
    /// - Parameter stream: The channel of the request, which has no other.
    /// - Throws: What the work throws; `CancellationError` for most that is cancelled.
    static func whilePresent<Answer: Sendable>(
        at stream: any Channel,
        _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let task = Task { try await work() }
        stream.closeFuture.whenComplete { _ in task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
