/// Changes documents at random, reproducibly: bytes, pieces and whole elements.
package struct SAMLTestMutation: RandomNumberGenerator {
    private var state: UInt64

    // What turns one thing into another in XML.
    private static let pieces: [String] = [
        "<", ">", "/>", "&", "&amp;", "&#65;", "&#x0;", "\"", "'", "=", " ", "\n", "\r", "\t", "\0", "<!---->", "<?x?>",
        "<![CDATA[", "]]>", "<!DOCTYPE a>",
        "xmlns=\"\"", "xmlns:saml=\"urn:x\"", " ID=\"x\"", "#", "é", "\u{FEFF}", "<saml:NameID>root@example.com</saml:NameID>",
        "</saml:Assertion>",
        "<ds:Signature xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"/>", "<saml:Assertion>", "root@example.com", "2.0", "true",
    ]

    package init(seed: UInt64) { state = seed }

    /// SplitMix64.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A document with one to four changes.
    ///
    /// - Parameter document: The document.
    /// - Returns: It is never the same bytes.
    package mutating func mutate(_ document: [UInt8]) -> [UInt8] {
        var bytes = document
        for _ in 0..<Int.random(in: 1...4, using: &self) { change(&bytes) }
        if bytes == document { bytes.append(UInt8(ascii: "<")) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &self)
        let length = min(Int.random(in: 1...64, using: &self), bytes.count - place)
        switch Int.random(in: 0..<9, using: &self) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &self)
        case 2: bytes.removeSubrange(place..<place + length)
        case 3: bytes.insert(contentsOf: Array(bytes[place..<place + length]), at: Int.random(in: 0...bytes.count, using: &self))
        case 4: bytes.insert(contentsOf: (Self.pieces.randomElement(using: &self) ?? "").utf8, at: place)
        case 5: bytes.removeLast(length)
        case 6: moveElement(in: &bytes, copies: true)
        case 7: moveElement(in: &bytes, copies: false)
        default: replaceValue(in: &bytes)
        }
    }

    // From one angle bracket to another: often a whole element with what is in it.
    private mutating func moveElement(in bytes: inout [UInt8], copies: Bool) {
        let starts = bytes.indices.filter { bytes[$0] == UInt8(ascii: "<") }
        guard let one = starts.randomElement(using: &self), let other = starts.randomElement(using: &self), one != other,
            let target = starts.randomElement(using: &self)
        else { return }
        let range = min(one, other)..<max(one, other)
        let piece = Array(bytes[range])
        if copies { return bytes.insert(contentsOf: piece, at: target) }
        bytes.removeSubrange(range)
        bytes.insert(contentsOf: piece, at: min(target, bytes.count))
    }

    // Between two quotation marks.
    private mutating func replaceValue(in bytes: inout [UInt8]) {
        let marks = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\"") }
        guard marks.count > 3 else { return }
        let from = Int.random(in: 0..<marks.count / 2, using: &self) * 2
        let to = Int.random(in: 0..<marks.count / 2, using: &self) * 2
        bytes.replaceSubrange(marks[from]...marks[from + 1], with: Array(bytes[marks[to]...marks[to + 1]]))
    }
}
