import Crypto
import Federation
import Project
import Tokens

/// The rules for identity provider configurations (`Docs/Contract/admin-config.md` §11).
struct ProviderRules: Sendable {
    let network: NetworkGuard
    let mode: ModeRules

    private static let maximumText = 512
    private static let maximumDomains = 100
    private static let maximumIssuer = 1024

    /// Checks and completes a configuration that is to be stored.
    func completed(
        _ next: JSONValue,
        stored: JSONValue?,
        body: JSONValue,
        collection: ProviderCollection,
        id: String
    ) throws -> JSONValue {
        switch collection {
        case .oauthIdpConfigs: return try openID(next, body: body)
        case .inboundSamlConfigs:
            try checkSAML(next)
            return next
        case .defaultSupportedIdpConfigs: return try builtIn(next, stored: stored, id: id)
        }
    }

    /// What is wrong with a certificate that ``isCertificate(_:)`` refuses.
    static let certificateHint = "must be X.509 certificates in PEM, of RSA keys of 1024 bits at least or of EC keys"

    /// What is wrong with an address that ``isConfidential(_:)`` refuses.
    static let callbackHint = "must be https, except on this machine"

    /// Whether nobody on the way reads what browsers post to an address. Assertions show who signs in and what the provider tells of them.
    static func isConfidential(_ address: WebAddress) -> Bool {
        address.isSecure || address.host.address?.isLoopback == true
            || address.host.text.utf8.split(separator: UInt8(ascii: ".")).last.map { $0.elementsEqual("localhost".utf8) } == true
    }

    /// Whether a text may be an issuer.
    func isIssuer(_ text: String) -> Bool { WebAddress(configured: text, network: network)?.isIssuer == true }

    /// Whether a text is a certificate for SAML.
    static func isCertificate(_ text: String) -> Bool { CertificateText(pem: text) != nil }

    /// Whether a text is a private key that signs for Apple.
    static func isAppleKey(_ text: String) -> Bool { (try? P256.Signing.PrivateKey(pemRepresentation: text)) != nil }

    private func openID(_ next: JSONValue, body: JSONValue) throws -> JSONValue {
        guard let issuer = next["issuer"]?.string, !issuer.isEmpty else { throw APIError(.missingIssuer) }
        guard isIssuer(issuer) || Self.isPlaceholder(issuer) else {
            throw APIError(.invalidConfig, "The issuer must be an absolute https URL without query.")
        }
        try Self.checkClientID(next["clientId"], isNeeded: true)
        try Self.checkText(next["clientSecret"], "clientSecret")
        let scopes = (next["scopes"]?.array ?? []).map { $0.string ?? "" }
        guard scopes.count <= OAuthScopes.maximumCount, scopes.allSatisfy(OAuthScopes.isScope) else {
            throw APIError(
                .invalidConfig,
                "scopes must be at most \(OAuthScopes.maximumCount) texts without spaces and quotation marks"
            )
        }
        var next = next
        next["responseType"] = try Self.responseType(next["responseType"], body: body["responseType"])
        if next["responseType"]?["code"] == true, Self.isEmpty(next["clientSecret"]) {
            throw APIError(.missingOAuthClientSecret)
        }
        return next
    }

    // §11.2: one of the two types is on; the type that the request switches on replaces the other.
    private static func responseType(_ type: JSONValue?, body: JSONValue?) throws -> JSONValue {
        if type?["token"] == true { throw APIError(.invalidOAuthResponseType) }
        let (idToken, code) = (type?["idToken"]?.bool, type?["code"]?.bool)
        if idToken == false, code == false { throw APIError(.invalidOAuthResponseType) }
        guard code == true else { return ["idToken": true] }
        guard idToken == true else { return ["code": true] }
        let (asksForIDToken, asksForCode) = (body?["idToken"] == true, body?["code"] == true)
        if asksForIDToken, asksForCode { throw APIError(.invalidOAuthResponseType) }
        return asksForIDToken ? ["idToken": true] : ["code": true]
    }

    /// Whether an issuer is no URL and does not pretend to be one. It is stored as Firebase stores it (ruling 39); no sign-in can use it.
    private static func isPlaceholder(_ issuer: String) -> Bool {
        issuer.utf8.count <= maximumIssuer && !issuer.contains("://")
    }

    /// Describes what keeps users from signing in and what is weak or ends soon, one line for each, for administrators. In development
    /// sign-ins ask for neither issuers nor certificates.
    func warnings(of config: JSONValue, at now: Timestamp) -> [String] {
        let saysWhatIsMissing = mode.checksProviderConfigurations
        if saysWhatIsMissing, let issuer = config["issuer"]?.string, !isIssuer(issuer) {
            return ["issuer: It is no URL that may be asked. Nobody signs in by it."]
        }
        return Self.certificates(of: config).enumerated().flatMap { index, text -> [String] in
            guard let certificate = CertificateText(pem: text) else {
                let warning = "It is no certificate with a usable key. Nobody signs in by it."
                return saysWhatIsMissing ? ["idpConfig.idpCertificates[\(index)]: \(warning)"] : []
            }
            return [certificate.warning, certificate.expiryWarning(at: now)].compactMap(\.self)
                .map { "idpConfig.idpCertificates[\(index)]: \($0)" }
        }
    }

    /// Whether a text may be a domain of `emailDomains`.
    static func isEmailDomain(_ text: String) -> Bool { HostName(text).map { $0.address == nil } ?? false }

