/// Which texts from outside are let in: those with few combining marks in a row, as in the Stream-Safe Text Format (UAX #15, §13).
///
/// To compare or hash a `String` is to normalize it, and to put n marks in a row into their order takes n² steps. Every text that
/// comes in is therefore read here once, in linear time, at the place where bytes become texts: JSON, forms, headers and targets.
package enum StreamSafety {
    /// The most combining marks in a row.
    package static let maximumMarks = 30

    /// Whether a text has no more than ``maximumMarks`` combining marks in a row.
    package static func holds(for text: String) -> Bool {
        // No mark has fewer than two bytes, and nearly every text is ASCII.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return true }
        var marks = 0
        for scalar in text.unicodeScalars {
            let isMark = scalar.value >= firstMark && scalar.properties.canonicalCombiningClass != .notReordered
            marks = isMark ? marks + 1 : 0
            if marks > maximumMarks { return false }
        }
        return true
    }

    // U+0300 is the first character with a combining class.
    private static let firstMark: UInt32 = 0x300
}
