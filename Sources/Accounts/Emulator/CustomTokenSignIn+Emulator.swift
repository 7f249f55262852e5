import Project
import Tokens

extension CustomTokenSignIn {
    /// The claims of a token that is believed unverified: unsigned, or as plain JSON.
    ///
    /// - Throws: `APIError` `INVALID_CUSTOM_TOKEN`, `TENANT_ID_MISMATCH`.
    func unverified(_ text: String, scope: Scope) throws -> JSONValue {
        if text.hasPrefix("{") {
            guard text.utf8.count <= CompactJWS.maximumLength, let payload = try? JSONValue.parse(text.utf8) else {
                throw APIError(.invalidCustomToken, "((A custom token that begins with a brace must be strict JSON.))")
            }
            return payload
        }
        let claims = try? CompactJWS(unverified: text).payload
        // As in the emulator, the project accepts a tenant's token.
        if scope.tenantID != nil { try checkTenant(of: claims, scope: scope) }
        guard let payload = claims else { throw APIError(.invalidCustomToken, "Invalid assertion format") }
        guard bytesEqual(payload["aud"]?.string, CustomToken.audience) else {
            let named = (payload["aud"]?.string ?? payload["aud"]?.text ?? "undefined").prefix(LocalID.maximumLength)
            throw APIError(
                .invalidCustomToken,
                "((Invalid aud (audience): \(named). ID tokens and tokens of other parties are no custom tokens.))"
            )
        }
        return payload
    }
}
