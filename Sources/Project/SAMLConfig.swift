/// The members of an `inboundSamlConfigs` resource that a sign-in needs (`Docs/Contract/admin-config.md` §11.3,
/// `Docs/Providers/SAML.md`).
package struct SAMLConfig: Sendable, Hashable {
    /// How the browser carries our request to the provider (SAML 2.0 Bindings §3.4 and §3.5).
    package enum Binding: String, Sendable, CaseIterable {
        case redirect = "HTTP_REDIRECT"
        case post = "HTTP_POST"
    }

    /// `idpConfig.idpEntityId`, the only accepted Issuer.
    package let identityProvider: String
    /// `idpConfig.ssoUrl`, where requests go.
    package let signOnURL: String
    /// `idpConfig.ssoBinding`, an addition of Postern.
    package let binding: Binding
    /// `idpConfig.idpCertificates` in PEM: the only keys that count.
    package let certificates: [String]
    /// `idpConfig.signRequest`
    package let signsRequests: Bool
    /// `idpConfig.acceptSha1`, an addition of Postern: whether signatures over SHA-1 are accepted.
    package let acceptsSHA1: Bool
    /// `idpConfig.nameIdFormat`, an addition of Postern: the kind of NameID that requests ask for; `nil` leaves it to the provider.
    package let nameIDFormat: String?
    /// `spConfig.spEntityId`, the accepted Audience.
    package let serviceProvider: String
    /// `spConfig.callbackUri`, the accepted Destination and Recipient.
    package let assertionConsumerURL: String
    /// `emailDomains` in lower case, an addition of Postern: the domains whose addresses the provider vouches for.
    package let emailDomains: [String]

    /// Reads the resource; `nil` when something is missing without which nobody can sign in.
    package init?(_ document: JSONValue) {
        func text(_ path: [String]) -> String? {
            path.reduce(document) { $0?[$1] }?.string.flatMap { $0.isEmpty ? nil : $0 }
        }
        let provider = document["idpConfig"]
        let certificates = (provider?["idpCertificates"]?.array ?? []).compactMap { $0["x509Certificate"]?.string }
        guard let identityProvider = text(["idpConfig", "idpEntityId"]), let signOnURL = text(["idpConfig", "ssoUrl"]),
            let serviceProvider = text(["spConfig", "spEntityId"]), let callback = text(["spConfig", "callbackUri"]),
            !certificates.isEmpty
        else { return nil }
        self.identityProvider = identityProvider
        self.signOnURL = signOnURL
        self.certificates = certificates
        self.serviceProvider = serviceProvider
        assertionConsumerURL = callback
        binding = provider?["ssoBinding"]?.string.flatMap(Binding.init) ?? .redirect
        signsRequests = provider?["signRequest"]?.bool ?? false
        acceptsSHA1 = provider?["acceptSha1"]?.bool ?? false
        nameIDFormat = text(["idpConfig", "nameIdFormat"])
        emailDomains = (document["emailDomains"]?.array ?? []).compactMap { $0.string?.lowercased() }
    }

    /// Whether the provider vouches for an address. Domains are compared whole: one does not speak for those below it.
    ///
    /// - Parameter email: A canonical address.
    package func vouches(for email: String) -> Bool {
        let bytes = email.utf8
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let domain = bytes[bytes.index(after: at)...]
        return emailDomains.contains { $0.utf8.elementsEqual(domain) }
    }
}
