package import Project

/// What one flow expects of the response that ends it. Every member comes from the configuration or from the flow's own state, never
/// from the response.
package struct SAMLExpectation: Sendable {
    /// The entity id of the identity provider, which is the `Issuer`.
    package var identityProvider: String
    /// The provider's certificates as PEM. Their keys are the only ones that count; their names and dates do not.
    package var certificates: [String]
    /// Whether signatures and digests with SHA-1 are accepted.
    package var acceptsSHA1: Bool
    /// The entity id of this service provider, which is the `Audience`.
    package var serviceProvider: String
    /// Where the response arrived, which is `Destination` and `Recipient`.
    package var assertionConsumerURL: String
    /// The id of the flow's request, which is `InResponseTo`.
    package var requestID: String
    /// When the request was made; an assertion that is older answers another one. `nil` leaves this out.
    package var requestedAt: Timestamp?
    /// The service provider's private keys as PEM (PKCS #8) that open encrypted assertions, the current one first.
    package var decryptionKeys: [String]
    /// How long ago the user may have signed in at the provider.
    package var authenticationAge: Duration
    /// The earliest moment at which the user may have signed in at the provider, for requests with `ForceAuthn`. `nil` leaves this to
    /// ``authenticationAge``.
    package var authenticatedSince: Timestamp?
    /// The URI of the kind of name that the flow asked for; `nil` accepts every kind that can name a user.
    package var nameIDFormat: String?
    /// The moment of the check. The verifier grants 60 seconds on both sides.
    package var now: Timestamp

    /// The longest time for which the large providers keep a session by themselves.
    package static let defaultAuthenticationAge = Duration.seconds(90 * 86_400)

    package init(
        identityProvider: String,
        certificates: [String],
        acceptsSHA1: Bool = false,
        serviceProvider: String,
        assertionConsumerURL: String,
        requestID: String,
        requestedAt: Timestamp? = nil,
        decryptionKeys: [String] = [],
        authenticationAge: Duration = defaultAuthenticationAge,
        authenticatedSince: Timestamp? = nil,
        nameIDFormat: String? = nil,
        now: Timestamp
    ) {
        self.identityProvider = identityProvider
        self.certificates = certificates
        self.acceptsSHA1 = acceptsSHA1
        self.serviceProvider = serviceProvider
        self.assertionConsumerURL = assertionConsumerURL
        self.requestID = requestID
        self.requestedAt = requestedAt
        self.decryptionKeys = decryptionKeys
        self.authenticationAge = authenticationAge
        self.authenticatedSince = authenticatedSince
        self.nameIDFormat = nameIDFormat
        self.now = now
    }
}
