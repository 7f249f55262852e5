import Project

/// The rules for values of a project file with which a server would start and sign-ins fail: certificates, keys, addresses, policies.
///
/// The file changes single members of what is stored, so only values that it has are looked at, by the rules of the API.
struct DeclaredValueRules: Sendable {
    let network: NetworkGuard
    let mode: ModeRules

    /// Lists the unusable values, one line for each, with its place.
    func problems(of document: JSONValue) -> [String] {
        guard mode.checksProviderConfigurations else { return [] }
        let document = document.withoutNulls
        var problems = configProblems(document["config"], at: "config.", layout: .config)
        problems += providerProblems(of: document, at: "")
        for (tenantID, tenant) in document["tenants"]?.object ?? [:] {
            problems += configProblems(tenant, at: "tenants.\(tenantID).", layout: .tenant)
            problems += providerProblems(of: tenant, at: "tenants.\(tenantID).")
        }
        return problems.sorted()
    }

    private func configProblems(_ config: JSONValue?, at place: String, layout: ConfigurationRules.Layout) -> [String] {
        let rules = ConfigurationRules(network: network)
        return (config?.object ?? [:]).compactMap { name, value in
            guard let value = Self.complete(value, name.text) else { return nil }
            let part: JSONValue = .object([name: value])
            do {
                try rules.check(body: part)
                _ = try rules.completed(part, stored: [:], body: part, layout: layout, at: Timestamp(seconds: 0))
                return nil
            } catch {
                return "\(place)\(name): \((error as? APIError)?.message ?? "\(error)")"
            }
        }
    }

    // What another part of the value may stand in the store, without which the rules refuse this one. Domains have a rule of their own
    // in `ProjectDeclarationRules`.
    private static func complete(_ value: JSONValue, _ name: String) -> JSONValue? {
        switch name {
        case "authorizedDomains": nil
        case "notification": value.setting(nil, at: ["sendEmail", "method"])
        case "passwordPolicyConfig": value["passwordPolicyVersions"] == nil ? nil : value
        case "recaptchaConfig": value.setting(nil, at: ["useAccountDefender"])
        default: value
        }
    }

    private func providerProblems(of document: JSONValue, at place: String) -> [String] {
        let rules = ProviderRules(network: network, mode: mode)
        return ProviderCollection.allCases.flatMap { collection in
            (document[collection.rawValue]?.object ?? [:]).flatMap { id, provider in
                provider["enabled"] == false
                    ? [] : rules.problems(of: provider).map { "\(place)\(collection.rawValue).\(id).\($0)" }
            }
        }
    }
}

extension ProviderRules {
    /// Lists the values of a provider that no sign-in can use, beginning with their place. What is missing is not listed.
    fileprivate func problems(of provider: JSONValue) -> [String] {
        var problems: [String] = []
        if let issuer = provider["issuer"]?.string, !isIssuer(issuer) { problems.append("issuer: \(addressHint)") }
        if let url = provider.value(at: ["idpConfig", "ssoUrl"])?.string, WebAddress(configured: url, network: network) == nil {
            problems.append("idpConfig.ssoUrl: \(addressHint)")
        }
        if let certificates = provider.value(at: ["idpConfig", "idpCertificates"])?.array {
            for (index, certificate) in certificates.enumerated() {
                guard let text = certificate["x509Certificate"]?.string, !Self.isCertificate(text) else { continue }
                problems.append("idpConfig.idpCertificates[\(index)].x509Certificate: \(Self.certificateHint)")
            }
        }
        if mode.checksProviderConfigurations,
            let callback = provider.value(at: ["spConfig", "callbackUri"])?.string.flatMap(WebAddress.init),
            !Self.isConfidential(callback)
        {
            problems.append("spConfig.callbackUri: \(Self.callbackHint)")
        }
        for domain in (provider["emailDomains"]?.array ?? []).compactMap(\.string) where !Self.isEmailDomain(domain) {
            problems.append("emailDomains: \(domain) must be a whole domain name")
        }
        let key = ["appleSignInConfig", "codeFlowConfig", "privateKey"]
        if let text = provider.value(at: key)?.string, !Self.isAppleKey(text) {
            problems.append("\(key.joined(separator: ".")): must be a P-256 key in PEM, as in Apple's .p8 file")
        }
        return problems
    }

    private var addressHint: String {
        network.allowPrivateNetworks
            ? "must be an absolute URL without query"
            : "must be an absolute https URL without query; http needs outbound.allowPrivateNetworks"
    }
}