    private static func certificates(of config: JSONValue) -> [String] {
        (config.value(at: ["idpConfig", "idpCertificates"])?.array ?? []).map { $0["x509Certificate"]?.string ?? "" }
    }

    private func checkSAML(_ config: JSONValue) throws {
        let provider = config["idpConfig"]
        guard let identifier = provider?["idpEntityId"]?.string, !identifier.isEmpty, identifier.utf8.count <= 1024 else {
            throw APIError(.invalidConfig, "idpConfig.idpEntityId is needed")
        }
        guard let address = provider?["ssoUrl"]?.string, WebAddress(configured: address, network: network) != nil else {
            throw APIError(.invalidConfig, "idpConfig.ssoUrl must be an absolute https URL")
        }
        let certificates = Self.certificates(of: config)
        guard (1...10).contains(certificates.count), !certificates.contains("") else {
            throw APIError(.invalidConfig, "idpConfig.idpCertificates must have one to ten certificates")
        }
        guard certificates.allSatisfy({ $0.utf8.count <= CertificateText.maximumLength }) else {
            throw APIError(.invalidConfig, "idpConfig.idpCertificates are too long")
        }
        // What is no certificate is stored as Firebase stores it (ruling 39), and no signature is good by it. One with a key that can be broken
        // is a mistake.
        if mode.checksProviderConfigurations,
            certificates.contains(where: { CertificateText.isCertificate(pem: $0) && !Self.isCertificate($0) })
        {
            throw APIError(.invalidConfig, "idpConfig.idpCertificates \(Self.certificateHint)")
        }
        guard let service = config["spConfig"], service.object?.isEmpty == false else {
            throw APIError(.missingSAMLRelyingPartyConfig)
        }
        guard let entity = service["spEntityId"]?.string, !entity.isEmpty, entity.utf8.count <= 1024 else {
            throw APIError(.invalidConfig, "spConfig.spEntityId is needed")
        }
        // The user's browser posts to this address, Postern never calls it, so private networks are allowed.
        guard let callback = service["callbackUri"]?.string,
            let address = WebAddress(configured: callback, network: NetworkGuard(allowPrivateNetworks: true))
        else { throw APIError(.invalidConfig, "spConfig.callbackUri must be an absolute URL") }
        if mode.checksProviderConfigurations, !Self.isConfidential(address) {
            throw APIError(.invalidConfig, "spConfig.callbackUri \(Self.callbackHint)")
        }
        guard (provider?["nameIdFormat"]?.string?.utf8.count ?? 0) <= 256 else {
            throw APIError(.invalidConfig, "idpConfig.nameIdFormat is too long")
        }
        let domains = (config["emailDomains"]?.array ?? []).map { $0.string ?? "" }
        guard domains.count <= Self.maximumDomains, domains.allSatisfy(Self.isEmailDomain) else {
            throw APIError(.invalidConfig, "emailDomains must be at most \(Self.maximumDomains) whole domain names")
        }
    }

    private func builtIn(_ next: JSONValue, stored: JSONValue?, id: String) throws -> JSONValue {
        let hasBundleIDs = !(next.value(at: ["appleSignInConfig", "bundleIds"])?.array ?? []).isEmpty
        let rule = Providers.facts(of: id)?.clientID ?? .always
        let isNeeded = next["enabled"] == true && rule.isNeeded(hasBundleIDs: hasBundleIDs)
        try Self.checkClientID(next["clientId"], isNeeded: isNeeded)
        try Self.checkText(next["clientSecret"], "clientSecret")
        return try withAppleKey(next, stored: stored)
    }

    // The key is never shown, so a request without it keeps the stored one, as long as team and key id are the same.
    private func withAppleKey(_ next: JSONValue, stored: JSONValue?) throws -> JSONValue {
        let path = ["appleSignInConfig", "codeFlowConfig"]
        guard let flow = next.value(at: path), flow.object?.isEmpty == false else { return next }
        let old = stored?.value(at: path)
        var next = next
        if flow["privateKey"] == nil, let key = old?["privateKey"],
            ["teamId", "keyId"].allSatisfy({ flow[$0] == old?[$0] })
        {
            next = next.setting(key, at: path + ["privateKey"])
        }
        guard mode.checksProviderConfigurations else { return next }
        for name in ["teamId", "keyId"] where flow[name]?.string?.wholeMatch(of: /[A-Za-z0-9]{1,64}/) == nil {
            throw APIError(.invalidConfig, "appleSignInConfig.codeFlowConfig.\(name) is needed")
        }
        guard let key = next.value(at: path + ["privateKey"]) else {
            throw APIError(.invalidConfig, "appleSignInConfig.codeFlowConfig.privateKey is needed")
        }
        if let text = key.string, !Self.isAppleKey(text) {
            throw APIError(.invalidConfig, "appleSignInConfig.codeFlowConfig.privateKey must be a P-256 key in PEM")
        }
        return next
    }

    private static func checkClientID(_ value: JSONValue?, isNeeded: Bool) throws {
        guard let text = value?.string, !text.isEmpty else {
            if isNeeded { throw APIError(.missingOAuthClientID) }
            return
        }
        guard text.utf8.count <= maximumText, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw APIError(.invalidOAuthClientID)
        }
    }

    private static func checkText(_ value: JSONValue?, _ name: String) throws {
        guard (value?.string?.utf8.count ?? 0) <= 4 * maximumText else { throw APIError(.invalidConfig, "\(name) is too long") }
    }

    // An unchanged secret is an object, because it is sealed.
    private static func isEmpty(_ value: JSONValue?) -> Bool { value == nil || value == "" }
}
