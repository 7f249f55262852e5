/// How much the members of requests may hold: the one table for what is read and for what the API's description tells.
///
/// The bounds are far above what clients send. They keep work and rows small; what a field really takes, its own rule says.
enum FieldBounds {
    /// Bytes of a text that has no bound of its own.
    static let text = 2048
    /// Elements of a list that has no bound of its own.
    static let list = 100
    /// Bytes of a profile's texts where the rules take any length, as in development and in imports.
    static let profileText = 64 * 1024
    /// Members of an object whose names are the client's.
    static let members = 100

    // Twice what any token has, so that the rules of tokens refuse those that are a little too long.
    private static let token = 128 * 1024

    // Names of users and providers have rules of their own, which in an import refuse one row and not the whole request.
    private static let identifier = 16 * 1024

    private static let texts: [String: Int] = [
        "localId": identifier, "providerId": identifier, "rawId": identifier, "federatedId": identifier, "email": identifier,
        "initialEmail": identifier, "phoneNumber": identifier,
        "idToken": token, "token": token, "refreshToken": token, "pendingToken": token, "pendingIdToken": token,
        "mfaPendingCredential": token, "sessionInfo": token, "temporaryProof": token, "assertion": token, "payload": token,
        "recaptchaToken": token, "captchaResponse": token, "playIntegrityToken": token, "safetyNetToken": token,
        "appToken": token, "verificationProof": token, "postBody": token, "attestationObject": token, "clientDataJSON": token,
        "customAttributes": token, "requestUri": 16 * 1024, "continueUri": 8 * 1024, "continueUrl": 8 * 1024,
        "authenticatorData": 16 * 1024, "signature": 16 * 1024, "salt": 16 * 1024, "passwordHash": 16 * 1024,
        "displayName": profileText, "photoUrl": profileText,
    ]

    private static let lists: [String: Int] = [
        "users": 10_000, "localIds": 1000, "localId": 1000, "email": 1000, "phoneNumber": 1000, "federatedUserId": 1000,
    ]

    /// The most bytes of a text.
    static func bytes(of name: String) -> Int { texts[name] ?? text }

    /// The most elements of a list.
    static func elements(of name: String) -> Int { lists[name] ?? list }

    /// Whether a list beyond its bound is left to a rule that has an error of its own for it.
    static func isLeftToRule(_ name: String) -> Bool { name == "localIds" }
}
