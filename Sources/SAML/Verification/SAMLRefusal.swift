/// Why a response, or metadata, was refused: one case for each check.
package enum SAMLRefusal: Error, Equatable, Hashable, CaseIterable {
    /// Too many responses wait for a thread. This is no fault of the response.
    case busy
    /// A library failed, or memory is short. This is no fault of the response.
    case library

    // The document
    case tooLarge
    case malformed
    case encoding
    case doctype
    case comment
    case processingInstruction
    case tooDeep
    case tooManyParts
    case namespaces
    case notAResponse
    case nestedResponse
    case version
    case missingID
    case duplicateID

    // The provider's answer
    case statusRequester
    case statusResponder
    case statusVersionMismatch
    case statusAuthnFailed
    case statusNoPassive
    case statusRequestDenied
    case statusInvalidNameIDPolicy
    case statusNoAuthnContext
    case statusUnknownPrincipal
    case statusUnsupported
    case status

    // What is signed, and how
    case noAssertion
    case severalAssertions
    case misplacedAssertion
    case unsigned
    case severalSignatures
    case misplacedSignature
    case signatureForm
    case signatureAlgorithm
    case digestAlgorithm
    case sha1
    case canonicalization
    case transforms
    case reference
    case certificates
    case signature
    case signedContent

    // Encryption
    case unexpectedEncryption
    case encryptionForm
    case contentEncryption
    case keyEncryption
    case decryption
    case encryptedPart
    case decryptedContent

    // What the response says
    case destination
    case responseInResponseTo
    case responseIssuer
    case issuer
    case time
    case issuedInFuture
    case issuedBeforeRequest
    case subject
    case nameID
    case nameIDFormat
    case otherNameIDFormat
    case nameQualifier
    case confirmation
    case recipient
    case inResponseTo
    case confirmationNotYet
    case confirmationExpired
    case conditions
    case unknownCondition
    case audience
    case notYetValid
    case expired
    case authentication
    case authenticationContext
    case authenticatedInFuture
    case authenticationTooOld
    case authenticatedBefore
    case sessionExpired
    case attributes
    case emptyStatement

    // Metadata
    case notMetadata
    case severalProviders
    case metadataExpired
    case noSingleSignOn
}
