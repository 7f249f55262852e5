import Project

/// The size limits of request members: one table for reading requests and for the API's description.
///
/// The limits are far above what clients send. They keep work and rows small; each field's own rule decides what it accepts.
enum FieldBounds {
    /// The most bytes of a text without a limit of its own.
    static let text = 2048
    /// The most elements of a list without a limit of its own.
    static let list = 100
    /// The most bytes of a profile's text when the rules set no limit, as in development and in imports.
    static let profileText = ProfileLimits.mostBytes
    /// The most members of an object whose names the client chooses.
    static let members = 100

    // Twice the length of the longest token, so that a slightly longer one gets the token rules' own error.
    private static let token = 128 * 1024

    // Users' and providers' names have rules of their own, which in an import refuse one row instead of the whole request.
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

    static func bytes(of name: String) -> Int { texts[name] ?? text }

    static func elements(of name: String) -> Int { lists[name] ?? list }

    /// Whether a longer list is left to a rule with an error of its own.
    static func isLeftToRule(_ name: String) -> Bool { name == "localIds" }
}

extension Shape {
    /// A text of a request by its name.
    static func member(_ name: String) -> Shape { text(bytes: FieldBounds.bytes(of: name)) }
}
