package import Project

extension JSONValue {
    /// A `NumericDate` (RFC 7519 §2) in whole seconds, rounded down. `nil` for other types and for numbers beyond any clock.
    package var numericDate: Int64? {
        switch self {
        case .integer(let seconds): seconds
        case .number(let seconds): Int64(exactly: seconds.rounded(.down))
        default: nil
        }
    }
}
