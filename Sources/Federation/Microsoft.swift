import Project

/// Microsoft (`microsoft.com`): ID tokens of work, school and personal accounts.
///
/// Access tokens alone are refused: those for Graph name no audience that anybody but Graph could check (threat case OAU-07).
struct MicrosoftProvider: IdentityProvider {
    private let verifier: OIDCVerifier
    private let base: String

    // The directory of all personal accounts.
    private static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"
    // Microsoft's own mail service: nobody else can give out an address there.
    private static let ownDomains: Set<String> = ["outlook.com", "hotmail.com", "live.com", "msn.com"]

    /// - Parameters:
    ///   - verifier: The tool that verifies ID tokens.
    ///   - base: `endpoints.microsoft`; the issuer of each directory is under it.
    init(verifier: OIDCVerifier, base: String) {
        self.verifier = verifier
        self.base = base
    }

    func serves(_ providerID: String) -> Bool { providerID == "microsoft.com" }

    func verify(_ credential: IdPCredential, config: IdPConfig) async throws -> VerifiedIdentity {
        let idToken = try credential.requireIDToken()
        // The token says which directory it is of, and must then be of exactly that one's issuer.
        let named = OIDCVerifier.unverifiedClaim("tid", of: idToken)
        guard let tenant = named, tenant.wholeMatch(of: /[A-Za-z0-9-]{1,64}/) != nil else {
            throw ProviderError(.claims, "The ID token names no directory (tid).")
        }
        guard config.allowedTenants.isEmpty || config.allowedTenants.contains(tenant.lowercased()) else {
            throw ProviderError(.claims, "The ID token is of a directory that may not sign in (tid).")
        }
        let token = try await verifier.verify(
            idToken,
            of: credential,
            policy: .init(
                issuers: ["\(base)/\(tenant)/v2.0"],
                audiences: config.audiences,
                keys: .sharedDiscovery(
                    url: base + "/common/v2.0/.well-known/openid-configuration",
                    issuer: base + "/{tenantid}/v2.0"
                ),
                nonce: .hashOrExact
            )
        )
        var identity = VerifiedIdentity(
            providerID: credential.providerID,
            // A subject is a directory's own: without it, one directory could speak for another's users (threat case LNK-05).
            rawID: "\(tenant.lowercased()).\(token.subject)",
            rawUserInfo: token.claims
        )
        identity.takeStandardClaims(token.claims)
        identity.email =
            identity.email ?? token.claims["preferred_username"]?.string.flatMap(EmailAddress.canonical)
        // What a directory writes into its users' records is its own business (threat case LNK-03).
        identity.isEmailVerified = tenant.lowercased() == Self.consumers && identity.hasEmail(in: Self.ownDomains)
        identity.takeTokens(of: credential)
        identity.singleUses = token.singleUse.map { [$0] } ?? []
        return identity
    }
}

extension VerifiedIdentity {
    /// Whether the address is one of these domains, exactly.
    func hasEmail(in domains: Set<String>) -> Bool {
        guard let domain = email?.split(separator: "@").last else { return false }
        return domains.contains(String(domain))
    }
}
