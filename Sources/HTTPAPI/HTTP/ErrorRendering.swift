import HTTPTypes
import Hummingbird
import Logging
import Project

/// Turns every error of a route, and of a path that is none, into Firebase's envelope; what must not be shown goes to the log.
struct ErrorRendering: RouterMiddleware {
    typealias Context = PosternContext

    /// Where refusals are counted.
    let environment: ServerEnvironment

    func handle(
        _ request: Request,
        context: PosternContext,
        next: (Request, PosternContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            // The client has gone: the error is that of work which was broken off, and there is nobody to tell it.
            try Task.checkCancellation()
            return try response(to: error, context)
        }
    }

    /// The answer to an error.
    func response(to error: any Error, _ context: PosternContext) throws -> Response {
        let rendered = ErrorEnvelope.render(error)
        environment.count("postern_refusals_total", [("code", Self.code(of: error, rendered))])
        Self.log(rendered, context)
        return try JSONAnswer.response(rendered.envelope, status: rendered.status, headers: rendered.headers)
    }

    /// Logs what an answer does not show.
    static func log(_ rendered: ErrorEnvelope.Rendered, _ context: PosternContext) {
        if let cause = rendered.hiddenCause {
            let level: Logger.Level = rendered.status.kind == .serverError ? .error : .info
            context.logger.log(level: level, "request failed", metadata: ["cause": "\(cause)"])
        }
    }

    // Always one of our own words, whatever the client sent.
    private static func code(of error: any Error, _ rendered: ErrorEnvelope.Rendered) -> String {
        switch error {
        case let error as APIError: error.code.rawValue
        case let error as TransportError: error.reason
        default: String(rendered.status.code)
        }
    }
}
