import CoreMetrics
import HTTPTypes
import Hummingbird
import Project

/// Counts requests and measures their time by the route's template, so that no label contains text from clients. The names are those
/// of OpenTelemetry's conventions for HTTP servers.
///
/// Routes, methods and statuses are few, but strangers choose among them, and each combination is a series of its own with every bucket.
/// The first ones are told apart; what comes beyond is counted by the class of its status, so that all sums stay right.
final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        let route: String
        let method: String
        let status: String
        let isRefusal: Bool

        /// What this counts as beyond the bound. Monitors leave health checks out of their objectives, so those stay apart.
        var overflow: Key {
            Key(
                route: RequestMetrics.probes.contains(route) ? "/healthz" : RequestMetrics.unknownRoute,
                method: "_OTHER",
                status: "\(status.prefix(1))xx",
                isRefusal: isRefusal
            )
        }
    }

    /// How many combinations are told apart, and how many of them may be of refusals, which cost a stranger least.
    static let mostCombinations = 20
    static let mostRefusals = 8
    private static let unknownRoute = "-"
    private static let probes: Set<String> = ["/healthz", "/readyz", "/metrics"]

    private let factory: any MetricsFactory
    private let active: Meter
    private let timers = LockedState(Timers())

    private struct Timers {
        var known: [Key: CoreMetrics.Timer] = [:]
        var combinations = 0
        var refusals = 0

        /// Whether one more combination may be told apart.
        mutating func admits(_ key: Key) -> Bool {
            guard combinations < RequestMetrics.mostCombinations, !key.isRefusal || refusals < RequestMetrics.mostRefusals else {
                return false
            }
            combinations += 1
            if key.isRefusal { refusals += 1 }
            return true
        }
    }

    init(factory: any MetricsFactory) {
        self.factory = factory
        active = Meter(label: "http_server_active_requests", factory: factory)
    }

    /// Counts a request that has arrived.
    func begin() { active.increment() }

    /// Counts a request that was answered.
    func end(_ request: Request, route: String?, status: HTTPResponse.Status, milliseconds: Int64) {
        active.decrement()
        let key = Key(
            route: route ?? Self.unknownRoute,
            method: request.method.known,
            status: String(status.code),
            isRefusal: status.kind == .clientError
        )
        timer(for: key).recordMilliseconds(milliseconds)
    }

    /// Counts a request that its client abandoned.
    func abandon() { active.decrement() }

    private func timer(for key: Key) -> CoreMetrics.Timer {
        timers.withLock { timers in
            if let found = timers.known[key] { return found }
            let key = timers.admits(key) ? key : key.overflow
            if let found = timers.known[key] { return found }
            let made = CoreMetrics.Timer(
                label: "http_server_request_duration_seconds",
                dimensions: [
                    ("http_request_method", key.method), ("http_route", key.route), ("http_response_status_code", key.status),
                ],
                factory: factory
            )
            timers.known[key] = made
            return made
        }
    }
}
