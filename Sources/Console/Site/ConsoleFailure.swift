import Accounts
import HTTPTypes
import Hummingbird
import Project
import Storage

/// Refusals of the site itself.
enum ConsoleFailure: Error {
    case unknownPage
    case noSuchAction
    case foreignForm
    case tooLarge
    /// A form or query that cannot be read whole, or that no store keeps.
    case unstorableText
    /// As much of it is done at once already as may be.
    case tooMuchAtOnce
}

extension ConsolePage {
    /// The page that tells an operator what went wrong.
    static func failure(
        _ error: any Error,
        _ visit: ConsoleVisit
    ) -> (page: ConsolePage, status: HTTPResponse.Status, isUnexpected: Bool) {
        let texts = visit.texts
        func page(_ key: String, _ values: [String: String] = [:], items: [String] = []) -> ConsolePage {
            ConsolePage(
                title: texts["error.title"],
                blocks: [
                    .notice(Notice(kind: .error, text: texts.text(key, values), items: items)),
                    .facts([Fact(label: texts["error.requestID"], value: .code(visit.client.requestID ?? "-"))]),
                ],
                isNarrow: visit.signedIn == nil
            )
        }
        switch error {
        case ConsoleFailure.unknownPage: return (page("error.unknownPage"), .notFound, false)
        case ConsoleFailure.noSuchAction: return (page("error.noSuchAction"), .methodNotAllowed, false)
        case ConsoleFailure.foreignForm: return (page("error.foreignForm"), .forbidden, false)
        case ConsoleFailure.tooMuchAtOnce: return (page("error.tooMuchAtOnce"), .serviceUnavailable, false)
        case ConsoleFailure.unstorableText: return (page("error.unstorableText"), .badRequest, false)
        case ConsoleFailure.tooLarge: return (page("error.tooLarge"), .contentTooLarge, false)
        case let error as OperatorError:
            let (key, values) = error.text
            let status: HTTPResponse.Status =
                switch error {
                case .notAllowed: .forbidden
                case .tooManyAttempts: .tooManyRequests
                default: .badRequest
                }
            return (page(key, values), status, false)
        case let error as APIError:
            let status: HTTPResponse.Status = error.isOverload ? .serviceUnavailable : .badRequest
            let explained = texts["apiError.\(error.code.rawValue)"]
            let isExplained = explained != "apiError.\(error.code.rawValue)"
            return (
                page(isExplained ? "apiError.\(error.code.rawValue)" : "error.api", items: [error.message]), status, false
            )
        case let error as InvalidArgument: return (page("error.api", items: [error.message]), .badRequest, false)
        case let error as StorageError where error.isLoggedAtSource || error == .closed:
            return (page("error.storage"), .serviceUnavailable, true)
        default: return (page("error.internal"), .internalServerError, true)
        }
    }
}

extension OperatorError {
    /// The key of the error's text, and the values in it.
    var text: (key: String, values: [String: String]) {
        switch self {
        case .tooManyAttempts(let seconds): ("error.tooManyAttempts", ["seconds": "\(seconds)"])
        case .weakPassword: ("error.weakPassword", ["length": "\(OperatorPassword.minimumLength)"])
        default: ("error.\(name)", [:])
        }
    }
}
