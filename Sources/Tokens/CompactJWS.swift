package import Project

/// A signed token split into its parts. Nothing of it is verified (RFC 7515 §3.1, RFC 7519).
package struct CompactJWS: Sendable {
    package let algorithm: String
    package let keyID: String?
    /// The header's `typ`.
    package let type: String?
    package let payload: JSONValue
    package let signature: [UInt8]
    /// The bytes that the signature covers.
    package let signingInput: [UInt8]

    /// Longest token that is read, in bytes.
    package static let maximumLength = 64 * 1024

    /// Why a text is not a token that Postern reads.
    package enum Malformed: Error, Equatable, Sendable {
        case tooLong
        case notThreeSegments
        case invalidEncoding
        case invalidHeader
        /// The `typ` names another kind of token than a plain JWT, or is not a text.
        case wrongType
        /// `crit` or `b64`: extensions that change what the signature means (RFC 7515 §4.1.11, RFC 7797).
        case unsupportedExtension
    }

    /// Splits a token into its parts.
    ///
    /// Keys that the header carries (`jwk`, `jku`, `x5c`, `x5u`) are never read (RFC 8725 §3.10).
    package init(_ token: String) throws {
        guard token.utf8.count <= Self.maximumLength else { throw Malformed.tooLong }
        let segments = token[...].utf8.pieces(separatedBy: UInt8(ascii: "."), maximum: 4)
        guard segments.count == 3 else { throw Malformed.notThreeSegments }
        guard let headerBytes = Base64URL.decode(segments[0]), let payloadBytes = Base64URL.decode(segments[1]),
            let signature = Base64URL.decode(segments[2])
        else { throw Malformed.invalidEncoding }
        guard let header = try? JSONValue.parse(headerBytes).object, let payload = try? JSONValue.parse(payloadBytes),
            payload.object != nil
        else { throw Malformed.invalidEncoding }
        guard header["crit"] == nil, header["b64"] == nil else { throw Malformed.unsupportedExtension }
        // `at+jwt`, `logout+jwt` and the like are other kinds of tokens, and no signature makes them ID tokens (RFC 8725 §3.11).
        switch header["typ"] {
        case nil: type = nil
        case .string(let text) where !Self.ends(text, with: "+jwt"): type = text
        default: throw Malformed.wrongType
        }
        guard let algorithm = header["alg"]?.string else { throw Malformed.invalidHeader }
        switch header["kid"] {
        case nil: keyID = nil
        case .string(let kid) where kid.utf8.count <= 512: keyID = kid
        default: throw Malformed.invalidHeader
        }
        self.algorithm = algorithm
        self.payload = payload
        self.signature = signature
        signingInput = Array(token.utf8[..<segments[1].endIndex])
    }

    /// Whether the header is that of a plain JWT: `typ` is absent or `JWT` in any case (RFC 7519 §5.1).
    package var isPlainJWT: Bool {
        guard let type else { return true }
        return type.utf8.count == 3 && Self.ends(type, with: "jwt")
    }

    // Compares bytes, ASCII letters in either case. `typ` comes from outside and may be of any length.
    private static func ends(_ text: String, with ending: String) -> Bool {
        guard text.utf8.count >= ending.utf8.count else { return false }
        return zip(text.utf8.suffix(ending.utf8.count), ending.utf8).allSatisfy { byte, wanted in
            let isUpperCase = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            return (isUpperCase ? byte | 0x20 : byte) == wanted
        }
    }

    /// Splits a token that is believed without verification, which only development mode does. Only the claims must be readable;
    /// the signature may be anything (`Docs/Contract/emulator-endpoints.md` §7). No key verifies the result.
    package init(unverified token: String) throws {
        guard token.utf8.count <= Self.maximumLength else { throw Malformed.tooLong }
        let segments = token[...].utf8.pieces(separatedBy: UInt8(ascii: "."), maximum: 4)
        guard segments.count == 3 else { throw Malformed.notThreeSegments }
        let parts = segments.prefix(2).map { segment in
            Base64URL.decodeLeniently(segment).flatMap { try? JSONValue.parse($0) }
        }
        guard let header = parts[0]?.object, let payload = parts[1], payload.object != nil else {
            throw Malformed.invalidEncoding
        }
        algorithm = header["alg"]?.string ?? "none"
        keyID = nil
        type = header["typ"]?.string
        self.payload = payload
        signature = []
        signingInput = []
    }
}
