import Crypto
import Foundation
import Project
import Tokens

/// Facebook (`facebook.com`): access tokens of our app, and ID tokens of Limited Login.
///
/// Facebook does not tell whether it has verified an e-mail, so its addresses never count as verified.
struct FacebookProvider: AuthorizationProvider {
    static let facts = ProviderFacts(id: "facebook.com", label: "Facebook", endpoints: [graph, dialog])

    private static let graph = ProviderEndpoint("facebook", at: "https://graph.facebook.com", "Facebook's Graph API")
    // The issuer of Limited Login, too.
    private static let dialog = ProviderEndpoint(
        "facebookDialog",
        at: "https://www.facebook.com",
        "Facebook's sign-in dialog",
        aliases: ["https://facebook.com"]
    )
    private static let version = "v23.0"

    private let verifier: OIDCVerifier
    private let api: ProviderAPI
    private let environment: ServerEnvironment
    private let graph: String
    private let dialog: String
    private let issuers: [String]
    private let keysURL: String

    init(_ tools: ProviderTools) {
        verifier = tools.verifier
        api = tools.api
        environment = tools.environment
        graph = tools.endpoints[Self.graph]
        dialog = tools.endpoints[Self.dialog]
        issuers = tools.endpoints.issuers(Self.dialog)
        keysURL = dialog + "/.well-known/oauth/openid/jwks/"
    }

    func keys(for registration: ClientRegistration) -> KeySource? { .pinned(url: keysURL) }

    func verifiesIDTokensFirst(_ config: IdPConfig) -> Bool { true }

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

    // `Docs/Contract/web-handler.md` §7.4.
    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        var profile = AuthorizationProfile(
            grant: .code,
            clientID: client.clientID,
            authorizationEndpoint: "\(dialog)/\(Self.version)/dialog/oauth",
            tokenEndpoint: "\(graph)/\(Self.version)/oauth/access_token"
        )
        profile.authentication = .post(secret: try client.requireSecret())
        profile.givesOwnToken = true
        profile.scopes = ["public_profile", "email"]
        profile.scopeSeparator = ","
        profile.issuers = [dialog]
        return profile
    }
}
