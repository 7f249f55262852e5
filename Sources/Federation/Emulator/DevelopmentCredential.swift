package import Project
import Tokens

/// Development mode's substitutes for provider credentials, as the Firebase emulator accepts them: claims as plain JSON or in an
/// unsigned token (`Docs/Contract/emulator-endpoints.md` §7.1). Production never uses this type.
package enum DevelopmentCredential {
    /// Only the provider can read the credential, and the provider is not configured.
    package struct Opaque: Error {}

    /// What a credential says, without verification.
    package struct Unverified: Sendable {
        package let claims: JSONValue
        /// Whether it has a signature, and so may need verification.
        package let isSigned: Bool
    }

    /// Reads a credential without verifying it.
    ///
    /// - Returns: Its claims; `nil` when only the provider can read it.
    /// - Throws: `APIError` `INVALID_IDP_RESPONSE` for an ID token that is neither JSON nor a JWT.
    package static func read(_ credential: IdPCredential) throws -> Unverified? {
        if let idToken = credential.idToken { return try read(idToken) }
        return credential.accessToken.flatMap { try? read($0) }
    }

    /// The identity of unverified claims.
    ///
    /// - Parameter claims: The claims; `sub` is required.
    /// - Returns: The identity. Its e-mail counts as verified if the claims say so.
    package static func identity(claims: JSONValue, credential: IdPCredential) throws -> VerifiedIdentity {
        guard let member = claims["sub"], member != .null, member != "" else {
            throw APIError(
                .invalidIdPResponse,
                """
                Invalid Idp Response: id_token missing required fields. ((Missing "sub" field. This field is required and must be a \
                unique identifier.))
                """
            )
        }
        guard let subject = member.string, !subject.utf8.contains(0) else {
            throw APIError(.invalidIdPResponse, "((The \"sub\" field must be a string.))")
        }
        guard KeyLength.fits(subject, KeyLength.rawID) else {
            throw APIError(.invalidIdPResponse, "((The \"sub\" field must have at most \(KeyLength.rawID) bytes.))")
        }
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: subject, rawUserInfo: claims)
        identity.takeStandardClaims(claims)
        identity.email = claims["email"]?.string.flatMap { EmailAddress.canonical($0, mode: .development) }
        identity.screenName = claims["screen_name"]?.string.flatMap(ProfileText.name)
        identity.isEmailVerified = identity.email != nil && isTruthy(claims["email_verified"])
        Providers.kind(of: credential.providerID)?.completeStandIn(&identity, claims: claims, credential: credential)
        identity.takeTokens(of: credential)
        return identity
    }

    private static func read(_ text: String) throws -> Unverified {
        if text.hasPrefix("{") {
            guard let claims = try? JSONValue.parse(text.utf8) else {
                throw unparsable(text, "Auth Emulator failed to parse fake id_token as strict JSON.")
            }
            return Unverified(claims: claims, isSigned: false)
        }
        guard let token = try? CompactJWS(unverified: text) else {
            throw unparsable(text, "Auth Emulator only accepts strict JSON or JWTs as fake id_tokens.")
        }
        return Unverified(claims: token.payload, isSigned: token.algorithm != "none")
    }

    private static func unparsable(_ text: String, _ hint: String) -> APIError {
        APIError(.invalidIdPResponse, "Unable to parse id_token: \(text.prefix(200)) ((\(hint)))")
    }

    /// Whether a claim is truthy in JavaScript, because the emulator is written in JavaScript.
    static func isTruthy(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null, .bool(false), .integer(0), .string(""): false
        case .number(let number): number != 0
        default: true
        }
    }
}

extension VerifiedIdentity {
    /// Makes up an access token if there is none, as the emulator does (`Docs/Contract/client-accounts.md` §5.4).
    mutating func takeStandInAccessToken() {
        accessToken = accessToken ?? "FirebaseAuthEmulatorFakeAccessToken_\(providerID)"
    }
}
