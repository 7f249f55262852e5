package import Tracing

/// How requests are traced: by any tracer of swift-distributed-tracing, so that another one can take the place of Postern's own.
package struct RequestTracing: Sendable {
    /// Starts spans, and reads and writes `traceparent`.
    package let tracer: any Tracer
    private let trusted: [CIDR]
    private let trustsAll: Bool

    /// - Parameter trusted: The addresses whose word about sampling counts: `server.trustedProxies`.
    package init(tracer: any Tracer, trusted: [CIDR], trustsAll: Bool) {
        self.tracer = tracer
        self.trusted = trusted
        self.trustsAll = trustsAll
    }

    /// Whether the peer of a connection may decide that a request is sampled. Strangers could make every request cost a trace.
    package func believes(_ peer: String?) -> Bool {
        if trustsAll { return true }
        guard !trusted.isEmpty, let address = peer.flatMap({ IPAddress($0) }) else { return false }
        return trusted.contains { $0.contains(address) }
    }
}

/// The span of a request that is recorded, and what started it.
package struct RecordedRequest: Sendable {
    /// Starts the spans of the request's operations.
    package let tracer: any Tracer
    package let span: any Span

    package init(tracer: any Tracer, span: any Span) {
        self.tracer = tracer
        self.span = span
    }

    /// The recorded request that this task works for; `nil` where nothing is recorded.
    package static var current: RecordedRequest? { ServiceContext.current?.recordedRequest }
}

extension ServiceContext {
    private enum RecordedRequestKey: ServiceContextKey {
        typealias Value = RecordedRequest
    }

    private enum StrangerKey: ServiceContextKey {
        typealias Value = Bool
    }

    /// The recorded request that spans of this context belong to.
    package var recordedRequest: RecordedRequest? {
        get { self[RecordedRequestKey.self] }
        set { self[RecordedRequestKey.self] = newValue }
    }

    /// Whether the trace was begun by a caller whose word about sampling does not count.
    package var isFromStranger: Bool {
        get { self[StrangerKey.self] ?? false }
        set { self[StrangerKey.self] = newValue ? true : nil }
    }
}

extension Span {
    /// Marks the span as failed. What is written is a code or the name of a type, never the text of an error.
    package func fail(_ error: any Error) {
        attributes["error.type"] = SpanAttribute.string(Self.name(of: error))
        setStatus(SpanStatus(code: .error))
    }

    private static func name(of error: any Error) -> String {
        switch error {
        case let error as APIError: error.code.rawValue
        case let error as OutboundError: "\(error)"
        case is CancellationError: "cancelled"
        default: String(describing: type(of: error))
        }
    }
}
