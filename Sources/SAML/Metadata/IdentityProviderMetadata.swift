package import Project

/// What an identity provider says of itself (SAML metadata §2.4.3). The document is hostile until an operator has accepted it; its
/// signature says nothing, because no key to check it with is known.
package struct IdentityProviderMetadata: Sendable, Equatable {
    /// An address for requests.
    package struct Endpoint: Sendable, Equatable {
        /// The URI of the binding, such as ``SAMLBinding/redirect``.
        package let binding: String
        package let url: String

        package init(binding: String, url: String) {
            self.binding = binding
            self.url = url
        }
    }

    package let entityID: String
    /// Where requests are sent, in the document's order: bindings HTTP-Redirect and HTTP-POST only.
    package let singleSignOn: [Endpoint]
    /// The certificates for signatures as PEM, without repetitions and without those that have no usable key.
    package let certificates: [String]
    package let wantsSignedRequests: Bool
    /// Until when the document may be used.
    package let validUntil: Timestamp?

    private static let longestText = 2048
    private static let mostCertificates = 10

    /// Reads metadata. Callers on event loops use ``SAMLVerifier/metadata(in:now:)``.
    ///
    /// - Parameter xml: One `EntityDescriptor`, or an `EntitiesDescriptor` with exactly one identity provider in it.
    package init(xml: [UInt8], now: Timestamp) throws {
        let document = try XMLDocument(xml, within: .metadata)
        let entities = try Self.entities(in: document.root)
        guard let (entity, role) = entities.first else { throw SAMLRefusal.notMetadata }
        guard entities.count == 1 else { throw SAMLRefusal.severalProviders }
        guard let name = entity.attribute("entityID"), (1...1024).contains(name.utf8.count) else { throw SAMLRefusal.notMetadata }
        entityID = name
        singleSignOn = role.children("SingleSignOnService", in: XMLNamespace.metadata).compactMap(Self.endpoint)
        guard !singleSignOn.isEmpty else { throw SAMLRefusal.noSingleSignOn }
        certificates = Self.certificates(of: role)
        guard !certificates.isEmpty else { throw SAMLRefusal.certificates }
        let wants = role.attribute("WantAuthnRequestsSigned")
        wantsSignedRequests = wants?.isExactly("true") == true || wants?.isExactly("1") == true
        // An outer element that ends sooner ends what is in it.
        var ends: [Timestamp] = []
        var next: XMLElement? = role
        while let element = next {
            if let end = try ClaimCheck.time(element, "validUntil") { ends.append(end) }
            next = element.parent
        }
        validUntil = ends.min()
        if let validUntil, validUntil <= now { throw SAMLRefusal.metadataExpired }
    }

    private static func entities(in root: XMLElement) throws -> [(entity: XMLElement, role: XMLElement)] {
        if root.is("EntityDescriptor", in: XMLNamespace.metadata) {
            return root.children("IDPSSODescriptor", in: XMLNamespace.metadata).filter(speaksSAML2).map { (root, $0) }
        }
        guard root.is("EntitiesDescriptor", in: XMLNamespace.metadata) else { throw SAMLRefusal.notMetadata }
        return try root.children.flatMap { child in
            let isEntity = ["EntityDescriptor", "EntitiesDescriptor"].contains { child.is($0, in: XMLNamespace.metadata) }
            return isEntity ? try entities(in: child) : []
        }
    }

    private static func speaksSAML2(_ role: XMLElement) -> Bool {
        let protocols = role.attribute("protocolSupportEnumeration")?.split(separator: " ") ?? []
        return protocols.contains { $0.isExactly(XMLNamespace.protocol) }
    }

    private static func endpoint(_ service: XMLElement) -> Endpoint? {
        guard let binding = service.attribute("Binding"), let url = service.attribute("Location"), url.utf8.count <= longestText,
            let known = [SAMLBinding.redirect, SAMLBinding.post].first(where: binding.isExactly)
        else { return nil }
        return Endpoint(binding: known, url: url)
    }

    private static func certificates(of role: XMLElement) -> [String] {
        // A key without a use serves for both.
        let keys = role.children("KeyDescriptor", in: XMLNamespace.metadata)
            .filter { $0.attribute("use")?.isExactly("signing") != false }
        let texts = keys.flatMap { $0.children("KeyInfo", in: XMLNamespace.signature) }
            .flatMap { $0.children("X509Data", in: XMLNamespace.signature) }
            .flatMap { $0.children("X509Certificate", in: XMLNamespace.signature) }
            .compactMap(\.text)
        var found: [String] = []
        for text in texts where found.count < mostCertificates {
            guard let pem = CertificatePEM.pem(base64: text), !found.contains(pem) else { continue }
            found.append(pem)
        }
        return found
    }
}
