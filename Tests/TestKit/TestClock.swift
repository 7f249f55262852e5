package import Project
import Synchronization

/// A clock that stands still until a test moves it.
package final class TestClock: Sendable {
    private let time: Mutex<Timestamp>

    /// Starts at 2026-01-01T00:00:00Z by default.
    package init(_ start: Timestamp = Timestamp(seconds: 1_767_225_600)) { time = Mutex(start) }

    package var now: Timestamp { time.withLock { $0 } }

    /// Moves the clock.
    package func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }

    /// An environment with this clock and real randomness.
    package func environment(
        http: OutboundHTTP = OutboundHTTP { _, _ in throw OutboundError.forbiddenURL }
    ) -> ServerEnvironment {
        ServerEnvironment(
            now: { self.now },
            random: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } },
            http: http
        )
    }
}
