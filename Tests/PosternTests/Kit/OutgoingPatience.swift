import Project

/// The time limits of the outgoing calls of a test's server. By default there are none, unless a test is about them.
final class OutgoingPatience: Sendable {
    /// A call that the server made.
    struct Call: Sendable {
        let url: String
        /// The server's own time limit; `nil` for `outbound.timeoutSeconds`.
        let timeout: Duration?
    }

    private let state = LockedState<(limit: (patience: Duration?, suffix: String)?, calls: [Call])>((nil, []))
    private let hold = LockedState<(suffix: String, wait: @Sendable () async throws -> Void)?>(nil)

    /// Sets the time limit of calls whose URL has this suffix; `nil` for the server's own limits.
    func limit(to patience: Duration?, at suffix: String = "") { state.withLock { $0.limit = (patience, suffix) } }

    /// Keeps the answers to calls whose URL has this suffix from the server until a wait is over.
    func hold(at suffix: String, while wait: @escaping @Sendable () async throws -> Void) {
        hold.withLock { $0 = (suffix, wait) }
    }

    /// Every call so far, also failed ones.
    var calls: [Call] { state.withLock { $0.calls } }

    /// Outgoing HTTP with these limits.
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
            let answer = try await http(request, limits: limits)
            if let hold = hold.withLock({ $0 }), request.url.hasSuffix(hold.suffix) { try await hold.wait() }
            return answer
        }
    }
}
