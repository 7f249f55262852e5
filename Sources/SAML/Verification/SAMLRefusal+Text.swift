extension SAMLRefusal {
    /// What the client is told behind `INVALID_IDP_RESPONSE : `. It names the check, and never quotes the response.
    package var text: String {
        switch self {
        case .busy: "Too many SAML responses are being checked. Please try again later."
        case .library: "The SAML response could not be checked. Please try again later."
        case .tooLarge: "The SAML document is too large."
        case .malformed: "The SAML document is not well-formed XML 1.0."
        case .encoding: "The SAML document is not UTF-8."
        case .doctype: "The SAML document has a document type declaration."
        case .comment: "The SAML document has a comment."
        case .processingInstruction: "The SAML document has a processing instruction."
        case .tooDeep: "The SAML document is nested too deeply."
        case .tooManyParts: "The SAML document has too many elements, attributes or namespaces."
        case .namespaces: "The SAML document declares too many namespaces, or one with too long a name."
        case .notAResponse: "The document is not a SAML 2.0 Response."
        case .nestedResponse: "The SAML response has another Response in it."
        case .version: "The SAML version is not 2.0."
        case .missingID: "The SAML response or assertion has no valid ID."
        case .duplicateID: "The SAML document uses an ID twice."
        case .statusRequester, .statusResponder, .statusVersionMismatch, .statusAuthnFailed, .statusNoPassive,
            .statusRequestDenied, .statusInvalidNameIDPolicy, .statusNoAuthnContext, .statusUnknownPrincipal, .statusUnsupported,
            .status:
            statusText
        case .noAssertion, .severalAssertions, .misplacedAssertion, .unsigned, .severalSignatures, .misplacedSignature,
            .signatureForm, .signatureAlgorithm, .digestAlgorithm, .sha1, .canonicalization, .transforms, .reference,
            .certificates, .signature,
            .signedContent:
            signatureText
        case .unexpectedEncryption, .encryptionForm, .contentEncryption, .keyEncryption, .decryption, .encryptedPart,
            .decryptedContent:
            encryptionText
        case .notMetadata, .severalProviders, .metadataExpired, .noSingleSignOn: metadataText
        default: claimText
        }
    }

    private var statusText: String {
        switch self {
        case .statusRequester: "The identity provider refused the request: Requester."
        case .statusResponder: "The identity provider refused the request: Responder."
        case .statusVersionMismatch: "The identity provider refused the request: VersionMismatch."
        case .statusAuthnFailed: "The identity provider refused the sign-in: AuthnFailed."
        case .statusNoPassive: "The identity provider refused the sign-in: NoPassive."
        case .statusRequestDenied: "The identity provider refused the sign-in: RequestDenied."
        case .statusInvalidNameIDPolicy: "The identity provider refused the request: InvalidNameIDPolicy."
        case .statusNoAuthnContext: "The identity provider refused the request: NoAuthnContext."
        case .statusUnknownPrincipal: "The identity provider refused the sign-in: UnknownPrincipal."
        case .statusUnsupported: "The identity provider refused the request: RequestUnsupported."
        default: "The SAML response does not have the status Success."
        }
    }

    private var signatureText: String {
        switch self {
        case .noAssertion: "The SAML response has no assertion."
        case .severalAssertions: "The SAML response has more than one assertion."
        case .misplacedAssertion: "The SAML assertion is not directly in the response."
        case .unsigned: "Neither the SAML response nor its assertion is signed."
        case .severalSignatures: "The SAML response or its assertion has more than one signature."
        case .misplacedSignature: "A signature is neither directly in the SAML response nor directly in its assertion."
        case .signatureForm: "A signature does not have the form that SAML requires."
        case .signatureAlgorithm: "The signature algorithm is not allowed. Use RSA or ECDSA with SHA-256 or stronger."
        case .digestAlgorithm: "The digest algorithm is not allowed. Use SHA-256 or stronger."
        case .sha1: "The signature uses SHA-1, which this provider's configuration does not allow."
        case .canonicalization: "The canonicalization is not exclusive canonicalization without comments."
        case .transforms: "The transforms are not enveloped-signature followed by exclusive canonicalization."
        case .reference: "The signature does not refer to the ID of the element that it is in."
        case .certificates: "This provider's configuration has no certificate with a usable key."
        case .signedContent: "The signed part is not what the SAML response shows."
        default: "No configured certificate verifies the signature."
        }
    }

    private var encryptionText: String {
        switch self {
        case .unexpectedEncryption: "The SAML assertion is encrypted, but this provider's configuration has no key to decrypt it."
        case .encryptionForm: "The encrypted SAML assertion does not have the form that is supported."
        case .contentEncryption: "The encryption algorithm is not allowed. Use AES-GCM."
        case .keyEncryption: "The key encryption algorithm is not allowed. Use RSA-OAEP with SHA-1 and MGF1."
        case .encryptedPart: "An encrypted part inside of the SAML assertion is not supported."
        case .decryptedContent: "The encrypted part of the SAML response is not an assertion."
        default: "The SAML assertion could not be decrypted."
        }
    }

    private var metadataText: String {
        switch self {
        case .notMetadata: "The document is not SAML 2.0 metadata of an identity provider."
        case .severalProviders: "The metadata describes more than one identity provider."
        case .metadataExpired: "The metadata has expired."
        default: "The metadata has no address for sign-in requests by redirect or post."
        }
    }

    private var claimText: String {
        switch self {
        case .destination: "The Destination of the SAML response is not this service."
        case .responseInResponseTo: "The InResponseTo of the SAML response is not the request of this sign-in."
        case .responseIssuer: "The Issuer of the SAML response is not this provider."
        case .issuer: "The Issuer of the SAML assertion is not this provider."
        case .time: "A time in the SAML response is missing or malformed."
        case .issuedInFuture: "The SAML response or assertion was issued in the future."
        case .issuedBeforeRequest: "The SAML response or assertion was issued before the request."
        case .subject: "The SAML assertion has no subject, or more than one."
        case .nameID: "The NameID is missing, empty, too long or not a text."
        case .nameIDFormat: "The format of the NameID is not supported."
        case .otherNameIDFormat: "The format of the NameID is not the one that this provider's configuration asks for."
        case .nameQualifier: "The NameID is qualified by another identity provider or for another service."
        case .confirmation: "The SAML assertion has no valid bearer confirmation of its subject."
        case .recipient: "The Recipient of the SAML assertion is not this service."
        case .inResponseTo: "The InResponseTo of the SAML assertion is not the request of this sign-in."
        case .confirmationNotYet: "The subject confirmation is not valid yet."
        case .confirmationExpired: "The subject confirmation has expired."
        case .conditions: "The SAML assertion has no conditions, or more than one set of them."
        case .unknownCondition: "The SAML assertion has a condition that is not supported."
        case .audience: "The Audience of the SAML assertion is not this service."
        case .notYetValid: "The SAML assertion is not valid yet."
        case .expired: "The SAML assertion has expired."
        case .authentication: "The SAML assertion does not say when the user signed in."
        case .authenticationContext: "The SAML assertion does not say how the user signed in."
        case .authenticatedInFuture: "The AuthnInstant of the SAML assertion is in the future."
        case .authenticationTooOld: "The AuthnInstant of the SAML assertion is too long ago."
        case .authenticatedBefore: "The user did not sign in anew at the identity provider, as the request demanded."
        case .sessionExpired: "The user's session at the identity provider has expired."
        case .emptyStatement: "The SAML assertion has a statement of attributes without an attribute."
        default: "An attribute of the SAML assertion has no name or is too long."
        }
    }
}
