import Crypto
import Foundation
import Project
import Tokens

/// Facebook (`facebook.com`): access tokens of our app, and ID tokens of Limited Login.
///
/// Facebook does not tell whether it has verified an e-mail, so its addresses never count as verified.
struct FacebookProvider: IdentityProvider {
    private let verifier: OIDCVerifier
    private let api: ProviderAPI
    private let environment: ServerEnvironment
    private let graph: String
    private let issuers: [String]
    private let keysURL: String

    private static let realWeb = "https://www.facebook.com"

    /// - Parameters:
    ///   - verifier: The tool that verifies ID tokens.
    ///   - api: Calls the Graph API.
    ///   - environment: The clock.
    ///   - graph: `endpoints.facebook`.
    ///   - web: `endpoints.facebookDialog` when overridden. It is then the only accepted issuer of Limited Login.
    init(verifier: OIDCVerifier, api: ProviderAPI, environment: ServerEnvironment, graph: String, web: String?) {
        self.verifier = verifier
        self.api = api
        self.environment = environment
        self.graph = graph
        issuers = web.map { [$0] } ?? [Self.realWeb, "https://facebook.com"]
        keysURL = Self.keysURL(web: web)
    }

    /// The URL of the keys of Limited Login.
    static func keysURL(web: String?) -> String { (web ?? realWeb) + "/.well-known/oauth/openid/jwks/" }

    func serves(_ providerID: String) -> Bool { providerID == "facebook.com" }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        var identity: VerifiedIdentity
        if let idToken = credential.idToken {
            identity = try await limitedLogin(idToken, credential, config)
        } else {
            identity = try await classicLogin(credential, config)
        }
        identity.isEmailVerified = false
        return identity
    }

    private func limitedLogin(
        _ idToken: String,
        _ credential: IdPCredential,
        _ config: IdPConfig
    ) async throws -> VerifiedIdentity {
        let token = try await verifier.verify(
            idToken,
            of: credential,
            policy: .init(issuers: issuers, audiences: config.audiences, keys: .pinned(url: keysURL), nonce: .hashOrExact)
        )
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: token.subject, rawUserInfo: token.claims)
        identity.takeStandardClaims(token.claims)
        identity.takeTokens(of: credential)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        return identity
    }

    private func classicLogin(_ credential: IdPCredential, _ config: IdPConfig) async throws -> VerifiedIdentity {
        let token = try credential.requireAccessToken()
        let app = try config.requireClient()
        let check = try await api.get(
            graph + "/debug_token",
            query: [("input_token", token), ("access_token", "\(app.id)|\(app.secret)")]
        )
        guard let data = check["data"] else { throw ProviderError.malformedAnswer }
        guard data["is_valid"] == .bool(true) else {
            throw ProviderError(.claims, "The access token is not valid, or not valid any more.")
        }
        // 0 stands for a token that does not expire.
        if let end = data["expires_at"], end != 0 {
            guard let time = end.numericDate, environment.now().seconds - TokenIssuer.clockSkewSeconds < time else {
                throw ProviderError(.claims, "The access token has expired.")
            }
        }
        guard bytesEqual(Self.text(data["app_id"]), app.id) else { throw ProviderError.foreignToken }
        // Tokens of apps and of pages do not identify a user.
        if let type = data["type"]?.string, type != "USER" {
            throw ProviderError(.claims, "The access token is no user's.")
        }
        guard let userID = Self.text(data["user_id"]).flatMap(ProfileText.subject) else { throw ProviderError.malformedAnswer }
        let profile = try await api.get(
            graph + "/me",
            query: [
                ("fields", "id,name,email,first_name,last_name,picture"), ("access_token", token),
                ("appsecret_proof", Self.proof(of: token, secret: app.secret)),
            ]
        )
        guard bytesEqual(Self.text(profile["id"]), userID) else { throw ProviderError.otherUser }
        var identity = VerifiedIdentity(providerID: credential.providerID, rawID: userID, rawUserInfo: profile)
        identity.email = profile["email"]?.string.flatMap(EmailAddress.canonical)
        identity.displayName = profile["name"]?.string.flatMap(ProfileText.name)
        identity.firstName = profile["first_name"]?.string.flatMap(ProfileText.name)
        identity.lastName = profile["last_name"]?.string.flatMap(ProfileText.name)
        identity.photoURL = profile["picture"]?["data"]?["url"]?.string.flatMap(ProfileText.photoURL)
        identity.takeTokens(of: credential)
        return identity
    }

    // Graph writes most ids as texts and some as numbers.
    private static func text(_ value: JSONValue?) -> String? { value?.string ?? value?.integer.map { String($0) } }

    // Proves to Facebook that the caller has the app's secret (Graph API, "Securing Requests").
    private static func proof(of token: String, secret: String) -> String {
        let key = SymmetricKey(data: Data(secret.utf8))
        return hexadecimal(Array(HMAC<SHA256>.authenticationCode(for: Data(token.utf8), using: key)))
    }
}
