import HTTPTypes
import Hummingbird
import Project

/// What is said of a method at some paths, once somebody asks.
struct RouteDescription: Sendable {
    let method: HTTPRequest.Method
    let paths: [String]
    let operation: @Sendable () -> Operation
}

/// The only table of routes: every endpoint under every spelling of its path, and 405 for other methods of a known path.
struct RouteTable {
    typealias Handler = @Sendable (Request, PosternContext) async throws -> Response

    private var handlers: [String: [HTTPRequest.Method: Handler]] = [:]
    /// What makes the descriptions of the routes.
    private(set) var descriptions: [RouteDescription] = []
    private let runner: EndpointRunner
    private let legacyTakesAnyMethod: Bool

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .trace]
    // The methods that the emulator's aliases accept (`Docs/Contract/emulator-endpoints.md` §8.3). HEAD requests change
    // nothing, so HEAD is not one of them.
    private static let changing: Set<HTTPRequest.Method> = [.get, .post, .put, .patch, .delete]

    /// - Parameter legacyTakesAnyMethod: Whether the v3 aliases accept any method, as the emulator's do.
    init(runner: EndpointRunner, legacyTakesAnyMethod: Bool = false) {
        self.runner = runner
        self.legacyTakesAnyMethod = legacyTakesAnyMethod
    }

    /// Adds an endpoint under every spelling of its path.
    mutating func add<E: Endpoint>(_ endpoint: E) {
        let runner = runner
        describe(E.route.method, E.route.paths) { Operation(E.self) }
        for path in E.route.paths {
            handle(E.route.method, path) { try await runner.serve(endpoint, $0, $1) }
        }
    }

    /// Adds a method of the administration API under every spelling of its path.
    mutating func add(_ endpoint: some AdminEndpoint) {
        let runner = runner
        describe(endpoint.route.method, endpoint.route.paths) { Operation(endpoint) }
        for path in endpoint.route.paths {
            handle(endpoint.route.method, path) { try await runner.serve(endpoint, $0, $1) }
        }
    }

    mutating func add(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ operation: Operation,
        _ handler: @escaping Handler
    ) {
        describe(method, [path]) { operation }
        handle(method, path, handler)
    }

    private mutating func handle(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        handlers[path, default: [:]][method] = handler
        if method == .get { handlers[path, default: [:]][.head] = handler }
    }

    /// Describes the operation at paths.
    mutating func describe(
        _ method: HTTPRequest.Method,
        _ paths: [String],
        _ operation: @escaping @Sendable () -> Operation
    ) {
        descriptions.append(RouteDescription(method: method, paths: paths, operation: operation))
    }

    /// Every method and path, sorted, for the tests' golden list.
    var listing: [String] {
        handlers.flatMap { path, methods in methods.keys.map { "\($0.rawValue) \(path)" } }.sorted()
    }

    func routes(errors: ErrorRendering) -> Routes {
        var all: [String: [HTTPRequest.Method: Handler]] = [:]
        for (path, known) in handlers {
            let allowed = known.keys.map(\.rawValue).sorted().joined(separator: ", ")
            let fallback = legacyTakesAnyMethod && Route.isLegacy(path) ? known[.post] ?? known[.get] : nil
            let refused: Handler = { _, _ in throw TransportError.methodNotAllowed(allowed: allowed) }
            for method in Self.methods {
                all[path, default: [:]][method] =
                    known[method] ?? (Self.changing.contains(method) ? fallback : nil) ?? refused
            }
            if known[.post] == nil, fallback == nil, let patch = known[.patch] {
                all[path]?[.post] = Self.tunnelled(patch, or: refused)
            }
        }
        return Routes(all, errors: errors)
    }

    /// The Admin SDK for Java cannot send PATCH by the JDK's own client. It sends POST and names the method in
    /// `X-HTTP-Method-Override`, which Google's servers honour.
    private static func tunnelled(_ patch: @escaping Handler, or refused: @escaping Handler) -> Handler {
        { request, context in
            guard request.headers[.methodOverride].map({ bytesEqual($0, "PATCH") }) == true else {
                return try await refused(request, context)
            }
            var head = request.head
            head.method = .patch
            return try await patch(Request(head: head, body: request.body), context)
        }
    }
}
