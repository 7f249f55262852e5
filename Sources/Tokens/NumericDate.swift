package import Project

extension JSONValue {
    /// A `NumericDate` (RFC 7519 §2) in whole seconds, a fraction rounded down; `nil` for what is no number, or none that a clock shows.
    package var numericDate: Int64? {
        switch self {
        case .integer(let seconds): seconds
        case .number(let seconds): Int64(exactly: seconds.rounded(.down))
        default: nil
        }
    }
}
