package import Federation
import Project
package import Tokens

/// What the administration of SAML providers needs besides their configurations.
package struct SAMLAdministration: Sendable {
    /// Our keys, whose certificates configurations show.
    let keys: ServiceProviderKeys
    let metadata: IdentityProviderMetadataReader
    /// Where providers post their responses, unless an administrator says otherwise.
    let callback: @Sendable () -> String

    package init(
        keys: ServiceProviderKeys,
        metadata: IdentityProviderMetadataReader,
        callback: @escaping @Sendable () -> String
    ) {
        self.keys = keys
        self.metadata = metadata
        self.callback = callback
    }

    /// The entry of `spConfig.spCertificates` for a certificate.
    static func entry(_ certificate: String) -> JSONValue {
        var entry: JSONValue = ["x509Certificate": .string(certificate)]
        if let end = CertificateText(pem: certificate)?.expiresAt { entry["expiresAt"] = .string(end.rfc3339) }
        return entry
    }
}
