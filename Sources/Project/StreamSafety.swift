/// Limits the combining marks in a row that a text from outside may have, as the Stream-Safe Text Format does (UAX #15, §13).
///
/// Comparing or hashing a `String` normalizes it, and sorting n marks in a row takes n² steps. Every text that comes in is
/// therefore checked here once, in linear time, where bytes become texts: JSON, forms, headers and targets.
package enum StreamSafety {
    /// The most combining marks in a row.
    package static let maximumMarks = 30

    /// Whether a text has no more than ``maximumMarks`` combining marks in a row.
    package static func holds(for text: String) -> Bool {
        // Most texts are ASCII, and no combining mark is.
        if isASCII(text) { return true }
        var marks = 0
        for scalar in text.unicodeScalars {
            let isMark = scalar.value >= firstMark && scalar.properties.canonicalCombiningClass != .notReordered
            marks = isMark ? marks + 1 : 0
            if marks > maximumMarks { return false }
        }
        return true
    }

    private static func isASCII(_ text: String) -> Bool {
        var text = text
        // One pass without branches costs less than one that stops at the first other byte.
        return text.withUTF8 { $0.reduce(0, |) } < 0x80
    }

    // U+0300 is the first character with a combining class.
    private static let firstMark: UInt32 = 0x300
}
