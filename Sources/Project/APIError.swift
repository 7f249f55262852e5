/// A refusal that the client is told about: one code of the contract, with an optional free text behind it.
///
/// The renderer writes `CODE` or `CODE : detail`; `cause` goes to the log and nowhere else.
package struct APIError: Error, Sendable {
    package let code: ErrorCode
    package let detail: String?
    /// The text between code and detail.
    private let separator: String
    package let cause: (any Error)?
    /// After how many seconds another try may succeed, sent as `Retry-After` (RFC 9110 §10.2.3).
    package let retryAfterSeconds: Int?
    /// Whether the load of the server, and not the caller, is the reason. Such a refusal is answered with 429 instead of 400.
    package let isOverload: Bool
    /// The HTTP status, where the code alone does not decide it.
    package var status: Int?
    /// The limit that was reached, one of a fixed set of names for metrics; `nil` when the error is of another kind.
    package var limit: String?
    /// Whom the refusing rule knows to be refused; for the audit trail only.
    package private(set) var subject: Subject?
    /// The other account that has what was to be linked; for the audit trail only.
    package private(set) var heldBy: String?

    /// Who was refused. An address or number is looked up after the answer, so that no answer takes longer for it.
    package enum Subject: Sendable, Hashable {
        case account(String)
        case email(String)
        /// In E.164.
        case phoneNumber(String)
    }

    package init(
        _ code: ErrorCode,
        _ detail: String? = nil,
        cause: (any Error)? = nil,
        retryAfterSeconds: Int? = nil
    ) {
        self.init(code, detail, cause: cause, retryAfterSeconds: retryAfterSeconds, isOverload: false)
    }

    /// `CODE ((remark))`: a few of the emulator's texts have no colon, and its tests compare them whole.
    package init(_ code: ErrorCode, remark: String) {
        self.init(code, "((\(remark)))", separator: " ", cause: nil, retryAfterSeconds: nil, isOverload: false)
    }

    private init(
        _ code: ErrorCode,
        _ detail: String?,
        separator: String = " : ",
        cause: (any Error)?,
        retryAfterSeconds: Int?,
        isOverload: Bool
    ) {
        self.separator = separator
        self.code = code
        self.detail = detail
        self.cause = cause
        self.retryAfterSeconds = retryAfterSeconds
        self.isOverload = isOverload
    }

    /// `TOO_MANY_ATTEMPTS_TRY_LATER` for a server that has too much to do now, and may have less in a second.
    package static func overload(_ detail: String) -> APIError {
        APIError(.tooManyAttemptsTryLater, detail, cause: nil, retryAfterSeconds: 1, isOverload: true)
    }

    /// The same refusal, with what the audit trail says about it.
    package func about(_ subject: Subject? = nil, heldBy: String? = nil) -> APIError {
        var error = self
        error.subject = subject
        error.heldBy = heldBy
        return error
    }

    /// The text of `error.message` on the wire (`Docs/Contract/conventions.md` §5).
    package var message: String { detail.map { code.rawValue + separator + $0 } ?? code.rawValue }
}

/// Unwraps a value that the request must have.
package func require<Value>(_ value: Value?, _ code: ErrorCode) throws -> Value {
    guard let value else { throw APIError(code) }
    return value
}
