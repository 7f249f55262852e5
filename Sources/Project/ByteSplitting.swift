import Foundation

extension Substring.UTF8View {
    /// The parts between separators, empty ones included. The standard library's `split` compares byte by byte through an index of
    /// the text, which costs several times as much on the long texts of tokens.
    ///
    /// - Parameter maximum: The most parts; the last one then has the rest, separators included.
    package func pieces(separatedBy separator: UInt8, maximum: Int = .max) -> [Substring.UTF8View] {
        var pieces: [Substring.UTF8View] = []
        var rest = self
        while pieces.count < maximum - 1, let index = rest.place(of: separator) {
            pieces.append(rest[..<index])
            rest = rest[rest.index(after: index)...]
        }
        pieces.append(rest)
        return pieces
    }

    /// The index of the first of these bytes.
    func place(of byte: UInt8) -> Index? {
        let found = withContiguousStorageIfAvailable { bytes -> Int? in
            guard let start = bytes.baseAddress, let place = memchr(start, Int32(byte), bytes.count) else { return nil }
            return UnsafeRawPointer(place) - UnsafeRawPointer(start)
        }
        guard let found else { return firstIndex(of: byte) }
        return found.map { index(startIndex, offsetBy: $0) }
    }
}

extension String {
    /// The text with ASCII letters in lower case, and every other character as it is.
    package var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether the text has the character U+0000, which no store keeps.
    package var hasNull: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
        } ?? utf8.contains(0)
    }
}
