import HTTPTypes
import Hummingbird
import Project
import Tokens

/// The public keys of ID tokens and of session cookies, where OpenID verifiers and Firebase's libraries look for them
/// (`contract/tokens.md` §1.1 and §5).
struct PublicKeys {
    let documents: KeyDocuments
    let auth: CallerAuth
    let issuer: String
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
        table.add(.get, "/.well-known/openid-configuration") { _, _ in
            try JSONAnswer.response(documents.discovery(issuer: issuer, publicURL: publicURL()), headers: cached)
        }
        table.add(.get, "/.well-known/jwks.json", jwks)
        // Whoever verifies a cookie fetches these without credentials.
        let cookieCertificates: RouteTable.Handler = { _, _ in
            try JSONAnswer.response(documents.cookieCertificates, headers: cached)
        }
        for prefix in ["", "/identitytoolkit.googleapis.com"] {
            table.add(.get, "\(prefix)/v1/publicKeys", cookieCertificates)
            table.add(.get, "\(prefix)/v1/sessionCookiePublicKeys") { request, _ in
                _ = try await auth.authenticate(request, access: .apiKeyOnly, need: .readConfiguration, path: nil)
                return try JSONAnswer.response(documents.cookieJWKS, headers: cached)
            }
        }
        for prefix in ["", "/www.googleapis.com"] {
            table.add(.get, "\(prefix)/identitytoolkit/v3/relyingparty/publicKeys", cookieCertificates)
        }
        for prefix in ["", "/www.googleapis.com"] {
            table.add(.get, "\(prefix)/service_accounts/v1/jwk/\(Self.account)", jwks)
            table.add(.get, "\(prefix)/robot/v1/metadata/x509/\(Self.account)") { _, _ in
                try JSONAnswer.response(documents.certificates, headers: cached)
            }
        }
    }
}
