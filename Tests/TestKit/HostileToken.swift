import Crypto
package import Foundation
package import Project

/// Tokens that must never be accepted (threat cases JWT-01 to JWT-14).
package enum HostileToken {
    /// A token without a signature, with any spelling of `none`.
    package static func unsigned(_ claims: JSONValue, algorithm: String = "none") -> String {
        TestKey.segments(["alg": .string(algorithm), "typ": "JWT"], claims) + "."
    }

    /// A token whose header names no algorithm.
    package static func withoutAlgorithm(_ claims: JSONValue) -> String { TestKey.segments(["typ": "JWT"], claims) + "." }

    /// A token with an HMAC whose secret is public.
    package static func hmac(_ claims: JSONValue, kid: String, secret: Data) -> String {
        let input = TestKey.segments(["alg": "HS256", "kid": .string(kid), "typ": "JWT"], claims)
        let code = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: secret))
        return "\(input).\(Base64URL.encode(Data(code)))"
    }

    /// An ES256 token with a signature of zeros (CVE-2022-21449).
    package static func zeroSignature(_ claims: JSONValue, kid: String) -> String {
        let input = TestKey.segments(["alg": "ES256", "kid": .string(kid), "typ": "JWT"], claims)
        return "\(input).\(Base64URL.encode(Data(count: 64)))"
    }

    /// A token with its signature replaced.
    package static func resigned(_ token: String, signature: Data) -> String {
        token.split(separator: ".").prefix(2).joined(separator: ".") + "." + Base64URL.encode(signature)
    }

    /// The token once for every byte of its decoded parts, with one bit of that byte flipped.
    package static func bitFlips(_ token: String) -> [String] {
        let parts = token.split(separator: ".").map { Data(Base64URL.decode($0.utf8) ?? []) }
        return parts.indices.flatMap { part in
            parts[part].indices.map { byte in
                var changed = parts
                changed[part][byte] ^= 1 << UInt8(byte % 8)
                return changed.map { Base64URL.encode($0) }.joined(separator: ".")
            }
        }
    }
}
