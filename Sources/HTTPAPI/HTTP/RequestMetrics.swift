import CoreMetrics
import HTTPTypes
import Hummingbird
import Project

/// Counts requests and measures their time by the route's template, so that no label contains text from clients.
final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    private struct Instruments: Sendable {
        let requests: Counter
        let duration: CoreMetrics.Timer
    }

    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    private let factory: any MetricsFactory
    private let inFlight: Meter
    private let instruments = LockedState<[Key: Instruments]>([:])

    init(factory: any MetricsFactory) {
        self.factory = factory
        inFlight = Meter(label: "postern_http_requests_in_flight", factory: factory)
    }

    /// Counts a request that has arrived.
    func begin() { inFlight.increment() }

    /// Counts a request that was answered.
    func end(_ request: Request, route: String?, status: HTTPResponse.Status, milliseconds: Int64) {
        inFlight.decrement()
        let method = request.method.rawValue
        let key = Key(route: route ?? "-", method: Self.methods.contains(method) ? method : "other", status: status.code)
        let instruments = instruments(for: key)
        instruments.requests.increment()
        instruments.duration.recordMilliseconds(milliseconds)
    }

    /// Counts a request that its client abandoned.
    func abandon() { inFlight.decrement() }

    // The number of instruments is bounded by routes, methods and statuses.
    private func instruments(for key: Key) -> Instruments {
        instruments.withLock { known in
            if let found = known[key] { return found }
            let route = [("route", key.route), ("method", key.method)]
            let made = Instruments(
                requests: Counter(
                    label: "postern_http_requests_total",
                    dimensions: route + [("status", String(key.status))],
                    factory: factory
                ),
                duration: CoreMetrics.Timer(
                    label: "postern_http_request_duration_seconds",
                    dimensions: route,
                    factory: factory
                )
            )
            known[key] = made
            return made
        }
    }
}
