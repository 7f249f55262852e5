import HTTPTypes
import Hummingbird
import Project

/// The only table of routes: every endpoint under every spelling of its path, and 405 for other methods of a known path.
struct RouteTable {
    typealias Handler = @Sendable (Request, PosternContext) async throws -> Response

    private var handlers: [String: [HTTPRequest.Method: Handler]] = [:]
    /// The descriptions of the routes, by path and method.
    private(set) var operations: [String: [HTTPRequest.Method: Operation]] = [:]
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
        let operation = Operation(E.self)
        for path in E.route.paths {
            add(E.route.method, path, operation) { try await runner.run(endpoint, $0, $1) }
        }
    }

    /// Adds a method of the administration API under every spelling of its path.
    mutating func add(_ endpoint: some AdminEndpoint) {
        let runner = runner
        let operation = Operation(endpoint)
        for path in endpoint.route.paths {
            add(endpoint.route.method, path, operation) { try await runner.run(endpoint, $0, $1) }
        }
    }

    mutating func add(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ operation: Operation,
        _ handler: @escaping Handler
    ) {
        describe(method, path, operation)
        handlers[path, default: [:]][method] = handler
        if method == .get { handlers[path, default: [:]][.head] = handler }
    }

    mutating func describe(_ method: HTTPRequest.Method, _ path: String, _ operation: Operation) {
        operations[path, default: [:]][method] = operation
        if method == .get { operations[path, default: [:]][.head] = operation }
    }

    /// Every method and path, sorted, for the tests' golden list.
    var listing: [String] {
        handlers.flatMap { path, methods in methods.keys.map { "\($0.rawValue) \(path)" } }.sorted()
    }

    func routes(errors: ErrorRendering) -> Routes {
        var all: [String: [HTTPRequest.Method: Handler]] = [:]
        for (path, known) in handlers {
            let allowed = known.keys.map(\.rawValue).sorted().joined(separator: ", ")
            let standIn = legacyTakesAnyMethod && Route.isLegacy(path) ? known[.post] ?? known[.get] : nil
            let refused: Handler = { _, _ in throw TransportError.methodNotAllowed(allowed: allowed) }
            for method in Self.methods {
                all[path, default: [:]][method] =
                    known[method] ?? (Self.changing.contains(method) ? standIn : nil) ?? refused
            }
            if known[.post] == nil, standIn == nil, let patch = known[.patch] {
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
