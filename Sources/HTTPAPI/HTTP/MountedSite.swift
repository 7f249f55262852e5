package import Hummingbird

/// Pages of a module above this one, behind the same front door: host, request id, log, metrics and guards are the listener's.
/// Answers get no CORS headers, so that no other origin reads them.
package protocol MountedSite: Sendable {
    /// Whether a request is for these pages, by its path.
    func takes(_ request: Request) -> Bool

    /// Answers a request.
    ///
    /// - Throws: `CancellationError` when the client has gone, and errors of the connection. Everything else is an answer.
    func respond(to request: Request, _ caller: MountedSiteCaller) async throws -> (Response, template: String?)
}

/// Who sends a request to a ``MountedSite``.
package struct MountedSiteCaller: Sendable {
    /// The client's address behind proxies.
    package let address: String?
    /// The id of the request in log and audit trail.
    package let requestID: String
    package let userAgent: String?

    private let errors: ErrorRendering
    private let context: PosternContext

    init(_ request: Request, _ context: PosternContext, _ errors: ErrorRendering) {
        self.errors = errors
        self.context = context
        address = context.facts.address
        requestID = context.requestID
        userAgent = request.headers[.userAgent]
    }

    /// Notes a failure of the server, so that the line of the request has its cause, as that of a call of the API does.
    package func note(_ failure: any Error) { errors.note(failure, context) }
}
