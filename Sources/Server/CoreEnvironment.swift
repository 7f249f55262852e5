import Foundation
import Logging
import Project
import Settings

/// What a server has before its store: the world outside, with the clocks, metrics, traces and log that the settings ask for.
struct CoreEnvironment: Sendable {
    let environment: ServerEnvironment
    let logger: Logger
    let http: LiveHTTP
    let registry = MetricsRegistry()
    let clock: ClockGuard
    /// The clock that developers move; `nil` in production.
    let movable: MovableClock?
    /// What sends telemetry; `nil` when none is sent.
    let telemetry: Telemetry?
    /// The certificate of the public listener; `nil` without TLS.
    let certificate: ServedCertificate?

    init(_ settings: Settings, logger: Logger, make: (OutboundHTTP) -> ServerEnvironment) throws {
        http = try LiveHTTP(settings.outbound)
        var environment = make(http.outbound)
        let movable = settings.mode.rules.hasDevelopmentTools ? MovableClock(environment.now) : nil
        if let movable {
            environment.now = movable.now
            environment.isClockAdvanced = { movable.ahead > .zero }
        }
        if settings.metrics.enabled || settings.telemetry.metrics != nil { environment.metrics = registry }
        telemetry = try Telemetry(settings, environment: environment, logger: logger)
        let logger = telemetry?.logger(around: logger) ?? logger
        environment.logger = logger
        let clock = ClockGuard(environment, logger: logger)
        environment.clockLead = { clock.lead }
        let metrics = environment.metrics
        certificate = try settings.server.tls.map {
            ServedCertificate(try ServedCertificate.Pair(ServedCertificate.Files($0), $0), metrics: metrics)
        }
        environment.tracing = telemetry?.tracing
        if let tracing = environment.tracing { environment.http = environment.http.traced(by: tracing.tracer) }
        self.environment = environment
        self.logger = logger
        self.clock = clock
        self.movable = movable
    }
}
