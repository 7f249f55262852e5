import Project
import Testing

@Suite("Form pairs")
struct FormEncodingTests {
    private func pairs(_ text: String) -> [String] {
        FormEncoding.pairs(text[...].utf8).map { "\($0.name)|\($0.value)" }
    }

    @Test(
        "are decoded leniently, as browsers do it",
        arguments: [
            ("a=1&b=2", ["a|1", "b|2"]), ("a=b=c", ["a|b=c"]), ("a", ["a|"]), ("&&a=1&", ["a|1"]), ("", []), ("=v", ["|v"]),
            ("a=x+y%20z%2B", ["a|x y z+"]), ("a=100%&b=%zz%4", ["a|100%", "b|%zz%4"]), ("%61=%c3%A9", ["a|é"]),
            ("a=%00", ["a|\u{0}"]), ("a=%ff", ["a|\u{fffd}"]), ("a=1&a=2", ["a|1", "a|2"]),
            // A separator is a byte. A combining mark after it does not hide it.
            ("a=1&\u{301}b=2", ["a|1", "\u{301}b|2"]),
        ]
    )
    func decoding(text: String, expected: [String]) {
        #expect(pairs(text) == expected)
    }

    @Test("are left out beyond a bound, and where many combining marks are in a row")
    func bounds() {
        let many = (0..<1100).map { "a\($0)=1" }.joined(separator: "&")
        #expect(pairs(many).count == FormEncoding.maximumPairs)
        let marks = String(repeating: "%CC%81", count: 31)
        #expect(pairs("a=\(marks)&\(marks)=1&b=\(marks.dropLast(6))").map { Array($0.utf8.prefix(2)) } == [Array("b|".utf8)])
    }

    @Test("are known by an escape", arguments: [("a%20b", true), ("100%", false), ("%4", false), ("%zz%41", true), ("", false)])
    func escapes(text: String, has: Bool) {
        #expect(FormEncoding.hasEscape(text) == has)
    }
}
