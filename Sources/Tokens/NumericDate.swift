package import Project

extension JSONValue {
    /// A `NumericDate` (RFC 7519 §2) in whole seconds, rounded down. `nil` for other types, and for times outside the years 1 to 9999:
    /// no clock shows them, and sums with them could overflow.
    package var numericDate: Int64? {
        let seconds: Int64? =
            switch self {
            case .integer(let seconds): seconds
            case .number(let seconds): Int64(exactly: seconds.rounded(.down))
            default: nil
            }
        return seconds.flatMap { Timestamp(seconds: $0).isOfCalendar ? $0 : nil }
    }
}
