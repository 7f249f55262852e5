import Accounts
import HTTPTypes
import Hummingbird
import Logging
import Project
import Tracing

/// Renders every error of a route, and of unknown paths, as Firebase's envelope; hidden causes are logged.
struct ErrorRendering: RouterMiddleware {
    typealias Context = PosternContext

    /// Counts refusals.
    let environment: ServerEnvironment

    func handle(
        _ request: Request,
        context: PosternContext,
        next: (Request, PosternContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            // A client that has gone gets no answer. The hidden cause of a real failure is logged all the same.
            if Task.isCancelled {
                if !(error is CancellationError) { Self.log(ErrorEnvelope.render(error), context) }
                throw CancellationError()
            }
            return try response(to: error, context)
        }
    }

    /// Makes the answer to an error.
    func response(to error: any Error, _ context: PosternContext) throws -> Response {
        let rendered = ErrorEnvelope.render(error)
        let code = Self.code(of: error, rendered)
        environment.count("postern_refusals_total", [("code", code)])
        if let limit = (error as? APIError)?.limit { environment.count("postern_throttle_hits_total", [("limit", limit)]) }
        RecordedRequest.current?.span.attributes["postern.error.code"] = SpanAttribute.string(code)
        Self.log(rendered, context)
        return try JSONAnswer.response(rendered.envelope, status: rendered.status, headers: rendered.headers)
    }

    /// Logs the cause that an answer hides.
    static func log(_ rendered: ErrorEnvelope.Rendered, _ context: PosternContext) {
        if let cause = rendered.hiddenCause {
            let isLogged = (cause as? any LoggedAtSource)?.isLoggedAtSource == true
            let level: Logger.Level = isLogged ? .debug : rendered.status.kind == .serverError ? .error : .info
            context.logger.log(level: level, "request failed", metadata: ["cause": "\(cause)"])
        }
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
