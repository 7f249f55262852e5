import CoreMetrics
import HTTPTypes
import Hummingbird
import Project

/// Counts requests and measures their time by the route's template, so that no label contains text from clients. The names are those
/// of OpenTelemetry's conventions for HTTP servers.
final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    // Routes, methods and statuses are few, but callers choose among them. Beyond this many combinations the route is left out.
    private static let maximumTimers = 4000
    private static let unknownRoute = "-"

    private let factory: any MetricsFactory
    private let active: Meter
    private let timers = LockedState<[Key: CoreMetrics.Timer]>([:])

    init(factory: any MetricsFactory) {
        self.factory = factory
        active = Meter(label: "http_server_active_requests", factory: factory)
    }

    /// Counts a request that has arrived.
    func begin() { active.increment() }

    /// Counts a request that was answered.
    func end(_ request: Request, route: String?, status: HTTPResponse.Status, milliseconds: Int64) {
        active.decrement()
        let key = Key(route: route ?? Self.unknownRoute, method: request.method.known, status: status.code)
        timer(for: key).recordMilliseconds(milliseconds)
    }

    /// Counts a request that its client abandoned.
    func abandon() { active.decrement() }

    private func timer(for key: Key) -> CoreMetrics.Timer {
        timers.withLock { known in
            var key = key
            if known[key] == nil, known.count >= Self.maximumTimers {
                key = Key(route: Self.unknownRoute, method: key.method, status: key.status)
            }
            if let found = known[key] { return found }
            let made = CoreMetrics.Timer(
                label: "http_server_request_duration_seconds",
                dimensions: [
                    ("http_request_method", key.method), ("http_route", key.route),
                    ("http_response_status_code", String(key.status)),
                ],
                factory: factory
            )
            known[key] = made
            return made
        }
    }
}
