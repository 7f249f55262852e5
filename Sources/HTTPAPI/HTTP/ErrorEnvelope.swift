import Accounts
import HTTPTypes
import Hummingbird
import NIOCore
import Project
import Storage
import Tokens

/// The only renderer of errors: every failed API call is answered with Firebase's envelope (`Docs/Contract/conventions.md` §5).
struct ErrorEnvelope: Codable {
    private let error: Body

    private struct Body: Codable {
        let code: Int
        let message: String
        let errors: [Entry]
        let status: String?
        var details: [Detail]?
    }

    // This is google.rpc.ErrorInfo.
    private struct Detail: Codable {
        var type = "type.googleapis.com/google.rpc.ErrorInfo"
        var domain = "googleapis.com"
        let reason: String

        enum CodingKeys: String, CodingKey {
            case type = "@type"
            case reason, domain
        }
    }

    // All members are strings, because the iOS SDK casts every value of an entry to a string.
    private struct Entry: Codable {
        let message: String
        var domain = "global"
        let reason: String
        let location: String?
        let locationType: String?
    }

    /// The form of every error of the API.
    static let schema = Schema(name: "Error", answer: ErrorEnvelope.self)

    /// The rendered answer to an error.
    struct Rendered {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let envelope: ErrorEnvelope
        /// The cause that only the log shows.
        let hiddenCause: (any Error)?
    }

    static func render(_ error: any Error) -> Rendered {
        switch error {
        case let error as APIError: business(error)
        case let error as TransportError: transport(error)
        case let error as InvalidArgument: transport(.invalidArgument(error.message))
        case let error as NotImplemented: transport(TransportError(error))
        case is NIOTooManyBytesError: transport(.bodyTooLarge)
        case let error as HTTPError: http(error)
        case let error as StorageError: storage(error)
        case is KeyRing.NotLoaded: transport(.unavailable, hiding: error)
        default: transport(.internalError, hiding: error)
        }
    }

    private static func business(_ error: APIError) -> Rendered {
        let status = status(of: error)
        var headers = HTTPFields()
        headers[.retryAfter] = error.retryAfterSeconds.map(String.init)
        let entry = Entry(message: error.message, reason: "invalid", location: nil, locationType: nil)
        let body = Body(code: status.code, message: error.message, errors: [entry], status: statusName(of: error, status))
        return Rendered(status: status, headers: headers, envelope: ErrorEnvelope(error: body), hiddenCause: error.cause)
    }

    // Two kinds of error name a gRPC status, as in the emulator: a lost race and an internal error.
    private static func statusName(of error: APIError, _ status: HTTPResponse.Status) -> String? {
        if error.code == .aborted { return error.code.rawValue }
        return status == .internalServerError ? "INTERNAL" : nil
    }

    // A throttled client gets 400, as from Firebase; 429 means that the server is overloaded.
    private static func status(of error: APIError) -> HTTPResponse.Status {
        if let status = error.status { return .init(code: status) }
        if error.isOverload { return .tooManyRequests }
        return switch error.code {
        case .tenantNotFound, .configurationNotFound, .serviceAccountNotFound: .notFound
        case .configurationExists, .aborted: .conflict
        default: .badRequest
        }
    }

    private static func transport(_ error: TransportError, hiding cause: (any Error)? = nil) -> Rendered {
        let entry = Entry(
            message: error.entryMessage ?? error.message,
            reason: error.reason,
            location: error.location,
            locationType: error.location.map { _ in "header" }
        )
        let body = Body(
            code: error.status.code,
            message: error.message,
            errors: [entry],
            status: error.statusName,
            details: error.detailReason.map { [Detail(reason: $0)] }
        )
        return Rendered(
            status: error.status,
            headers: error.headers,
            envelope: ErrorEnvelope(error: body),
            hiddenCause: cause
        )
    }

    private static func http(_ error: HTTPError) -> Rendered {
        switch error.status {
        case .notFound: transport(.notFound)
        case .contentTooLarge: transport(.bodyTooLarge)
        case let status where status.kind == .clientError:
            transport(TransportError(status, "INVALID_ARGUMENT", status.reasonPhrase, reason: "badRequest"))
        default: transport(.internalError, hiding: error)
        }
    }

    private static func storage(_ error: StorageError) -> Rendered {
        switch error {
        case .busy, .unavailable, .outcomeUnknown, .readOnly, .full, .closed: transport(.unavailable, hiding: error)
        default: transport(.internalError, hiding: error)
        }
    }
}
