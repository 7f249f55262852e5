/// What a provider answers instead of an assertion (SAML core §3.2.2.2).
enum Status {
    private static let prefix = "urn:oasis:names:tc:SAML:2.0:status:"

    // The codes that say more than that something went wrong. Other texts are never repeated.
    private static let refusals: [String: SAMLRefusal] = [
        "Requester": .statusRequester, "Responder": .statusResponder, "VersionMismatch": .statusVersionMismatch,
        "AuthnFailed": .statusAuthnFailed, "NoPassive": .statusNoPassive, "RequestDenied": .statusRequestDenied,
        "InvalidNameIDPolicy": .statusInvalidNameIDPolicy, "NoAuthnContext": .statusNoAuthnContext,
        "UnknownPrincipal": .statusUnknownPrincipal, "RequestUnsupported": .statusUnsupported,
    ]

    /// Checks that a response has the status Success.
    ///
    /// A refused sign-in is usually not signed, and has no assertion. Its reason is told before signatures are looked for.
    static func check(_ response: XMLElement) throws {
        guard let status = try response.child("Status", in: XMLNamespace.protocol, orThrow: .status),
            let code = try status.child("StatusCode", in: XMLNamespace.protocol, orThrow: .status),
            let value = code.attribute("Value")
        else { throw SAMLRefusal.status }
        guard value.isExactly(prefix + "Success") else {
            let inner = try code.child("StatusCode", in: XMLNamespace.protocol, orThrow: .status)?.attribute("Value")
            throw inner.flatMap(refusal) ?? refusal(value) ?? .status
        }
    }

    private static func refusal(_ value: String) -> SAMLRefusal? {
        refusals.first { value.isExactly(prefix + $0.key) }?.value
    }
}
