import Project
import Storage

/// A blocking function's answer: changes of the account by the names in its mask (`Docs/Contract/admin-config.md` §10.5).
struct BlockingFunctionAnswer: Sendable {
    /// A change of one field of the account.
    private enum FieldChange: Sendable {
        case displayName(String?)
        case photoURL(String?)
        case disabled(Bool)
        case emailVerified(Bool)
        case customClaims(String)
    }

    private var changes: [FieldChange] = []
    /// The claims of the new session, as a JSON object's text.
    private(set) var sessionClaims: String?
    private let mode: ModeRules

    /// Whether the account is switched off.
    var disables: Bool {
        changes.reduce(false) { disables, change in if case .disabled(let isDisabled) = change { isDisabled } else { disables } }
    }

    /// Makes an answer that changes nothing.
    init(mode: ModeRules) { self.mode = mode }

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - answer: JSON; a value other than an object counts as empty.
    ///   - mode: Development shows also when an account was enabled.
    /// - Throws: `APIError` `BLOCKING_FUNCTION_ERROR_RESPONSE`, `CAPTCHA_CHECK_FAILED`, `INVALID_CLAIMS`, `CLAIMS_TOO_LARGE`,
    ///   `FORBIDDEN_CLAIM`.
    init(_ answer: JSONValue, to event: BlockingFunctions.Event, mode: ModeRules) throws {
        self.mode = mode
        if answer["recaptchaActionOverride"]?.string == "BLOCK" { throw APIError(.captchaCheckFailed) }
        guard let record = answer["userRecord"], record != .null else { return }
        guard let mask = record["updateMask"]?.string, !mask.isEmpty else {
            throw Self.refusal("Response UserRecord is missing updateMask.")
        }
        for entry in mask.split(separator: ",") {
            switch entry.trimmingPrefix(while: \.isWhitespace) {
            case "displayName":
                changes.append(.displayName(try Self.text(record["displayName"], ProfileLimits.displayName, mode)))
            // The functions SDK writes `photoURL`, the emulator reads `photoUrl`.
            case "photoUrl", "photoURL":
                let text = try Self.text(record["photoUrl"] ?? record["photoURL"], ProfileLimits.photoURL, mode)
                changes.append(.photoURL(text))
            case "disabled": changes.append(.disabled(Self.isTrue(record["disabled"])))
            case "emailVerified": changes.append(.emailVerified(Self.isTrue(record["emailVerified"])))
            case "customClaims": changes.append(.customClaims(try CustomClaims.validated(Self.claims(record["customClaims"]))))
            case "sessionClaims" where event == .beforeSignIn:
                sessionClaims = try CustomClaims.validated(Self.claims(record["sessionClaims"]))
            default: break
            }
        }
    }

    /// Applies the changes.
    ///
    /// - Parameter time: The address counts as proven since then if the function verifies it.
    func apply(to account: inout AccountRecord, at time: Timestamp) {
        for change in changes {
            switch change {
            case .displayName(let text): account.displayName = text
            case .photoURL(let text): account.photoURL = text
            case .disabled(let isDisabled):
                account.isDisabled = isDisabled
                account.showsEnabled = mode.showsWhatWasEmptied
            case .emailVerified(let isVerified): account.vouch(forAddress: isVerified, at: time)
            case .customClaims(let text): account.customAttributes = text
            }
        }
    }

    /// Makes the error that tells the client about a function's failure.
    static func refusal(_ text: String, cause: (any Error)? = nil) -> APIError {
        APIError(.blockingFunctionErrorResponse, "((\(text)))", cause: cause)
    }

    private static func claims(_ value: JSONValue?) throws -> String {
        guard let value, value.object != nil else { throw APIError(.invalidClaims) }
        return value.text
    }

    // Numbers and booleans are written as in JavaScript; other values, and an empty text, clear the field.
    private static func text(_ value: JSONValue?, _ length: Int, _ mode: ModeRules) throws -> String? {
        let text: String? =
            switch value {
            case .string(let text): text.isEmpty ? nil : text
            case .integer, .number, .bool: value?.text
            case nil, .null, .array, .object: nil
            }
        guard ProfileLimits.fits(text, length, mode) else { throw refusal("Response UserRecord has a text that is too long.") }
        return text
    }

    // Converts a value to a boolean as JavaScript does.
    private static func isTrue(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null: false
        case .bool(let value): value
        case .integer(let value): value != 0
        case .number(let value): value != 0
        case .string(let text): !text.isEmpty
        case .array, .object: true
        }
    }
}
