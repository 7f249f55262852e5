import CoreMetrics
import HTTPTypes
import Hummingbird
import Project

/// Counts requests and measures their time by the route's template, so that no label contains text from clients. The names are those
/// of OpenTelemetry's conventions for HTTP servers.
///
/// Routes, methods and statuses are few, but strangers choose among them, and each combination is a series of its own with every bucket.
/// The first ones are told apart; what comes beyond is counted by the class of its status, so that all sums stay right. What costs a
/// stranger least has a share of the places, so that the rest is left to sign-ins and administrators.
final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        let route: String
        let method: String
        let status: String

        /// What this counts as beyond the bound. Monitors leave health checks out of their objectives, so those stay apart.
        var overflow: Key {
            Key(
                route: RequestMetrics.probes.contains(route) ? "/healthz" : RequestMetrics.unknownRoute,
                method: "_OTHER",
                status: "\(status.prefix(1))xx"
            )
        }
    }

    /// What takes a place among the combinations that are told apart.
    private enum Kind {
        /// What the client was refused, or asked for in vain.
        case refusal
        /// What anybody may read.
        case openReading
        case other

        /// How many of the places it may take.
        var share: Int {
            switch self {
            case .refusal: 8
            case .openReading: 6
            case .other: RequestMetrics.mostCombinations
            }
        }
    }

    // How many combinations are told apart.
    private static let mostCombinations = 20
    private static let unknownRoute = "-"
    private static let probes: Set<String> = ["/healthz", "/readyz", "/metrics"]

    private let factory: any MetricsFactory
    private let active: Meter
    private let timers = LockedState(Timers())

    private struct Timers {
        var known: [Key: CoreMetrics.Timer] = [:]
        var combinations: [Kind: Int] = [:]

        /// Whether one more combination may be told apart.
        mutating func admits(_ kind: Kind) -> Bool {
            guard combinations.values.reduce(0, +) < RequestMetrics.mostCombinations,
                combinations[kind, default: 0] < kind.share
            else { return false }
            combinations[kind, default: 0] += 1
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
    ///
    /// - Parameter route: The template of its route; `nil` for none.
    func end(
        _ request: Request,
        route: String?,
        status: HTTPResponse.Status,
        milliseconds: Int64,
        isAdministrators: Bool
    ) {
        active.decrement()
        let key = Key(route: route ?? Self.unknownRoute, method: request.method.known, status: String(status.code))
        timer(for: key, Self.kind(request.method, status, isAdministrators)).recordMilliseconds(milliseconds)
    }

    private static func kind(_ method: HTTPRequest.Method, _ status: HTTPResponse.Status, _ isAdministrators: Bool) -> Kind {
        if status.kind == .clientError || status == .notImplemented { return .refusal }
        return !isAdministrators && [.get, .head, .options].contains(method) ? .openReading : .other
    }

    /// Counts a request that its client abandoned.
    func abandon() { active.decrement() }

    private func timer(for key: Key, _ kind: Kind) -> CoreMetrics.Timer {
        timers.withLock { timers in
            if let found = timers.known[key] { return found }
            let key = timers.admits(kind) ? key : key.overflow
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
