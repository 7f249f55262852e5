import Project
import Testing

@Suite("Texts are cut by bytes")
struct TextLengthTests {
    @Test(
        "between two scalars",
        arguments: [
            ("abc", 3, "abc"), ("abc", 2, "ab"), ("abc", 0, ""), ("aéb", 2, "a"), ("aéb", 3, "aé"), ("a😀", 4, "a"),
            ("a😀", 5, "a😀"),
            ("é", 1, ""), ("e\u{301}\u{301}", 3, "e\u{301}"),
        ]
    )
    func cut(text: String, bytes: Int, rest: String) {
        #expect(Array(text.cut(toBytes: bytes).utf8) == Array(rest.utf8))
    }

    @Test("and let in with thirty combining marks in a row, not with more")
    func marks() {
        let thirty = String(repeating: "\u{301}", count: 30)
        for text in ["", "plain", "日本語", "a\(thirty)b\(thirty)", "👨‍👩‍👧‍👦", "नमस्ते"] { #expect(StreamSafety.holds(for: text)) }
        for text in [thirty + "\u{323}", "x" + thirty + "\u{301}y"] { #expect(!StreamSafety.holds(for: text)) }
    }
}

@Suite("Texts of a profile")
struct ProfileLimitsTests {
    @Test("are bounded by characters in production, by bytes in development, and never hold U+0000")
    func limits() {
        let (fitting, long) = (String(repeating: "é", count: 256), String(repeating: "é", count: 257))
        let huge = String(repeating: "x", count: ProfileLimits.mostBytes + 1)
        for mode in [ModeRules.production, .development] {
            #expect(ProfileLimits.fits(nil, 256, mode) && ProfileLimits.fits(fitting, 256, mode))
            #expect(!ProfileLimits.fits(huge, .max, mode) && !ProfileLimits.fits("a\u{0}", 256, mode))
        }
        #expect(!ProfileLimits.fits(long, 256, .production) && ProfileLimits.fits(long, 256, .development))
        #expect(throws: InvalidArgument.self) { try ProfileLimits.check(long, named: "x", atMost: 256, .production) }
    }
}
