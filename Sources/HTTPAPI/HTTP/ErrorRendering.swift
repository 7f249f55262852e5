import HTTPTypes
import Hummingbird
import Logging

/// Turns every error of a route, and of a path that is none, into Firebase's envelope; what must not be shown goes to the log.
struct ErrorRendering: RouterMiddleware {
    typealias Context = PosternContext

    func handle(
        _ request: Request,
        context: PosternContext,
        next: (Request, PosternContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return try Self.response(to: error, context)
        }
    }

    /// The answer to an error.
    static func response(to error: any Error, _ context: PosternContext) throws -> Response {
        let rendered = ErrorEnvelope.render(error)
        log(rendered, context)
        return try JSONAnswer.response(rendered.envelope, status: rendered.status, headers: rendered.headers)
    }

    /// Logs what an answer does not show.
    static func log(_ rendered: ErrorEnvelope.Rendered, _ context: PosternContext) {
        if let cause = rendered.hiddenCause {
            let level: Logger.Level = rendered.status.kind == .serverError ? .error : .info
            context.logger.log(level: level, "request failed", metadata: ["cause": "\(cause)"])
        }
    }
}
