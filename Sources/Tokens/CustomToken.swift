package import Project

/// A token in which a service account of the project vouches for a user (`Docs/Contract/tokens.md` §4).
///
/// The caller runs the steps of its verification one by one, in the order of `Docs/Contract/client-accounts.md` §4.
package struct CustomToken: Sendable {
    private let token: CompactJWS

    package static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// Splits a token into its parts. Nothing of it is verified.
    package init(_ text: String) throws {
        do {
            token = try CompactJWS(text)
        } catch {
            throw APIError(.invalidCustomToken, "Invalid assertion format", cause: error)
        }
    }

    /// The claims of the token, unverified.
    package var payload: JSONValue { token.payload }

    /// The user that the claims of a custom token name, by the present or the older name of the claim. A number or a truth value stands
    /// for its text.
    package static func uid(in payload: JSONValue) -> String? { text(payload["uid"]) ?? text(payload["user_id"]) }

    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text
        case .bool(let flag): String(flag)
        case .integer(let number): String(number)
        // A whole number is written without a fraction, whatever its spelling in the token.
        case .number(let number): Int64(exactly: number).map { String($0) } ?? String(number)
        default: nil
        }
    }

    package func checkAudience() throws {
        guard bytesEqual(payload["aud"]?.string, Self.audience) else {
            throw Self.invalid("The audience (aud) is not that of custom tokens.")
        }
    }

    /// The service account that claims to have signed the token.
    ///
    /// - Throws: `APIError` `INVALID_CUSTOM_TOKEN` when the header is not a custom token's, or `iss` and `sub` differ.
    package func account() throws -> String {
        guard token.algorithm == VerificationKey.Algorithm.rs256.rawValue, token.isPlainJWT else {
            throw Self.invalid("The token must be a JWT signed with RS256.")
        }
        guard let issuer = payload["iss"]?.string, bytesEqual(payload["sub"]?.string, issuer) else {
            throw Self.invalid("The issuer (iss) and the subject (sub) must be one service account.")
        }
        return issuer
    }

    /// Checks signature and times.
    ///
    /// - Parameters:
    ///   - keys: The service account's; empty when no such account is registered. Tokens that Postern signs have no key id, so
    ///     that each key is tried.
    ///   - now: In seconds.
    package func verify(with keys: [VerificationKey], at now: Int64) throws {
        guard keys.contains(where: { $0.verifies(token) }) else {
            throw Self.invalid("The signature is not that of a service account of this project.")
        }
        if let fault = ServiceAccountTimes(payload).fault(at: now, of: "token") { throw Self.invalid(fault) }
    }

    private static func invalid(_ detail: String) -> APIError { APIError(.invalidCustomToken, detail) }
}
