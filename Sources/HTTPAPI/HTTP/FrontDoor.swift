import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
import Project
import Storage
import Tracing

/// The outermost responder: path spelling, CORS, request id, access log. Errors of routes are rendered further inside
/// (``ErrorRendering``), so every response here is an answer of the contract.
package struct FrontDoor: HTTPResponder {
    package typealias Context = PosternContext

    let routes: Routes
    let mountedSite: (any MountedSite)?
    let clientAddress: ClientAddress
    let environment: ServerEnvironment
    let guardian: DevelopmentGuard?
    let privateGuard: PrivateListenerGuard?
    /// The value of `Postern-Mode`; `nil` leaves the header out.
    let modeName: String?
    let journal: ExchangeJournal?
    let errors: ErrorRendering
    let metrics: RequestMetrics
    private let hosts = KnownHosts()
    private let refusalLines = RefusalLines()

    @Sendable
    package func respond(to request: Request, context: PosternContext) async throws -> Response {
        var call = ServiceContext.topLevel
        call.deadline = Deadline()
        guard let tracing = environment.tracing else {
            return try await ServiceContext.withValue(call) { try await respond(to: request, context, span: nil) }
        }
        return try await tracing.trace(request, in: call, from: context.remoteAddress?.ipAddress) { span in
            try await respond(to: request, context, span: span)
        }
    }

    private func respond(to request: Request, _ context: PosternContext, span: (any Span)?) async throws -> Response {
        let started = environment.systemTime()
        metrics.begin()
        var context = context
        context.takeID(of: request)
        context.facts.address = clientAddress.resolve(request, context)
        var response: Response
        var template: String?
        do {
            let context = context
            let isKnownHost = hosts.contains(request.head.authority)
            let request = try HostHeader.settle(request, isHTTP2: context.isHTTP2, isKnown: isKnownHost)
            guard request.hasStreamSafeTarget else { throw TransportError.excessiveMarks }
            try privateGuard?.check(request)
            try guardian?.check(request, isKnownHost: isKnownHost)
            if !isKnownHost { hosts.insert(request.head.authority) }
            (response, template) =
                context.isHTTP2
                ? try await ClientPresence.whilePresent(at: context.channel) { try await followedAnswer(request, context) }
                : try await followedAnswer(request, context)
            if mountedSite?.takes(request) != true { CORS.apply(to: &response, for: request) }
        } catch let error as TransportError {
            // CORS headers are not added, so that the foreign page cannot read the refusal.
            response = try errors.response(to: error, context).matching(request.method)
        } catch {
            // A client that has gone gets no answer, and only what it was refused, or what failed, is told in a line.
            metrics.abandon()
            if context.facts.refusal.code != nil { log(request, nil, route: nil, milliseconds: elapsed(since: started), context) }
            throw error
        }
        response.headers[.requestID] = context.requestID
        if let modeName { response.headers[.posternMode] = modeName }
        let milliseconds = elapsed(since: started)
        metrics.end(
            request,
            route: template,
            status: response.status,
            milliseconds: milliseconds,
            isAdministrators: context.facts.call?.isPrivileged == true
        )
        span?.describe(request.method, route: template, status: response.status)
        log(request, response.status, route: template, milliseconds: milliseconds, context)
        return response
    }

    private func elapsed(since started: Timestamp) -> Int64 {
        environment.systemTime().milliseconds - started.milliseconds
    }

    // The one line of a request. It has no status where there is no answer.
    private func log(
        _ request: Request,
        _ status: HTTPResponse.Status?,
        route: String?,
        milliseconds: Int64,
        _ context: PosternContext
    ) {
        let refusal = context.facts.refusal
        let outcome = status ?? refusal.status.map { HTTPResponse.Status(code: $0) } ?? .badRequest
        let level = refusal.code == nil ? Self.level(of: outcome) : max(Self.level(of: outcome), .info)
        guard level >= context.logger.logLevel else { return }
        // Refusals cost strangers nothing. Errors of the server are all told.
        if level == .info {
            let (isTold, leftOut) = refusalLines.admit(at: environment.systemTime())
            if leftOut > 0 {
                context.logger.warning("lines of refused requests were left out", metadata: ["count": "\(leftOut)"])
            }
            guard isTold else { return }
        }
        var metadata: Logger.Metadata = [
            "method": "\(request.method.rawValue)",
            // The route's template is logged, because the path may hold invented text and the query may hold a key.
            "route": "\(route ?? "-")",
            "status": "\(status.map { "\($0.code)" } ?? "-")",
            "milliseconds": "\(milliseconds)",
        ]
        metadata["address"] = context.facts.address.map { "\($0)" }
        metadata["code"] = refusal.code.map { "\($0)" }
        metadata["cause"] = refusal.cause.map { "\($0)" }
        context.logger.log(level: level, "request", metadata: metadata)
    }

    // A use case may have to know whether its answer reaches the client.
    private func followedAnswer(
        _ request: Request,
        _ context: PosternContext
    ) async throws -> (Response, template: String?) {
        let facts = context.facts
        do {
            var (response, template) = try await answer(request, context)
            response = response.matching(request.method)
            guard facts.hasListener else { return (response, template) }
            if Task.isCancelled { await facts.end(isDelivered: false) }
            response.body = response.body.telling(context)
            return (response, template)
        } catch {
            await facts.end(isDelivered: false)
            throw error
        }
    }

    private func answer(_ request: Request, _ context: PosternContext) async throws -> (Response, template: String?) {
        if let mountedSite, mountedSite.takes(request) {
            return try await mountedSite.respond(to: request, MountedSiteCaller(request, context, errors))
        }
        if request.method == .options { return (Response(status: .noContent), nil) }
        return try await recorded(request, context)
    }

    // Monitors would push the requests of apps out of the journal.
    private static let probes: Set<String> = ["/healthz", "/readyz", "/metrics"]

    private func recorded(_ request: Request, _ context: PosternContext) async throws -> (Response, template: String?) {
        guard let journal, !Self.probes.contains(request.uri.path) else {
            return try await routes.respond(to: request.withLiteralPunctuation(), context)
        }
        let (request, recording) = journal.begin(request)
        let (response, template) = try await routes.respond(to: request.withLiteralPunctuation(), context)
        return (journal.end(recording, with: response, requestID: context.requestID), template)
    }

    private static func level(of status: HTTPResponse.Status) -> Logger.Level {
        switch status.kind {
        // What keeps the server from serving is logged once for all requests (`LoggedAtSource`), or beside this line.
        case .serverError where status == .serviceUnavailable: .info
        // Anybody may ask for what there is not.
        case .serverError where status == .notImplemented: .info
        case .serverError: .error
        case .clientError: .info
        default: .debug
        }
    }
}

