package import Project

/// Postern's registration at an identity provider, with its secrets in clear text. It is made for one use and never stored.
package struct ClientRegistration: Sendable {
    package let providerID: String
    package let clientID: String
    package let clientSecret: String?
    /// The issuer of an `oidc.*` configuration.
    package let issuer: String?
    /// The scopes that an `oidc.*` provider is asked for in place of the usual ones, as some providers know no others; empty for the usual.
    package let scopes: [String]
    /// `responseType.code`; absent or `idToken` is the implicit flow (`Docs/Contract/admin-config.md` §11).
    package private(set) var usesCode: Bool
    /// `oauth2Config.enabled`: Twitter with OAuth 2.0.
    package let usesOAuth2: Bool
    /// Apple's native client ids.
    package let bundleIDs: [String]
    package let appleKey: AppleKey?
    /// A SAML provider's configuration, whose ``clientID`` is our entity id; `nil` for all others.
    package let saml: SAMLConfig?

    /// The key that signs Apple's client secrets (`appleSignInConfig.codeFlowConfig`).
    package struct AppleKey: Sendable, Hashable {
        let teamID: String
        let keyID: String
        /// PKCS #8, as PEM.
        let privateKey: String
    }

    /// Reads a provider's configuration.
    ///
    /// - Parameter document: The resource, with its secrets opened.
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED` without a client id.
    package init(providerID: String, document: JSONValue) throws {
        saml = SAMLConfig(document)
        guard let clientID = document["clientId"]?.string ?? saml?.serviceProvider, !clientID.isEmpty else {
            let needsNoID = Providers.facts(of: providerID)?.clientID == .never
            let lack = needsNoID ? "is incomplete" : "has no client id"
            throw APIError(.operationNotAllowed, "The identity provider configuration \(lack).")
        }
        self.providerID = providerID
        self.clientID = clientID
        clientSecret = document["clientSecret"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        issuer = document["issuer"]?.string
        scopes = document["scopes"]?.array?.compactMap(\.string) ?? []
        usesCode = document["responseType"]?["code"]?.bool ?? false
        usesOAuth2 = document["oauth2Config"]?["enabled"]?.bool ?? false
        let apple = document["appleSignInConfig"]
        bundleIDs = apple?["bundleIds"]?.array?.compactMap(\.string).filter { !$0.isEmpty } ?? []
        let key = apple?["codeFlowConfig"]
        if let teamID = key?["teamId"]?.string, let keyID = key?["keyId"]?.string, let text = key?["privateKey"]?.string {
            appleKey = AppleKey(teamID: teamID, keyID: keyID, privateKey: text)
        } else {
            appleKey = nil
        }
    }

    /// This registration, with the flow of codes.
    var withCode: ClientRegistration {
        var registration = self
        registration.usesCode = true
        return registration
    }

    /// The secret, which most providers require to exchange a code.
    ///
    /// - Throws: `APIError` `OPERATION_NOT_ALLOWED` when there is none.
    func requireSecret() throws -> String {
        guard let clientSecret else {
            throw APIError(.operationNotAllowed, "The identity provider configuration has no client secret.")
        }
        return clientSecret
    }
}
