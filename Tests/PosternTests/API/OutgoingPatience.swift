import Project

/// How long the outgoing calls of a test's server may take: as long as they like, unless a test is about their time.
final class OutgoingPatience: Sendable {
    /// A call that the server made.
    struct Call: Sendable {
        let url: String
        /// What the server would allow it; `nil` where that is `outbound.timeoutSeconds`.
        let timeout: Duration?
    }

    private let state = LockedState<(limit: (patience: Duration?, suffix: String)?, calls: [Call])>((nil, []))

    /// What calls may take from now on, if their URL ends so; `nil` for the server's own times.
    func limit(to patience: Duration?, at suffix: String = "") { state.withLock { $0.limit = (patience, suffix) } }

    /// Every call so far, whether it came to anything or not.
    var calls: [Call] { state.withLock { $0.calls } }

    /// The way out, with these times.
    func around(_ http: OutboundHTTP) -> OutboundHTTP {
        OutboundHTTP { [self] request, limits in
            var limits = limits
            let limit = state.withLock { state in
                state.calls.append(Call(url: request.url, timeout: limits.timeout))
                return state.limit
            }
            if let limit, request.url.hasSuffix(limit.suffix) {
                limits.timeout = limit.patience ?? limits.timeout
            } else {
                limits.timeout = TestServer.patience
            }
            return try await http(request, limits: limits)
        }
    }
}
