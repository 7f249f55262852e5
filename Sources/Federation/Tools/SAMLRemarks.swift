import Project
import Tokens

/// What an operator should know of a SAML configuration.
struct SAMLRemarks: Sendable {
    let config: SAMLConfig
    let now: Timestamp

    var findings: [ProviderCheck.Finding] {
        let text = "signatures over SHA-1 are accepted; they can be forged"
        let signature = config.acceptsSHA1 ? finding(true, "signature", text) : nil
        return [flow] + certificates + [names, domains, signature].compactMap(\.self)
    }

    private var flow: ProviderCheck.Finding {
        finding(
            true,
            "callback",
            "the provider must post to \(config.assertionConsumerURL), for the audience \(config.serviceProvider)"
        )
    }

    private var certificates: [ProviderCheck.Finding] {
        config.certificates.enumerated().map { index, text in
            guard let certificate = CertificateText(pem: text) else {
                return finding(false, "certificate \(index + 1)", "cannot be read")
            }
            // The end of a certificate ends nothing here: the key was configured. But providers change their key around then.
            let end = certificate.expiryWarning(at: now) ?? "It is valid until \(certificate.expiresAt.rfc3339)."
            let good = now < certificate.expiresAt || config.certificates.count > 1
            let text = [end, certificate.warning].compactMap(\.self).joined(separator: " ")
            return finding(good, "certificate \(index + 1)", text)
        }
    }

    // A request without a signature passes through the user's browser, which may ask for a name of another kind in its place.
    private var names: ProviderCheck.Finding? {
        guard config.nameIDFormat == nil, !config.signsRequests else { return nil }
        return finding(false, "NameID", "set idpConfig.nameIdFormat or signRequest: else users may choose the kind of their name")
    }

    private var domains: ProviderCheck.Finding? {
        config.emailDomains.isEmpty
            ? finding(true, "e-mail", "emailDomains is empty: no address of the provider counts as verified") : nil
    }

    private func finding(_ isGood: Bool, _ subject: String, _ text: String) -> ProviderCheck.Finding {
        ProviderCheck.Finding(subject: subject, isGood: isGood, text: text)
    }
}
