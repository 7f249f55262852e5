import HTTPTypes
import Hummingbird
import Project

/// The routes of a listener. Most paths have no parameters and are found whole; Hummingbird's router reads all other paths part by
/// part, which costs about as much as reading a request's body.
struct Routes: Sendable {
    private let literal: [MemberName: [HTTPRequest.Method: RouteTable.Handler]]
    private let errors: ErrorRendering
    private let router: RouterResponder<PosternContext>

    init(_ handlers: [String: [HTTPRequest.Method: RouteTable.Handler]], errors: ErrorRendering) {
        let router = Router(context: PosternContext.self)
        router.add(middleware: errors)
        var literal: [MemberName: [HTTPRequest.Method: RouteTable.Handler]] = [:]
        for (path, methods) in handlers {
            let template = RouterPath(path)
            for (method, handler) in methods { router.on(template, method: method, use: handler) }
            if Self.isLiteral(path) { literal[MemberName(path)] = methods }
        }
        self.literal = literal
        self.errors = errors
        self.router = router.buildResponder()
    }

    /// Answers a request.
    ///
    /// - Throws: `CancellationError` when the client has gone.
    func respond(to request: Request, _ context: PosternContext) async throws -> (response: Response, template: String?) {
        let path = MemberName(Self.path(of: request))
        guard let handler = literal[path]?[request.method] else {
            let response = try await router.respond(to: request, context: context)
            return (response, context.endpointPath)
        }
        return (try await errors.handle(request, context: context, next: handler), path.text)
    }

    private static func path(of request: Request) -> String {
        let target = request.head.path ?? ""
        let (path, _) = FormEncoding.cut(target[...].utf8, at: UInt8(ascii: "?"))
        return String(Substring(path))
    }

    // The router's own signs for parameters, wildcards and captures.
    private static func isLiteral(_ path: String) -> Bool {
        !path.utf8.contains(UInt8(ascii: "{")) && !path.utf8.contains(UInt8(ascii: "*")) && !path.contains("/:")
    }
}
