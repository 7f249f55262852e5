import Crypto
import Foundation
package import Project

/// An authenticator app: shows the TOTP codes of a secret (RFC 6238), written without Postern's own code.
package struct AuthenticatorApp: Sendable {
    private let key: SymmetricKey

    /// - Parameter sharedSecretKey: Base32, as the server shows it.
    package init?(sharedSecretKey: String) {
        var (bytes, buffer, bits) = ([UInt8](), 0, 0)
        for character in sharedSecretKey.utf8 {
            guard let value = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8.enumerated().first(where: { $0.element == character })
            else { return nil }
            buffer = (buffer << 5 | value.offset) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 255))
            }
        }
        key = SymmetricKey(data: bytes)
    }

    /// The code at a time, some steps of 30 seconds later.
    package func code(at time: Timestamp, steps: Int64 = 0) -> String {
        let counter = UInt64(time.seconds / 30 + steps)
        let message = withUnsafeBytes(of: counter.bigEndian) { Data($0) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        let start = Int(mac[19] & 0xF)
        let number =
            (UInt32(mac[start]) << 24 | UInt32(mac[start + 1]) << 16 | UInt32(mac[start + 2]) << 8 | UInt32(mac[start + 3]))
            & 0x7FFF_FFFF
        let text = "000000\(number % 1_000_000)"
        return String(text.suffix(6))
    }
}
