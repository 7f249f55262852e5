extension String {
    /// The text up to so many bytes of UTF-8, cut between two characters of Unicode (scalars).
    package func cut(toBytes maximum: Int) -> String {
        guard utf8.count > maximum else { return self }
        var bytes = utf8.prefix(maximum)
        // A continuation byte at the cut: its character does not fit.
        if utf8[bytes.endIndex] & 0xC0 == 0x80 {
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
