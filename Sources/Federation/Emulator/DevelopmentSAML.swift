import Project

/// Development mode's substitute for a SAML assertion: JSON instead of XML, as the Firebase emulator accepts it
/// (`Docs/Contract/emulator-endpoints.md` §7.1). Production never uses this type.
struct DevelopmentSAML {
    private let nameID: String
    private let attributes: JSONValue?

    /// Reads the `SAMLResponse` of a credential; `nil` when there is none.
    ///
    /// - Throws: `APIError` `INVALID_IDP_RESPONSE` when it is not JSON or lacks a member.
    init?(_ credential: IdPCredential) throws {
        guard let text = credential.samlResponse else { return nil }
        guard let response = try? JSONValue.parse(text.utf8) else {
            throw APIError(.invalidIdPResponse, "Unable to parse SAMLResponse. ((It must be strict JSON.))")
        }
        let assertion = try Self.part(response["assertion"], "assertion")
        let subject = try Self.part(assertion["subject"], "assertion.subject")
        guard let nameID = try Self.part(subject["nameId"], "assertion.subject.nameId").string, !nameID.utf8.contains(0) else {
            throw APIError(.invalidIdPResponse, "((assertion.subject.nameId must be a string.))")
        }
        self.nameID = nameID
        attributes = assertion["attributeStatements"].flatMap { $0 == .null ? nil : $0 }
    }

    /// The claims that replace an ID token that the client did not send.
    var claims: JSONValue { ["sub": .string(nameID)] }

    /// Copies the assertion into an identity. For providers other than SAML only the attributes are copied.
    func apply(to identity: inout VerifiedIdentity) {
        identity.signInAttributes = attributes
        guard identity.providerID.hasPrefix("saml.") else { return }
        if let address = EmailAddress.canonical(nameID, mode: .development) { identity.email = address }
        identity.isEmailVerified = identity.email != nil
        if let attributes { identity.rawUserInfo = attributes }
    }

    private static func part(_ value: JSONValue?, _ name: String) throws -> JSONValue {
        guard let value, value != .null, value != "" else {
            throw APIError(.invalidIdPResponse, remark: "Missing \(name) in SAMLResponse.")
        }
        return value
    }
}
