import Accounts
import HTTPTypes
import Hummingbird
import Logging
import Project
import Tracing

/// Renders every error of a route, and of unknown paths, as Firebase's envelope. Refusals are counted and recorded in the audit trail,
/// and hidden causes are logged.
struct ErrorRendering: RouterMiddleware {
    typealias Context = PosternContext

    /// Counts refusals.
    let environment: ServerEnvironment
    let refusals: RefusalAudit
    /// The scope of refusals before a call's own scope is known.
    let project: Scope

    func handle(
        _ request: Request,
        context: PosternContext,
        next: (Request, PosternContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return try Self.answer(to: error) { try response(to: error, context) }
        }
    }

    /// Makes the answer to an error where the client is still there, in whatever form: of a route and of every page.
    ///
    /// - Parameter render: Notes the error and makes the answer. It is called for a client that has gone, too, since a refusal is
    ///   recorded all the same.
    /// - Throws: `CancellationError` when the client has gone. Work that was cancelled for that has not failed, and is noted nowhere.
    static func answer<Answer>(to error: any Error, _ render: () throws -> Answer) throws -> Answer {
        if Task.isCancelled, error is CancellationError { throw error }
        let answer = try render()
        try Task.checkCancellation()
        return answer
    }

    /// Makes the answer to an error.
    func response(to error: any Error, _ context: PosternContext) throws -> Response {
        let rendered = note(error, context)
        return try JSONAnswer.response(rendered.envelope, status: rendered.status, headers: rendered.headers)
    }

    /// Counts an error, notes it for the request's line in the log, and records a refusal.
    @discardableResult
    func note(_ error: any Error, _ context: PosternContext) -> ErrorEnvelope.Rendered {
        let rendered = ErrorEnvelope.render(error)
        let code = Self.code(of: error, rendered)
        environment.count("postern_refusals_total", [("code", code)])
        if let limit = (error as? APIError)?.limit { environment.count("postern_throttle_hits_total", [("limit", limit)]) }
        RecordedRequest.current?.span.attributes["postern.error.code"] = SpanAttribute.string(code)
        context.facts.note(code: code, cause: rendered.hiddenCause?.plainText, status: rendered.status.code)
        switch error {
        // A server with too much to do refuses nobody in particular.
        case let error as APIError where !error.isOverload:
            refusals.record(RefusedCall(error, subject: context.facts.subject, context: call(context)))
        case let error as TransportError where error.isAboutCredentials:
            refusals.record(RefusedCall(error.reason, subject: context.facts.subject, context: call(context)))
        default: break
        }
        return rendered
    }

    /// Counts, notes and records a refusal that is answered in a form of its own.
    ///
    /// - Parameter code: The code that the client is told, one of a fixed set.
    func note(code: String, _ context: PosternContext) {
        environment.count("postern_refusals_total", [("code", code)])
        context.facts.note(code: code, cause: nil, status: nil)
        refusals.record(RefusedCall(code, subject: nil, context: call(context)))
    }

    private func call(_ context: PosternContext) -> CallContext {
        context.facts.call ?? CallContext(scope: project, address: context.facts.address, requestID: context.requestID)
    }

    // The value is always one of a fixed set, so clients cannot create new metrics.
    private static func code(of error: any Error, _ rendered: ErrorEnvelope.Rendered) -> String {
        switch error {
        case let error as APIError: error.code.rawValue
        case let error as TransportError: error.reason
        case let error as NotImplemented: TransportError(error).reason
        default: String(rendered.status.code)
        }
    }
}

extension TransportError {
    /// Whether the caller's key, token or rights were refused.
    fileprivate var isAboutCredentials: Bool {
        status == .unauthorized || status == .forbidden || reason == Self.unknownKey.reason
    }
}
