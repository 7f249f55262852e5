extension String {
    /// The longest beginning of the text that has at most so many bytes of UTF-8. The cut is between two Unicode scalars.
    package func cut(toBytes maximum: Int) -> String {
        guard utf8.count > maximum else { return self }
        var bytes = utf8.prefix(maximum)
        // A continuation byte at the cut means that its scalar does not fit.
        if utf8[bytes.endIndex] & 0xC0 == 0x80 {
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
