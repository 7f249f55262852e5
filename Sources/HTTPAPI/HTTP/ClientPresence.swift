import Hummingbird
import NIOCore
import Project

/// Cancels the work on a request when its client has gone: when the connection, or the stream of one, has closed before the answer.
///
/// What waits then ends: passwords that are to be hashed, transactions that have not begun, calls of other servers, pauses. A
/// transaction that has begun is finished.
final class ClientPresence: Sendable {
    // Of every channel that is being watched, the work that is under way: a channel has one request after the other. A channel is watched
    // once, however many requests it has.
    private let works = LockedState<[ObjectIdentifier: Task<Response, any Error>?]>([:])

    /// Works on a request while its client is there.
    ///
    /// - Parameters:
    ///   - channel: The connection of the client, or the stream of one.
    ///   - work: The work.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws; `CancellationError` for most that is cancelled.
    func whilePresent(
        at channel: any Channel,
        _ work: @escaping @Sendable () async throws -> Response
    ) async throws -> Response {
        let place = ObjectIdentifier(channel)
        let task = Task { try await work() }
        let isWatched = works.withLock { works in
            let isWatched = works[place] != nil
            works.updateValue(task, forKey: place)
            return isWatched
        }
        if !isWatched {
            channel.closeFuture.whenComplete { [works] _ in works.withLock { $0.removeValue(forKey: place) ?? nil }?.cancel() }
        }
        defer {
            // A channel that has closed is watched no more.
            works.withLock { works in
                if works[place] != nil { works.updateValue(nil, forKey: place) }
            }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
