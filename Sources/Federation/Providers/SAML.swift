import Foundation
import Project
import SAML
import Tokens

/// Any SAML 2.0 provider configured by entity id and certificates (`saml.*`, `Docs/Providers/SAML.md`).
///
/// Only responses to requests of this server are read: the flow knows the request's id, and nothing else of a form may name it.
struct SAMLProvider: AuthorizationProvider {
    static let facts = ProviderFacts(
        id: "saml.",
        label: "SAML",
        isFamily: true,
        clientID: .never,
        // It may list a user's groups.
        longestAnswer: 1 << 17,
        repeatedCredential: APIError(.invalidIdPResponse, "The assertion was accepted before.")
    )

    private static let transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"

    private static let unspecified = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"
    private static let addresses = ["1.1", "2.0"].map { "urn:oasis:names:tc:SAML:\($0):nameid-format:emailAddress" }

    private let saml: SAMLTools
    private let environment: ServerEnvironment

    init(_ tools: ProviderTools) {
        saml = tools.saml
        environment = tools.environment
    }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        guard let own = config.saml else { throw Self.incomplete }
        guard let text = credential.samlResponse else {
            throw APIError(
                .invalidCredentialOrProviderID,
                "The credential of \(credential.providerID) must have a SAMLResponse and a RelayState."
            )
        }
        guard let request = credential.samlRequest else {
            throw ProviderError(.state, "The SAML response belongs to no sign-in that began here.")
        }
        guard let response = Self.decoded(text) else { throw ProviderError(.signature, "The SAMLResponse is not base64.") }
        let assertion = try await assertion(in: response, own, request)
        guard assertion.nameIDFormat != Self.transient else {
            throw ProviderError(.claims, "The NameID is transient: it does not tell who comes back.")
        }
        guard let subject = ProfileText.subject(assertion.nameID) else {
            throw ProviderError(.claims, "The NameID must have 1 to 255 bytes.")
        }
        return identity(of: assertion, subject: subject, credential.providerID, own)
    }

    private func assertion(
        in response: [UInt8],
        _ own: SAMLConfig,
        _ request: IdPCredential.SAMLRequest
    ) async throws -> SAMLAssertion {
        let expectation = SAMLExpectation(
            identityProvider: own.identityProvider,
            // Configurations may hold what is no certificate (ruling 39).
            certificates: own.certificates.filter { CertificateText(pem: $0) != nil },
            acceptsSHA1: own.acceptsSHA1,
            serviceProvider: own.serviceProvider,
            assertionConsumerURL: request.assertionConsumerURL,
            requestID: request.id,
            requestedAt: request.sentAt,
            decryptionKeys: try await saml.storedKeys().map(\.privateKey),
            // The provider may answer from its session, or the browser may have taken the demand out of a request without a signature.
            authenticatedSince: request.demandsNewSignIn ? request.sentAt : nil,
            // Whoever asks for no kind of name is content with any (SAML core §3.4.1.1).
            nameIDFormat: own.nameIDFormat.flatMap { $0 == Self.unspecified ? nil : $0 },
            now: environment.now()
        )
        do {
            return try await saml.verifier.assertion(in: response, expecting: expectation)
        } catch SAMLRefusal.busy {
            throw APIError.overload("Too many SAML responses are being verified. Please try again later.")
        } catch let refusal as SAMLRefusal {
            throw ProviderError(.claims, refusal.text, cause: refusal)
        }
    }

    private func identity(
        of assertion: SAMLAssertion,
        subject: String,
        _ providerID: String,
        _ own: SAMLConfig
    ) -> VerifiedIdentity {
        let attributes = SignInAttributes(assertion.attributes.map { ($0.name, $0.values) })
        var identity = VerifiedIdentity(providerID: providerID, rawID: subject, rawUserInfo: attributes.json)
        identity.signInAttributes = attributes.json.object?.isEmpty == false ? attributes.json : nil
        (identity.email, identity.isEmailVerified) = Self.email(of: assertion, attributes, own)
        identity.displayName = attributes.values(of: .displayName).lazy.compactMap(ProfileText.name).first
        identity.firstName = attributes.values(of: .givenName).lazy.compactMap(ProfileText.name).first
        identity.lastName = attributes.values(of: .surname).lazy.compactMap(ProfileText.name).first
        if identity.displayName == nil, let first = identity.firstName, let last = identity.lastName {
            identity.displayName = ProfileText.name("\(first) \(last)")
        }
        // The flow is over after one answer. This also holds against a provider that uses an assertion's id again.
        let names = [providerID, assertion.issuer, assertion.id].map { "\($0.utf8.count):\($0)" }
        identity.singleUses = [.init(hash: sha256("saml:\(names.joined())".utf8), expiresAt: assertion.notOnOrAfter)]
        return identity
    }

    // A name that looks like an address is none, unless the provider says so: users may choose their names. Two addresses that differ
    // leave open whose they are, whether they are in attributes or in the name.
    private static func email(
        of assertion: SAMLAssertion,
        _ attributes: SignInAttributes,
        _ own: SAMLConfig
    ) -> (address: String?, isVerified: Bool) {
        // What is no address that can be read might be another one.
        let found = attributes.values(of: .email).filter { !$0.isEmpty }.map(EmailAddress.canonical)
        let attribute = found.lazy.compactMap { $0 }.first
        let isClear = found.allSatisfy { bytesEqual($0, attribute) }
        let name = EmailAddress.canonical(assertion.nameID)
        switch assertion.nameIDFormat {
        case let format where addresses.contains(format):
            guard let address = name ?? attribute else { return (nil, false) }
            let isSame = name == nil || found.isEmpty || bytesEqual(name, attribute)
            return (address, isClear && isSame && own.vouches(for: address))
        case unspecified:
            return (attribute ?? name, isClear && attribute.map(own.vouches) ?? false)
        default:
            return (attribute, isClear && attribute.map(own.vouches) ?? false)
        }
    }

    // Providers may break the text into lines (RFC 2045 §6.8).
    private static func decoded(_ text: String) -> [UInt8]? {
        let white: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        let bytes = text.utf8.filter { !white.contains($0) }
        return Data(base64Encoded: Data(bytes)).flatMap { $0.isEmpty ? nil : Array($0) }
    }

    private static let incomplete = APIError(.operationNotAllowed, "The identity provider configuration is incomplete.")

    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        guard let own = client.saml else { throw Self.incomplete }
        guard own.certificates.contains(where: { CertificateText(pem: $0) != nil }) else {
            throw APIError(.operationNotAllowed, "The identity provider configuration has no certificate with a usable key.")
        }
        var profile = AuthorizationProfile(
            grant: .saml,
            clientID: client.clientID,
            authorizationEndpoint: own.signOnURL
        )
        profile.usesPKCE = false
        profile.saml = AuthorizationProfile.SAMLRequests(
            config: own,
            signingKey: own.signsRequests ? try await saml.signingKey() : nil,
            threads: saml.verifier
        )
        return profile
    }

    func remarks(on registration: ClientRegistration) -> [ProviderCheck.Finding] {
        registration.saml.map { SAMLRemarks(config: $0, now: environment.now()).findings } ?? []
    }
}
