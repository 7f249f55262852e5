import HTTPTypes
import Hummingbird
import Project
import Tokens

/// Serves the public keys of ID tokens and of session cookies at the paths that OpenID verifiers and Firebase's libraries use
/// (`Docs/Contract/tokens.md` §1.1 and §5).
struct PublicKeys {
    let documents: KeyDocuments
    let auth: CallerAuth
    let issuer: String
    /// `project.id`
    let projectID: String
    let publicURL: @Sendable () -> String

    private static let account = "securetoken@system.gserviceaccount.com"

    private var cached: HTTPFields { [.cacheControl: "public, max-age=\(KeyDocuments.maximumAgeSeconds), must-revalidate"] }

    /// Adds the routes.
    func add(to table: inout RouteTable) {
        let cached = cached
        let documents = documents
        let auth = auth
        let issuer = issuer
        let publicURL = publicURL
        let jwks: RouteTable.Handler = { _, _ in try JSONAnswer.response(documents.jwks, headers: cached) }
        let keys = Self.operation("PublicKeySet", "The public keys of ID tokens, as JWK set.")
        let certificates = Self.operation("Certificates", "The public keys of ID tokens, as X.509 certificates.")
        let discovery = Self.operation("Discovery", "OpenID Connect's discovery document.")
        let cookieKeys = Self.operation("CookieKeySet", "The public keys of session cookies, as JWK set.")
        let cookieX509 = Self.operation("CookieCertificates", "The public keys of session cookies, as X.509 certificates.")
        // Verifiers that are given Firebase's issuer look below it, which names host and project.
        for prefix in ["", "/\(projectID)", "/securetoken.google.com/\(projectID)"] {
            table.add(.get, "\(prefix)/.well-known/openid-configuration", discovery) { _, _ in
                try JSONAnswer.response(documents.discovery(issuer: issuer, publicURL: publicURL()), headers: cached)
            }
        }
        table.add(.get, "/.well-known/jwks.json", keys, jwks)
        // Verifiers of cookies fetch these without credentials.
        let cookieCertificates: RouteTable.Handler = { _, _ in
            try JSONAnswer.response(documents.cookieCertificates, headers: cached)
        }
        for prefix in ["", "/identitytoolkit.googleapis.com"] {
            table.add(.get, "\(prefix)/v1/publicKeys", cookieX509, cookieCertificates)
            table.add(.get, "\(prefix)/v1/sessionCookiePublicKeys", cookieKeys) { request, _ in
                _ = try await auth.authenticate(request, access: .apiKeyOnly, path: nil)
                return try JSONAnswer.response(documents.cookieJWKS, headers: cached)
            }
        }
        for prefix in ["", "/www.googleapis.com"] {
            table.add(.get, "\(prefix)/identitytoolkit/v3/relyingparty/publicKeys", cookieX509, cookieCertificates)
            table.add(.get, "\(prefix)/service_accounts/v1/jwk/\(Self.account)", keys, jwks)
            table.add(.get, "\(prefix)/robot/v1/metadata/x509/\(Self.account)", certificates) { _, _ in
                try JSONAnswer.response(documents.certificates, headers: cached)
            }
        }
    }

    private static func operation(_ name: String, _ summary: String) -> Operation {
        Operation(name: name, summary: summary, answers: [200: .json(Schema(["type": "object"]))])
    }
}
