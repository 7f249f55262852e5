package import Tracing

/// A part of a request's work that has a span of its own where the request is recorded.
package enum TracedOperation: String, Sendable, CaseIterable {
    /// Reading the body, and checking its shape.
    case decode = "request.decode"
    /// Verifying what an identity provider said.
    case verifyCredential = "credential.verify"
    /// Fetching an identity provider's keys.
    case fetchKeys = "keys.fetch"
    /// Hashing a password, with the wait for a thread.
    case hash = "password.hash"
    /// Signing a token.
    case sign = "token.sign"
    /// Asking a blocking function.
    case hook = "hook.ask"
    /// Handing over a message that waited: a trace of its own, as no request waits for it.
    case deliver = "outbox.deliver"

    /// Runs the work of this operation. Where nothing is recorded, it costs one look at the task.
    ///
    /// - Parameter attributes: Values come from fixed sets or from the configuration, never from a client.
    package func trace<T>(
        _ attributes: @autoclosure () -> [String: String] = [:],
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> T
    ) async rethrows -> T {
        guard var context = ServiceContext.current, let request = context.recordedRequest else { return try await work() }
        let span = begin(attributes(), of: request, in: context)
        defer { span.end() }
        context = span.context
        do {
            return try await ServiceContext.withValue(context, operation: work)
        } catch {
            span.fail(error)
            throw error
        }
    }

    /// As ``trace(_:isolation:_:)``, for work that does not wait.
    package func trace<T>(_ work: () throws -> T) rethrows -> T {
        guard let context = ServiceContext.current, let request = context.recordedRequest else { return try work() }
        let span = begin([:], of: request, in: context)
        defer { span.end() }
        do {
            return try work()
        } catch {
            span.fail(error)
            throw error
        }
    }

    /// Runs work that belongs to no request, in a trace of its own where the tracer records it.
    package func traceAlone<T>(
        by tracing: RequestTracing?,
        isolation: isolated (any Actor)? = #isolation,
        _ work: ((any Span)?) async -> T
    ) async -> T {
        guard let tracer = tracing?.tracer else { return await work(nil) }
        let span = tracer.startSpan(rawValue, context: .topLevel, ofKind: .consumer)
        guard span.isRecording else { return await work(nil) }
        defer { span.end() }
        var context = span.context
        context.recordedRequest = RecordedRequest(tracer: tracer, span: span)
        return await ServiceContext.withValue(context) { await work(span) }
    }

    private func begin(_ attributes: [String: String], of request: RecordedRequest, in context: ServiceContext) -> any Span {
        let span = request.tracer.startSpan(rawValue, context: context)
        for (name, value) in attributes { span.attributes[name] = SpanAttribute.string(value) }
        return span
    }
}
