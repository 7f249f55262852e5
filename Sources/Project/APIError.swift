/// A refusal that the client is told about: one code of the contract, with an optional free text behind it.
///
/// The renderer writes `CODE` or `CODE : detail`; `cause` goes to the log and nowhere else.
package struct APIError: Error, Sendable {
    package let code: ErrorCode
    package let detail: String?
    package let cause: (any Error)?

    package init(_ code: ErrorCode, _ detail: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.detail = detail
        self.cause = cause
    }

    /// The text of `error.message` on the wire (`contract/conventions.md` §5).
    package var message: String { detail.map { "\(code.rawValue) : \($0)" } ?? code.rawValue }
}

/// Unwraps a value that the request must have.
///
/// - Parameters:
///   - value: The value, or `nil` when the request lacks it.
///   - code: What to refuse with.
/// - Returns: The value.
/// - Throws: ``APIError`` with `code` when there is no value.
package func require<Value>(_ value: Value?, _ code: ErrorCode) throws -> Value {
    guard let value else { throw APIError(code) }
    return value
}
