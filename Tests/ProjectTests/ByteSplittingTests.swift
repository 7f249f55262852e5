import Testing

@testable import Project

@Suite("Splitting texts by bytes")
struct ByteSplittingTests {
    private func pieces(_ text: String, maximum: Int = .max) -> [String] {
        text[...].utf8.pieces(separatedBy: UInt8(ascii: "."), maximum: maximum).map { String(Substring($0)) }
    }

    @Test(
        "gives the parts that the standard library gives",
        arguments: ["", ".", "a", "a.b", ".a..b.", "ä.\u{1F600}.", "a.b.c.d"]
    )
    func parts(text: String) {
        let expected = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        #expect(pieces(text) == expected)
    }

    @Test("stops at the most parts, and the last one has the rest")
    func bounded() {
        #expect(pieces("a.b.c.d", maximum: 2) == ["a", "b.c.d"])
        #expect(pieces("a.b", maximum: 2) == ["a", "b"])
        #expect(pieces("a.b", maximum: 1) == ["a.b"])
    }

    @Test("works on a part of a text")
    func slices() {
        let text = "x.y|a.b"
        let part = text.utf8[text.utf8.index(text.startIndex, offsetBy: 4)...]
        #expect(part.pieces(separatedBy: UInt8(ascii: ".")).map { String(Substring($0)) } == ["a", "b"])
    }

    @Test("U+0000 is found wherever it stands, also in short and empty texts")
    func null() {
        #expect(!"".hasNull)
        #expect(!"abc".hasNull)
        #expect("\0".hasNull)
        #expect("ab\0".hasNull)
        #expect((String(repeating: "ä", count: 40) + "\0").hasNull)
        #expect(!String(repeating: "ä", count: 40).hasNull)
    }
}
