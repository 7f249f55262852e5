import Crypto
import Foundation

/// SHA-256 of the bytes (FIPS 180-4), 32 bytes.
package func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    SHA256.hash(data: Array(bytes)).withUnsafeBytes { Array($0) }
}

/// The bytes in lower-case hexadecimal.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}

/// Compares two secrets in a time that does not depend on where they differ.
///
/// Both sides are hashed first, so that not even their lengths show.
package func constantTimeEqual(_ left: String, _ right: String) -> Bool {
    SHA256.hash(data: Data(left.utf8)) == SHA256.hash(data: Data(right.utf8))
}

/// Compares two secrets in a time that does not depend on where they differ, nor on their lengths where these differ.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    SHA256.hash(data: left) == SHA256.hash(data: right)
}

/// HMAC-SHA256 of the bytes (RFC 2104), 32 bytes.
package func hmacSHA256(_ bytes: some Sequence<UInt8>, key: some Sequence<UInt8>) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Array(bytes), using: SymmetricKey(data: Array(key))))
}
