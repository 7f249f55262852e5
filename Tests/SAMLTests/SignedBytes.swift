import SAMLTestKit

/// Changes what the provider signed, or its signature, and nothing else.
///
/// Documents of the test provider are canonical, and the changes are of letters, digits and whole elements. So each of them changes the
/// bytes that are digested: none is undone by canonicalization, as another kind of quotation mark or a blank in a tag would be.
struct SignedBytes: Sendable {
    /// The document as the provider wrote it.
    let document: [UInt8]
    /// The name of the element that is changed.
    private let element: String

    /// - Parameters:
    ///   - document: A response.
    ///   - signed: What is signed.
    ///   - isEncrypted: Whether the assertion is encrypted.
    /// - Returns: `nil` for an assertion that was signed before it was encrypted: its bytes do not show.
    init?(_ document: [UInt8], signed: SAMLTestResponse.Signed, isEncrypted: Bool) {
        self.document = document
        switch (signed, isEncrypted) {
        case (.response, _): element = "samlp:Response"
        case (.assertion, false), (.both, false): element = "saml:Assertion"
        // Where both are signed, a response without its own signature is one with a signed assertion.
        case (.both, true): element = "saml:EncryptedAssertion"
        default: return nil
        }
    }

    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let pieces = [
        "<x/>", "&amp;", "&#66;", "é", "<saml:NameID>root@example.com</saml:NameID>", "root@example.com",
    ]

    /// A document with one to four changes.
    ///
    /// - Parameter source: Where the changes come from.
    /// - Returns: It is never the same bytes.
    func mutated(by source: inout SAMLTestMutation) -> [UInt8] {
        var bytes = document
        for _ in 0..<Int.random(in: 1...4, using: &source) {
            let places = places(in: bytes)
            guard let place = places.randomElement(using: &source) else { break }
            change(&bytes, at: place, places, &source)
        }
        if bytes == document, let place = places(in: bytes).first { bytes[place] = other(than: bytes[place], &source) }
        return bytes
    }

    /// The letters and digits of the signed element and of the signature's value.
    private func places(in bytes: [UInt8]) -> [Int] {
        guard let signed = Self.range(of: element, in: bytes) else { return [] }
        let key = Self.range(of: "ds:KeyInfo", in: bytes, from: signed.lowerBound)
        let value = Self.range(of: "ds:SignatureValue", in: bytes, from: signed.lowerBound)
        // The last characters of Base64 have bits that stand for nothing.
        let rest = value.map { max($0.upperBound - "</ds:SignatureValue>".utf8.count - 4, $0.lowerBound)..<$0.upperBound }
        return signed.filter { place in
            Self.isLetter(bytes[place]) && key?.contains(place) != true && rest?.contains(place) != true
        }
    }

    private func change(_ bytes: inout [UInt8], at place: Int, _ places: [Int], _ source: inout SAMLTestMutation) {
        switch Int.random(in: 0..<5, using: &source) {
        case 0, 1: bytes[place] = other(than: bytes[place], &source)
        case 2:
            let run = bytes[place...].prefix(while: Self.isLetter).count
            bytes.removeSubrange(place..<place + min(run, Int.random(in: 1...16, using: &source)))
        case 3: bytes.insert(contentsOf: (Self.pieces.randomElement(using: &source) ?? "").utf8, at: place)
        default:
            // From one tag to another: often a whole element with what is in it.
            let starts = places.filter { $0 > 0 && bytes[$0 - 1] == UInt8(ascii: "<") }.map { $0 - 1 }
            guard let one = starts.randomElement(using: &source), let other = starts.randomElement(using: &source), one < other,
                let target = starts.randomElement(using: &source)
            else { return bytes[place] = self.other(than: bytes[place], &source) }
            bytes.insert(contentsOf: Array(bytes[one..<other]), at: target)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private func other(than byte: UInt8, _ source: inout SAMLTestMutation) -> UInt8 {
        Self.letters.filter { $0 != byte }.randomElement(using: &source) ?? byte
    }

    private static func range(of element: String, in bytes: [UInt8], from start: Int = 0) -> Range<Int>? {
        let text = bytes[start...]
        guard let opening = text.firstRange(of: Array("<\(element)".utf8)),
            let closing = text[opening.upperBound...].firstRange(of: Array("</\(element)>".utf8))
        else { return nil }
        return opening.lowerBound..<closing.upperBound
    }
}