extension Response {
    /// This answer, without its body for `HEAD`: a client would take the body for the next answer (RFC 9110 §9.3.2).
    package func matching(_ method: HTTPRequest.Method) -> Response { method == .head ? createHeadResponse() : self }
}

extension ResponseBody {
    /// This body, whose end is told.
    fileprivate func telling(_ context: PosternContext) -> ResponseBody {
        ResponseBody(contentLength: contentLength) { writer in
            do {
                try await self.write(writer)
            } catch {
                await context.facts.end(isDelivered: false)
                throw error
            }
            await context.facts.end(isDelivered: await context.hasReachedClient())
        }
    }
}

extension Request {
    /// Whether the target is permitted text after its escapes are decoded. Headers are checked where requests are received.
    fileprivate var hasStreamSafeTarget: Bool {
        [head.path, head.authority].allSatisfy { text in
            guard let text else { return true }
            // Most targets have no escapes.
            return StreamSafety.holds(for: text.utf8.contains(UInt8(ascii: "%")) ? FormEncoding.decoded(text) : text)
        }
    }

    /// Writes `%3A` and `%40` in the path as `:` and `@`, so that both spellings find their route.
    fileprivate func withLiteralPunctuation() -> Request {
        guard let path = head.path, path.utf8.contains(UInt8(ascii: "%")) else { return self }
        let query = path.firstIndex(of: "?") ?? path.endIndex
        var head = head
        let literal = path[..<query].replacing("%3A", with: ":").replacing("%3a", with: ":").replacing("%40", with: "@")
        head.path = literal + String(path[query...])
        return Request(head: head, body: body)
    }
}
