import Project
import Testing

@testable import HTTPAPI

@Suite("Data of scripts")
struct ScriptDataTests {
    @Test(
        "neither ends its script nor begins another, and scripts read it as it was",
        arguments: [
            "</script><script>alert(1)</script>", "<!-- <script>", "&lt;]]>", "\u{2028}\u{2029}", "\u{202E}evil",
            "a\0\u{1B}\u{7F}",
            // These are part of a character with what is beside them.
            "\u{600}</script>\u{600}<b>\u{600}&", "<\u{338}b>\u{338}&\u{301}", "\u{600}\u{2028}",
            String(decoding: [0x22, 0xFF, 0xC0, 0xBC, 0xED, 0xA0, 0x80, 0x3C], as: UTF8.self),
        ]
    )
    func escaping(text: String) throws {
        let value: JSONValue = ["text": .string(text), "list": [.string(text), 1, true]]
        let data = ScriptData.text(value)
        #expect(!data.unicodeScalars.contains { $0.value < 0x20 || "<>&\u{2028}\u{2029}".unicodeScalars.contains($0) })
        let read = try JSONValue.parse(data.utf8)
        #expect(read == value)
    }
}
