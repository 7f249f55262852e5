import Project
import Testing

@testable import SAML

@Suite("Times of SAML") struct TimeTests {
    @Test("are those that RFC 3339 has") func same() throws {
        for text in [
            "1970-01-01T00:00:00Z", "2026-11-25T23:46:37Z", "2024-02-29T12:00:00.5Z", "2000-12-31T23:59:59.999999999Z",
            "2100-03-01T00:00:00.01Z", "1969-12-31T23:59:59Z", "2030-03-17T17:46:40.123Z",
        ] {
            let expected = try #require(Timestamp(rfc3339: text))
            #expect(DateTime.parse(text) == expected, "\(text)")
        }
    }

    @Test(
        "of another form, or of days and hours that do not exist",
        arguments: [
            "", "Z", "2026-11-25", "2026-11-25T23:46:37", "2026-11-25 23:46:37Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
            "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567890Z",
            "2026-01-01T00:00:00x1Z", "0000-01-01T00:00:00Z", "-026-01-01T00:00:00Z", "2026-01-01T00:00:00ZZ",
            "２026-01-01T00:00:00Z",
        ]
    ) func others(_ text: String) { #expect(DateTime.parse(text) == nil) }
}
