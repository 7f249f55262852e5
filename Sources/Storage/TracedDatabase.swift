import Project
import Tracing

/// A store whose transactions have spans where their request is recorded: one for the transaction, in it one for the wait for a
/// connection and, of a write, one for the commit.
package struct TracedDatabase: Database {
    private let base: any Database

    package init(_ base: any Database) { self.base = base }

    package func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        guard let request = RecordedRequest.current else { return try await base.read(body) }
        return try await trace("database.read", hasCommit: false, of: request, body) { try await base.read($0) }
    }

    package func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        guard let request = RecordedRequest.current else { return try await base.write(body) }
        return try await trace("database.write", hasCommit: true, of: request, body) { try await base.write($0) }
    }

    package var waitingCount: Int { base.waitingCount }

    package var pools: [StorePool] { base.pools }

    package func replication() async throws -> Replication? { try await base.replication() }

    package func ping() async throws { try await base.ping() }

    package func close() async throws { try await base.close() }

    /// When the body ran, of several times the last.
    private struct Course: Sendable {
        var began: DefaultTracerClock.Timestamp?
        var ended: DefaultTracerClock.Timestamp?
        var runs = 0
    }

    private func trace<T: Sendable>(
        _ name: String,
        hasCommit: Bool,
        of request: RecordedRequest,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        _ run: (@escaping @Sendable (Transaction) throws -> T) async throws -> T
    ) async throws -> T {
        let asked = DefaultTracerClock.now
        let span = request.tracer.startSpan(name, at: asked)
        defer { span.end() }
        let course = LockedState(Course())
        do {
            let result = try await run { transaction in
                course.withLock { course in
                    course.began = course.began ?? DefaultTracerClock.now
                    course.runs += 1
                }
                defer { course.withLock { $0.ended = DefaultTracerClock.now } }
                return try body(transaction)
            }
            close(span, course.withLock { $0 }, asked: asked, hasCommit: hasCommit, of: request)
            return result
        } catch {
            close(span, course.withLock { $0 }, asked: asked, hasCommit: false, of: request)
            // A body that refuses has rolled back as it meant to; the store has not failed.
            if error is StorageError || error is CancellationError {
                span.fail(error)
            } else {
                span.attributes["postern.database.rolled_back"] = SpanAttribute.bool(true)
            }
            throw error
        }
    }

    private func close(
        _ span: any Span,
        _ course: Course,
        asked: DefaultTracerClock.Timestamp,
        hasCommit: Bool,
        of request: RecordedRequest
    ) {
        let end = DefaultTracerClock.now
        span.attributes["postern.database.runs"] = course.runs
        if let began = course.began { add("database.wait", from: asked, to: began, in: span, of: request) }
        if hasCommit, let ended = course.ended { add("database.commit", from: ended, to: end, in: span, of: request) }
    }

    private func add(
        _ name: String,
        from start: DefaultTracerClock.Timestamp,
        to end: DefaultTracerClock.Timestamp,
        in span: any Span,
        of request: RecordedRequest
    ) {
        request.tracer.startSpan(name, context: span.context, at: start).end(at: end)
    }
}
