import Foundation

extension Timestamp {
    /// Reads RFC 3339, `2024-01-02T03:04:05.678Z`, to the millisecond: `Z` or an offset; `nil` for anything else,
    /// and for times outside the years 1 to 9999, as an offset may make them.
    package init?(rfc3339 text: String) {
        // An expression is for short texts.
        guard text.utf8.count <= 64 else { return nil }
        let form = /(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})/
        guard let parts = text.wholeMatch(of: form),
            let date = try? Date((parts.1 + parts.3).uppercased(), strategy: .iso8601)
        else { return nil }
        let fraction = (parts.2.map(String.init) ?? "") + "000"
        guard let milliseconds = Int64(fraction.prefix(3)) else { return nil }
        let time = Timestamp(milliseconds: Int64(date.timeIntervalSince1970) * 1000 + milliseconds)
        guard time.isOfCalendar else { return nil }
        self = time
    }
}
