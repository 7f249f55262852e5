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
    /// The account that was refused, if it is known; for the audit trail only.
    package private(set) var localID: String?
    /// The e-mail address or phone number whose account was refused, where no account is known yet; for the audit trail only.
    package private(set) var holder: Holder?
    /// The identity provider or kind of credential that was refused; for the audit trail only.
    package private(set) var provider: String?

    /// The other account that has what was to be linked; for the audit trail only.
    package private(set) var heldBy: String?

    /// How far the sign-in came; for the audit trail only.
    package private(set) var steps: [SignInStep] = []

    /// What leads to an account.
    package enum Holder: Sendable, Hashable {
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
    ///
    /// - Parameter detail: The work that the server has too much of.
    /// - Returns: The error.
    package static func overload(_ detail: String) -> APIError {
        APIError(.tooManyAttemptsTryLater, detail, cause: nil, retryAfterSeconds: 1, isOverload: true)
    }

    /// The same refusal, with what the audit trail says about it. What is known already stays.
    ///
    /// - Parameters:
    ///   - localID: The account that was refused.
    ///   - holder: What leads to the account, which is looked for after the answer, so that no answer takes longer for it.
    ///   - provider: The identity provider or kind of credential.
    ///   - heldBy: The other account that has what was to be linked.
    /// - Returns: The error.
    package func about(
        _ localID: String? = nil,
        holder: Holder? = nil,
        provider: String? = nil,
        heldBy: String? = nil
    ) -> APIError {
        var error = self
        error.localID = self.localID ?? localID
        error.holder = self.holder ?? holder
        error.provider = self.provider ?? provider
        error.heldBy = self.heldBy ?? heldBy
        return error
    }

    /// The same refusal, with how far the sign-in came.
    func after(_ steps: [SignInStep]) -> APIError {
        var error = self
        error.steps = steps
        return error
    }

    /// Runs a sign-in, and names its kind in a refusal, with how far it came.
    ///
    /// - Parameters:
    ///   - provider: As in ``about(_:holder:provider:)``.
    ///   - body: The sign-in.
    /// - Returns: What it returns.
    /// - Throws: What it throws.
    package static func naming<Value>(provider: String, _ body: () async throws -> Value) async throws -> Value {
        do { return try await SignInTrail.following(body) } catch let error as APIError { throw error.about(provider: provider) }
    }

    /// The text of `error.message` on the wire (`Docs/Contract/conventions.md` §5).
    package var message: String { detail.map { code.rawValue + separator + $0 } ?? code.rawValue }
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
