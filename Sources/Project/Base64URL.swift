package import Foundation

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
///
/// Every token is written and read in it. Foundation has only the other alphabet, and translating each text costs several times as
/// much as the encoding itself.
package enum Base64URL {
    package static func encode(_ bytes: some DataProtocol) -> String {
        var text: [UInt8] = []
        append(Array(bytes), to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        let whole = bytes.count - bytes.count % 3
        text.reserveCapacity(text.count + (bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: whole, by: 3) {
            let bits = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            text.append(alphabet[bits >> 18])
            text.append(alphabet[bits >> 12 & 63])
            text.append(alphabet[bits >> 6 & 63])
            text.append(alphabet[bits & 63])
        }
        guard whole < bytes.count else { return }
        let isPair = bytes.count - whole == 2
        let bits = Int(bytes[whole]) << 16 | (isPair ? Int(bytes[whole + 1]) << 8 : 0)
        text.append(alphabet[bits >> 18])
        text.append(alphabet[bits >> 12 & 63])
        if isPair { text.append(alphabet[bits >> 6 & 63]) }
    }

    /// Decodes strictly: no padding, no white space, no other alphabet, no stray bits in the last character.
    ///
    /// Strictness keeps a signed token from having two spellings.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { decode(text, isStrict: true) }

    /// Decodes as JavaScript does: stray bits in the last character are ignored, and so is a last character that stands alone.
    /// Only for tokens whose signature is not verified.
    package static func decodeLeniently(_ text: some Collection<UInt8>) -> [UInt8]? { decode(text, isStrict: false) }

    /// The spelling that ``decode(_:)`` takes of a text in plain base64 or with padding. Only for documents, never for tokens.
    package static func respelled(_ text: String) -> String {
        var characters = text.utf8.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        for _ in 0..<2 where characters.count % 4 != 1 && characters.last == UInt8(ascii: "=") { characters.removeLast() }
        return String(decoding: characters, as: UTF8.self)
    }

    private static func decode(_ text: some Collection<UInt8>, isStrict: Bool) -> [UInt8]? {
        // Other collections than arrays are read much more slowly.
        let text = Array(text)
        if isStrict, text.count % 4 == 1 { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        let whole = text.count - text.count % 4
        for start in stride(from: 0, to: whole, by: 4) {
            let (first, second) = (values[Int(text[start])], values[Int(text[start + 1])])
            let (third, fourth) = (values[Int(text[start + 2])], values[Int(text[start + 3])])
            guard first | second | third | fourth < 64 else { return nil }
            bytes.append(first << 2 | second >> 4)
            bytes.append(second << 4 | third >> 2)
            bytes.append(third << 6 | fourth)
        }
        var bits: UInt32 = 0
        var pending: UInt32 = 0
        for character in text[whole...] {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            pending += 6
            if pending >= 8 {
                pending -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> pending))
            }
        }
        // A final group of two characters leaves four unused bits, one of three leaves two; they must be zero.
        guard !isStrict || bits & (1 << pending - 1) == 0 else { return nil }
        return bytes
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    // The value of each character; 64 for one that is not of the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
