import Foundation
package import Project

extension ServerEnvironment {
    /// The real world: system clock and randomness; outgoing calls as given.
    package static func live(http: OutboundHTTP) -> ServerEnvironment {
        var environment = ServerEnvironment(now: systemClock, random: systemRandomness, http: http)
        let start = ContinuousClock.now
        environment.uptime = { ContinuousClock.now - start }
        return environment
    }

    /// The system's clock.
    package static let systemClock: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// The system's cryptographically secure generator. `SystemRandomNumberGenerator` would make a system call for every eight
    /// bytes.
    package static let systemRandomness: @Sendable (Int) -> [UInt8] = { count in
        [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            while filled < count {
                let part = UnsafeMutableBufferPointer(rebasing: bytes[filled..<min(filled + entropyAtOnce, count)])
                // The call fails only for more bytes than it gives at once, or on a system without a generator.
                let isGiven = part.baseAddress.map { getentropy($0, part.count) == 0 } ?? false
                precondition(isGiven, "the system has no random generator")
                filled += part.count
            }
        }
    }

    // The most bytes that one call of `getentropy` gives (POSIX.1-2024).
    private static let entropyAtOnce = 256
}
