import Project

/// The metadata that an OpenID provider publishes (OpenID Connect Discovery 1.0 §3, RFC 8414 §2).
struct ProviderMetadata: Sendable {
    let issuer: String
    /// The page that users are sent to; `nil` when there is none, or none that a browser may open.
    let authorizationEndpoint: String?
    let tokenEndpoint: String?
    let userInfoEndpoint: String?
    let tokenAuthenticationMethods: [String]
    let responseModes: [String]?
    let announcesIssuerParameter: Bool

    /// - Throws: ``ProviderError`` for a document of another issuer.
    init(_ document: JSONValue, issuer: String) throws {
        guard bytesEqual(document["issuer"]?.string, issuer) else {
            throw ProviderError(.keys, "The identity provider's discovery document is of another issuer.")
        }
        self.issuer = issuer
        authorizationEndpoint = document["authorization_endpoint"]?.string.flatMap {
            Self.isEndpoint($0, of: issuer) ? $0 : nil
        }
        tokenEndpoint = document["token_endpoint"]?.string
        userInfoEndpoint = document["userinfo_endpoint"]?.string
        // OpenID Connect Core §9: basic authentication unless the document names others.
        tokenAuthenticationMethods =
            document["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string) ?? ["client_secret_basic"]
        responseModes = document["response_modes_supported"]?.array?.compactMap(\.string)
        announcesIssuerParameter = document["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    /// The page that users are sent to.
    func requireAuthorizationEndpoint() throws -> String {
        guard let authorizationEndpoint else {
            throw ProviderError(.keys, "The identity provider announces no authorization endpoint.")
        }
        return authorizationEndpoint
    }

    /// The announced way of client authentication.
    ///
    /// - Throws: ``ProviderError`` when the provider announces only ways that Postern does not support.
    func authentication(secret: String) throws -> AuthorizationProfile.ClientAuthentication {
        if tokenAuthenticationMethods.contains("client_secret_basic") { return .basic(secret: secret) }
        if tokenAuthenticationMethods.contains("client_secret_post") { return .post(secret: secret) }
        throw ProviderError(.exchange, "The identity provider supports neither client_secret_basic nor client_secret_post.")
    }

    // A browser is sent there, so it must be a web page. It may be unencrypted only if the issuer itself is (ruling 1).
    private static func isEndpoint(_ url: String, of issuer: String) -> Bool {
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !url.contains("#") else { return false }
        return url.hasPrefix("https://") || (url.hasPrefix("http://") && issuer.hasPrefix("http://"))
    }
}
