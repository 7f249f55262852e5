import NIOPosix
package import Project
import Synchronization

/// A clock that stands still until a test moves it.
package final class TestClock: Sendable {
    private let time: Mutex<Timestamp>
    private let jumped = Mutex(Duration.zero)
    private let counts = Mutex((onEventLoops: 0, elsewhere: 0))

    /// Starts at 2026-01-01T00:00:00Z by default.
    package init(_ start: Timestamp = Timestamp(seconds: 1_767_225_600)) { time = Mutex(start) }

    package var now: Timestamp {
        let isOnEventLoop = MultiThreadedEventLoopGroup.currentEventLoop != nil
        counts.withLock { if isOnEventLoop { $0.onEventLoops += 1 } else { $0.elsewhere += 1 } }
        return time.withLock { $0 }
    }

    /// How often the time was asked for on the threads of event loops, and on others.
    package var reads: (onEventLoops: Int, elsewhere: Int) { counts.withLock { $0 } }

    /// Sets the clock by a jump, without any time passing.
    package func jump(by duration: Duration) {
        advance(by: duration)
        jumped.withLock { $0 += duration }
    }

    /// The time that has passed since some moment.
    package var uptime: Duration { .milliseconds(time.withLock { $0 }.milliseconds) - jumped.withLock { $0 } }

    /// Moves the clock.
    package func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }

    /// An environment with this clock and real randomness.
    package func environment(
        http: OutboundHTTP = OutboundHTTP { _, _ in throw OutboundError.forbiddenURL }
    ) -> ServerEnvironment {
        var environment = ServerEnvironment(
            now: { self.now },
            random: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } },
            http: http
        )
        environment.uptime = { self.uptime }
        return environment
    }
}
