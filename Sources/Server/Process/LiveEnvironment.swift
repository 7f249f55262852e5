import Foundation
package import Project

extension ServerEnvironment {
    /// The real world: system clock and randomness; outgoing calls as given.
    package static func live(http: OutboundHTTP) -> ServerEnvironment {
        ServerEnvironment(now: systemClock, random: systemRandomness, http: http)
    }

    /// The system's clock.
    package static let systemClock: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// The system's cryptographically secure generator.
    package static let systemRandomness: @Sendable (Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
