package import Foundation

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
    /// Encodes bytes.
    package static func encode(_ bytes: some DataProtocol) -> String {
        var text = Array(Data(bytes).base64EncodedData())
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
            default: break
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes strictly: no padding, no white space, no other alphabet, no stray bits in the last character.
    ///
    /// Strictness keeps a signed token from having two spellings.
    ///
    /// - Parameter text: The encoded bytes.
    /// - Returns: The bytes, or `nil` if the text is not the canonical encoding of any bytes.
    package static func decode(_ text: some Sequence<UInt8>) -> Data? { decode(text, isStrict: true) }

    /// Decodes as JavaScript does: stray bits in the last character are ignored, and so is a last character that stands alone.
    /// Only for tokens whose signature is not verified.
    ///
    /// - Parameter text: The encoded bytes, in the alphabet that ``decode(_:)`` takes.
    /// - Returns: The bytes, or `nil` for another alphabet.
    package static func decodeLeniently(_ text: some Sequence<UInt8>) -> Data? { decode(text, isStrict: false) }

    private static func decode(_ text: some Sequence<UInt8>, isStrict: Bool) -> Data? {
        var standard = Array(text)
        for index in standard.indices {
            switch standard[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                break
            case UInt8(ascii: "-"): standard[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): standard[index] = UInt8(ascii: "/")
            default: return nil
            }
        }
        if !isStrict, standard.count % 4 == 1 { standard.removeLast() }
        guard standard.count % 4 != 1 else { return nil }
        if isStrict, let last = standard.last, !Self.hasClearTail(last, length: standard.count) { return nil }
        standard.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - standard.count % 4) % 4))
        return Data(base64Encoded: Data(standard))
    }

    // A final group of two characters leaves four unused bits, one of three leaves two; they must be zero.
    private static func hasClearTail(_ last: UInt8, length: Int) -> Bool {
        let value: UInt8
        switch last {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = last - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): value = last - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): value = last - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): value = 62
        default: value = 63
        }
        switch length % 4 {
        case 2: return value & 0b1111 == 0
        case 3: return value & 0b11 == 0
        default: return true
        }
    }
}
