import Project
import Testing

@testable import HTTPAPI

@Suite("HTML")
struct HTMLTests {
    private static let hostile = [
        "\"><script>alert(1)</script>", "' onmouseover='alert(1)",
        "</title></textarea></style></script><img src=x onerror=alert(1)>",
        "\"\u{301} onfocus=\u{301}\"x", "<\u{338}b>", "<!-- <script>", "\u{600}</script\u{600}><b>\u{600}&\u{600}\"\u{600}'",
        "]]>", "\u{202E}evil\u{2066}", "a\0\u{1B}[31m",
        String(decoding: [0x22, 0xFF, 0xC0, 0xBC, 0xED, 0xA0, 0x80, 0x3E], as: UTF8.self),
    ]

    private static func written(_ html: HTML) -> String { String(html.document.dropFirst("<!DOCTYPE html>\n".count)) }

    private static func escaped(_ text: String) -> String {
        let escapes: [Unicode.Scalar: String] = [
            "<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;", "'": "&#39;", "\0": "\u{FFFD}", "\u{1B}": "\u{FFFD}",
        ]
        return text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }

    @Test("elements stand in each other, with attributes in their order")
    func structure() {
        let html = HTML("p", ["id": "a", "hidden": true, "class": nil, "lang": ""], and: ["dir": "ltr", "inert": false]) {
            "one"
            HTML("b", "two")
            if Self.hostile.isEmpty { "three" } else { ["four", "five"].map { HTML("bdi", $0) } }
            for number in 1...2 { HTML("i", "\(number)") }
            HTML("input", ["value": "6"])
        }
        #expect(
            Self.written(html).replacing("\n", with: "") == "<p id=\"a\" hidden lang=\"\" dir=\"ltr\">one<b>two</b>"
                + "<bdi>four</bdi><bdi>five</bdi><i>1</i><i>2</i><input value=\"6\"></p>"
        )
    }

    @Test("a text begins no element and ends no attribute, and is read as it was, but for control characters", arguments: hostile)
    func escaping(text: String) {
        let (html, shown) = (Self.written(HTML("a", ["title": text, "href": text], text)), Self.escaped(text))
        #expect(Array(html.utf8) == Array("<a title=\"\(shown)\" href=\"\(shown)\">\(shown)</a>".utf8))
    }

    @Test("data does not end its script")
    func data() {
        let html = HTML("script", ["nonce": "n"]) { HTML.data(["text": "</script><b>"]) }
        #expect(Self.written(html) == #"<script nonce="n">{"text":"\u003c/script\u003e\u003cb\u003e"}</script>"# + "\n")
    }

    @Test("a text area keeps the line that its text begins with")
    func textArea() {
        // Browsers drop the first line end of the element (HTML §13.2.6.4.7).
        #expect(Self.written(HTML("textarea", "\none")) == "<textarea>\n\none</textarea>\n")
    }

    @Test("a script or style sheet of this server is written as it is, since policies name its hash")
    func source() {
        #expect(Self.written(HTML("style") { HTML.source(Array("a>b{}\n".utf8)) }) == "<style>a>b{}\n</style>\n")
    }
}
