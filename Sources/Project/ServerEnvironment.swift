package import CoreMetrics
package import Logging

/// The world outside the process, passed in as a value: clock, randomness and outgoing HTTP.
///
/// `postern` makes the live one; tests make their own. No other code reads the time of day, but that spans take theirs from the tracer's
/// clock. Waits for locks and connections use the monotonic clock, and libraries that make keys draw their own randomness.
package struct ServerEnvironment: Sendable {
    /// The current time.
    package var now: @Sendable () -> Timestamp
    /// The system's time, also where ``now`` runs ahead of it: what a device outside shows goes by it.
    package var systemTime: @Sendable () -> Timestamp
    /// The time since some moment, by a clock that nobody sets.
    package var uptime: @Sendable () -> Duration
    /// By how much the system's clock has left the time that is believed, negative when it is behind; `nil` while it is believed.
    package var clockLead: @Sendable () -> Duration? = { nil }
    /// Whether ``now`` has been moved ahead, which development does so that what has a time ends as in production.
    package var isClockAdvanced: @Sendable () -> Bool = { false }
    /// The given number of cryptographically secure random bytes.
    package var random: @Sendable (_ count: Int) -> [UInt8]
    /// Outgoing HTTP calls, guarded and bounded.
    package var http: OutboundHTTP
    /// Where events are counted.
    package var metrics: any MetricsFactory
    /// Where to log what belongs to no request.
    package var logger: Logger
    /// How requests are traced; `nil` when they are not.
    package var tracing: RequestTracing?
    /// What goes on behind the calls that began it. The server waits for it at its end.
    package let tasks = OwnedTasks()

    package init(
        now: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable (_ count: Int) -> [UInt8],
        http: OutboundHTTP,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        logger: Logger = Logger(label: "postern")
    ) {
        self.now = now
        systemTime = now
        uptime = { .milliseconds(now().milliseconds) }
        self.random = random
        self.http = http
        self.metrics = metrics
        self.logger = logger
    }
}

extension ServerEnvironment {
    /// The time by which events are counted, and by which is decided what is over for good. It is that of ``now``, but goes on evenly where
    /// the system's clock has jumped, so that no count, block or window begins anew (threat case OPS-03).
    package func steadyNow() -> Timestamp { steady(now()) }

    /// A time by ``now`` as ``steadyNow()`` has it.
    package func steady(_ time: Timestamp) -> Timestamp { clockLead().map { time - $0 } ?? time }

    /// Counts one event.
    ///
    /// - Parameters:
    ///   - label: The name ends in `_total`, as is usual for Prometheus.
    ///   - dimensions: Their values come from small fixed sets, never from a client.
    package func count(_ label: String, _ dimensions: [(String, String)] = []) {
        Counter(label: label, dimensions: dimensions, factory: metrics).increment()
    }

    /// Records a time, as one value of a histogram in seconds.
    ///
    /// - Parameter label: The name ends in `_seconds`.
    package func record(_ label: String, _ duration: Duration, _ dimensions: [(String, String)] = []) {
        Timer(label: label, dimensions: dimensions, factory: metrics).recordNanoseconds(duration.wholeNanoseconds)
    }

    private static let alphanumerics = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// A random text of letters and digits, each of them equally likely.
    package func randomText(length: Int) -> String {
        var text: [UInt8] = []
        while text.count < length {
            // Bytes of 248 and above are discarded, because 248 is the largest multiple of 62 in a byte.
            for byte in random(length * 2) where byte < 248 && text.count < length {
                text.append(Self.alphanumerics[Int(byte) % 62])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A fresh `localId`: 28 letters and digits, 166 bits (`Docs/Contract/conventions.md` §4.2).
    package func newLocalID() -> String { randomText(length: 28) }

    /// A fresh id of an audit record.
    package func newEventID() -> String { randomText(length: 20) }
}

extension Duration {
    /// The duration in nanoseconds, rounded towards zero and cut at 64 bits.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000
    }
}
