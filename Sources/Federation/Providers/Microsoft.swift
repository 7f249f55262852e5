import Project
import Tokens

/// Microsoft (`microsoft.com`): ID tokens of work, school and personal accounts.
///
/// An access token without an ID token is accepted only if it is for Graph and names our app. Graph answers only for valid
/// tokens, so its answer also confirms the app in the token (threat case OAU-07). Opaque tokens, as personal accounts have, name
/// no app and are refused.
struct MicrosoftProvider: AuthorizationProvider {
    static let facts = ProviderFacts(
        id: "microsoft.com",
        label: "Microsoft",
        endpoints: [home, graph],
        directoryParameter: "tenant"
    )

    private static let home = ProviderEndpoint(
        "microsoft",
        at: "https://login.microsoftonline.com",
        "Microsoft; each tenant's issuer is under it"
    )
    private static let graph = ProviderEndpoint("microsoftGraph", at: "https://graph.microsoft.com", "Microsoft's profile")

    // The directory of all personal accounts.
    private static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"
    // Graph's names in tokens: its address and its application id.
    private static let graphAudiences: Set<String> = ["https://graph.microsoft.com", "00000003-0000-0000-c000-000000000000"]
    // Microsoft's own mail service. No other directory can assign addresses in these domains.
    private static let ownDomains: Set<String> = ["outlook.com", "hotmail.com", "live.com", "msn.com"]

    private let verifier: OIDCVerifier
    private let api: ProviderAPI
    private let base: String
    private let graph: String
    /// The location of the keys of all directories.
    private let keySource: KeySource

    init(_ tools: ProviderTools) {
        verifier = tools.verifier
        api = tools.api
        base = tools.endpoints[Self.home]
        graph = tools.endpoints[Self.graph]
        keySource = .sharedDiscovery(
            url: base + "/common/v2.0/.well-known/openid-configuration",
            issuer: base + "/{tenantid}/v2.0"
        )
    }

    func keys(for registration: ClientRegistration) -> KeySource? { keySource }

    func verifiesIDTokensFirst(_ config: IdPConfig) -> Bool { true }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        if credential.idToken == nil { return try await verifyAccessToken(credential, config) }
        let idToken = try credential.requireIDToken()
        // The token names its directory, and its issuer must be that of exactly this directory.
        let tenant = try Self.directory(OIDCVerifier.unverifiedClaim("tid", of: idToken), config)
        let token = try await verifier.verify(
            idToken,
            of: credential,
            policy: .init(
                issuers: ["\(base)/\(tenant)/v2.0"],
                audiences: config.audiences,
                keys: keySource,
                nonce: .hashOrExact
            )
        )
        var identity = Self.identity(credential, tenant: tenant, subject: token.subject, claims: token.claims)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        return identity
    }

    // Graph verifies the signature of its tokens, so the claims of a token that it has accepted are Microsoft's.
    private func verifyAccessToken(_ credential: IdPCredential, _ config: IdPConfig) async throws -> VerifiedIdentity {
        let text = try credential.requireAccessToken()
        guard let claims = (try? CompactJWS(text))?.payload, Self.graphAudiences.containsBytes(of: claims["aud"]?.string),
            let app = (claims["appid"] ?? claims["azp"])?.string, config.audiences.containsBytes(of: app)
        else { throw ProviderError.foreignToken }
        let tenant = try Self.directory(claims["tid"]?.string, config)
        let profile = try await api.get(graph + "/oidc/userinfo", authorization: .bearer(text))
        guard let subject = profile["sub"]?.string.flatMap(ProfileText.subject) else { throw ProviderError.malformedAnswer }
        var identity = Self.identity(credential, tenant: tenant, subject: subject, claims: profile)
        // Reading the photo requires the access token.
        identity.photoURL = nil
        return identity
    }

    private static func directory(_ named: String?, _ config: IdPConfig) throws -> String {
        guard let tenant = named, tenant.wholeMatch(of: /[A-Za-z0-9-]{1,64}/) != nil else {
            throw ProviderError(.claims, "The token names no directory (tid).")
        }
        guard config.allowedTenants.isEmpty || config.allowedTenants.contains(tenant.lowercased()) else {
            throw ProviderError(.claims, "The token is of a directory that may not sign in (tid).")
        }
        return tenant
    }

    private static func identity(
        _ credential: IdPCredential,
        tenant: String,
        subject: String,
        claims: JSONValue
    ) -> VerifiedIdentity {
        var identity = VerifiedIdentity(
            providerID: credential.providerID,
            // A subject is unique only within its directory. Without the directory, one directory could impersonate another's
            // users (threat case LNK-05).
            rawID: "\(tenant.lowercased()).\(subject)",
            rawUserInfo: claims
        )
        identity.takeStandardClaims(claims)
        identity.email = identity.email ?? claims["preferred_username"]?.string.flatMap(EmailAddress.canonical)
        // A directory may write any address into its users' records, so it is not trusted (threat case LNK-03).
        identity.isEmailVerified = tenant.lowercased() == consumers && identity.hasEmail(in: ownDomains)
        identity.takeTokens(of: credential)
        return identity
    }

    // The directory that the selection names, or any directory (`Docs/Contract/web-handler.md` §7.4).
    func profile(for client: ClientRegistration, _ selection: AuthorizationSelection) async throws -> AuthorizationProfile {
        let directory = selection.directory ?? "common"
        // A directory is an id or a domain name. Other texts could change the path of the URL.
        let isName = directory.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isName, (1...253).contains(directory.utf8.count), !directory.hasPrefix(".") else {
            throw APIError(.operationNotAllowed, "The directory is no tenant id and no domain name.")
        }
        let pages = "\(base)/\(directory)/oauth2/v2.0"
        var profile = AuthorizationProfile(
            grant: .code,
            clientID: client.clientID,
            authorizationEndpoint: pages + "/authorize",
            tokenEndpoint: pages + "/token"
        )
        profile.authentication = .post(secret: try client.requireSecret())
        profile.scopes = ["openid", "email", "profile"]
        profile.usesNonce = true
        return profile
    }
}

extension VerifiedIdentity {
    /// Whether the domain of the address is exactly one of these.
    func hasEmail(in domains: Set<String>) -> Bool {
        guard let domain = email?.split(separator: "@").last else { return false }
        return domains.contains(String(domain))
    }
}
