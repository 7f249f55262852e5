import Crypto
package import Project

/// Time-based one-time passwords (RFC 6238 over RFC 4226): HMAC-SHA1, six digits, steps of 30 seconds, as all authenticator apps
/// use them.
package enum TOTP {
    /// The number of digits of a code.
    package static let digits = 6
    /// The length of a step in seconds.
    package static let period: Int64 = 30
    /// The length of a secret in bytes: 160 bits (RFC 4226 §4, R6).
    package static let secretLength = 20

    /// The number of the step that contains a time.
    package static func step(at time: Timestamp) -> Int64 { time.seconds / period }

    /// Computes the code of a step (RFC 4226 §5.3).
    package static func code(secret: [UInt8], step: Int64) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int(mac[mac.count - 1] & 15)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// The step for which a code is accepted: by server time only, and no step twice or backwards (RFC 6238 §5.2,
    /// threat case MFA-03).
    ///
    /// - Parameter adjacentIntervals: The number of steps before and after the current one that are accepted.
    package static func acceptedStep(
        _ code: String,
        secret: [UInt8],
        after last: Int64?,
        adjacentIntervals: Int,
        at time: Timestamp
    ) -> Int64? {
        let current = step(at: time)
        let reach = Int64(adjacentIntervals)
        // All steps are compared, so that the time does not reveal which one matched.
        let fitting = (current - reach...current + reach).filter { constantTimeEqual(Self.code(secret: secret, step: $0), code) }
        return fitting.first { step in last.map { step > $0 } ?? true }
    }

    /// Base32 without padding (RFC 4648 §6), as authenticator apps read secrets.
    package static func base32(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var text: [UInt8] = []
        var (buffer, bits) = (UInt32(0), 0)
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(buffer >> UInt32(bits) & 31)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
