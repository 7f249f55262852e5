package import HTTPTypes
import Project

/// A refusal before the rules: credentials, path, method, size (`Docs/Contract/conventions.md` §2 and §5).
package struct TransportError: Error, Sendable {
    package let status: HTTPResponse.Status
    /// `error.status`, the name of a gRPC code.
    package let statusName: String
    package let message: String
    /// `error.errors[0].reason`.
    package let reason: String
    /// `error.errors[0].message`, when it differs from ``message``.
    package var entryMessage: String?
    /// `error.errors[0].location`, a header of the request.
    package var location: String?
    /// `reason` of the `google.rpc.ErrorInfo` in `error.details`.
    package var detailReason: String?
    package var headers = HTTPFields()

    package init(
        _ status: HTTPResponse.Status,
        _ statusName: String,
        _ message: String,
        reason: String,
        entryMessage: String? = nil,
        location: String? = nil,
        detailReason: String? = nil,
        headers: HTTPFields = HTTPFields()
    ) {
        self.status = status
        self.statusName = statusName
        self.message = message
        self.reason = reason
        self.entryMessage = entryMessage
        self.location = location
        self.detailReason = detailReason
        self.headers = headers
    }
}

extension TransportError {
    private static let oauthMessage = """
        Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid \
        authentication credential.
        """

    static let missingKey = forbidden("The request is missing a valid API key.")

    /// The iOS SDK recognizes this error by the reason, the JS SDK by the text.
    static let unknownKey = TransportError(
        .badRequest,
        "INVALID_ARGUMENT",
        "API key not valid. Please pass a valid API key.",
        reason: "keyInvalid",
        detailReason: "API_KEY_INVALID"
    )

    static let badBearer = unauthenticated(reason: "authError", "Invalid Credentials")
    static let bearerRequired = unauthenticated(reason: "required", "Login Required.")

    private static func unauthenticated(reason: String, _ entryMessage: String) -> TransportError {
        TransportError(
            .unauthorized,
            "UNAUTHENTICATED",
            oauthMessage,
            reason: reason,
            entryMessage: entryMessage,
            location: "Authorization"
        )
    }

    /// A valid credential without the needed scope. The Admin SDKs recognize this error by its first word.
    static let insufficientScope = forbidden("INSUFFICIENT_PERMISSION : The caller does not have permission.")

    /// A feature of a privileged or emulator call that Postern does not have (`Docs/Contract/conventions.md` §5).
    static func notImplemented(_ feature: String, where place: String = "") -> TransportError {
        TransportError(.notImplemented, "NOT_IMPLEMENTED", "\(feature) is not implemented\(place).", reason: "unimplemented")
    }

    /// A call that is not permitted, also one from a host or page.
    static func forbidden(_ message: String) -> TransportError {
        TransportError(.forbidden, "PERMISSION_DENIED", message, reason: "forbidden")
    }

    static let notFound = TransportError(.notFound, "NOT_FOUND", "Not Found", reason: "notFound")

    static func methodNotAllowed(allowed: String) -> TransportError {
        TransportError(
            .methodNotAllowed,
            "INVALID_ARGUMENT",
            "Method Not Allowed",
            reason: "httpMethodNotAllowed",
            headers: [.allow: allowed]
        )
    }

    static let bodyTooLarge = TransportError(
        .contentTooLarge,
        "INVALID_ARGUMENT",
        "Request payload is too large.",
        reason: "uploadTooLarge"
    )

    /// A body with broken framing, or one that ends too early; the connection cannot be used further.
    static let brokenBody = TransportError(
        .badRequest,
        "INVALID_ARGUMENT",
        "The request's body could not be read.",
        reason: "badRequest",
        headers: [.connection: "close"]
    )

    /// RFC 9112 §6.1
    package static let unknownTransferCoding = TransportError(
        .notImplemented,
        "INVALID_ARGUMENT",
        "The request's Transfer-Encoding must be chunked.",
        reason: "badRequest"
    )

    /// RFC 9110 §15.5.16
    static let unknownCoding = TransportError(
        .unsupportedMediaType,
        "INVALID_ARGUMENT",
        "The request's body must be sent as it is, or as one gzip stream (Content-Encoding).",
        reason: "unsupportedMediaType",
        headers: [.acceptEncoding: "gzip"]
    )

    /// A compressed body where none may be, as on pages.
    static let compressedForm = TransportError(
        .unsupportedMediaType,
        "INVALID_ARGUMENT",
        "The request's body must be sent as it is (Content-Encoding).",
        reason: "unsupportedMediaType",
        headers: [.acceptEncoding: "identity"]
    )

    /// A body that its `Content-Encoding` does not fit.
    static let malformedGzip = invalidArgument("The request's body is not one whole gzip stream.", reason: "parseError")

    /// A form with a name twice, of which readers could see one or the other, or with a field that cannot be kept.
    static let ambiguousForm = invalidArgument(
        "The form has a field twice, too many fields, or a text that is not permitted.",
        reason: "parseError"
    )

    /// RFC 9112 §3.2
    static let severalHosts = invalidArgument("A request names one host.", reason: "badRequest")

    /// RFC 9112 §3.2
    static let noHost = invalidArgument("A request names its host.", reason: "badRequest")

    /// RFC 9112 §3.2
    static let invalidHost = invalidArgument("The request's host is no name and no address.", reason: "badRequest")

    /// A client whose share of pending work is used up (threat case RES-03).
    package static let tooMuchAtOnce = TransportError(
        .tooManyRequests,
        "RESOURCE_EXHAUSTED",
        "Too many requests are in progress from this address.",
        reason: "rateLimitExceeded",
        headers: [.retryAfter: "1", .connection: "close"]
    )

    /// A server whose room for pending work is used up by all clients together (threat case RES-03).
    package static let noRoom = TransportError(
        .serviceUnavailable,
        "UNAVAILABLE",
        "The service is currently unavailable.",
        reason: "backendError",
        headers: [.retryAfter: "1", .connection: "close"]
    )

    static let malformedJSON = invalidArgument(
        "Invalid JSON payload received. The body is not valid JSON.",
        reason: "parseError"
    )

    /// A JSON document that exceeds a limit: see `JSONValue.ParseError.excessive`.
    static let excessiveJSON = invalidArgument(
        """
        Invalid JSON payload received. An object may have \(JSONValue.maximumMembers) members, a name \
        \(JSONValue.maximumNameBytes) bytes, and a text \(StreamSafety.maximumMarks) combining marks in a row.
        """,
        reason: "parseError"
    )

    /// A header or target with too many combining marks in a row.
    package static let excessiveMarks = invalidArgument(
        "A header or the target has more than \(StreamSafety.maximumMarks) combining marks in a row.",
        reason: "badRequest"
    )

    /// A member of the wrong shape: its JSON pointer (RFC 6901), and what it must be.
    static func wrongShape(_ pointer: String, _ problem: String) -> TransportError {
        invalidArgument(InvalidArgument(at: pointer, problem).message)
    }

    /// A malformed request.
    static func invalidArgument(_ message: String, reason: String = "invalid") -> TransportError {
        TransportError(.badRequest, "INVALID_ARGUMENT", message, reason: reason)
    }

    static let unavailable = TransportError(
        .serviceUnavailable,
        "UNAVAILABLE",
        "The service is currently unavailable.",
        reason: "backendError",
        headers: [.retryAfter: "1"]
    )

    static let internalError = TransportError(
        .internalServerError,
        "INTERNAL",
        "Internal error encountered.",
        reason: "backendError"
    )
}
