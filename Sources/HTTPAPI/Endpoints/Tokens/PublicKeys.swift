import HTTPTypes
import Hummingbird
import Project
import Tokens

/// Serves the public keys of ID tokens and of session cookies at the paths that OpenID verifiers and Firebase's libraries use
/// (`Docs/Contract/tokens.md` §1.1 and §5).
struct PublicKeys: Sendable {
    let documents: KeyDocuments
    let environment: ServerEnvironment
    let issuer: String
    /// `project.id`
    let projectID: String
    let publicURL: @Sendable () -> String

    private static let account = "securetoken@system.gserviceaccount.com"

    // Where Google publishes the keys of an account of its own, as a JWK set and as certificates. Libraries have any of them compiled in.
    private static let keySets = ["/service_accounts/v1/jwk/", "/service_accounts/v1/metadata/jwk/", "/robot/v1/metadata/jwk/"]
        .map { $0 + account }
    // Google's certificates for its own tokens are at the last one, and some libraries take them together with the first.
    private static let certificateMaps =
        ["/robot/v1/metadata/x509/", "/service_accounts/v1/metadata/x509/"].map { $0 + account } + ["/oauth2/v1/certs"]

    // Some clients read `Expires` alone.
    private var cached: HTTPFields {
        let age = KeyDocuments.maximumAgeSeconds
        return [
            .cacheControl: "public, max-age=\(age), must-revalidate",
            .expires: environment.now().advanced(by: .seconds(age)).internetDate(zone: "GMT"),
        ]
    }

    func add(to table: inout RouteTable) {
        let keys = Self.operation("PublicKeySet", "The public keys of ID tokens, as JWK set.")
        let certificates = Self.operation("Certificates", "The public keys of ID tokens, as X.509 certificates.")
        let discovery = Self.operation("Discovery", "OpenID Connect's discovery document.")
        let cookieKeys = Self.operation("CookieKeySet", "The public keys of session cookies, as JWK set.")
        let cookieX509 = Self.operation("CookieCertificates", "The public keys of session cookies, as X.509 certificates.")
        // Verifiers that are given Firebase's issuer look below it, which names host and project.
        for prefix in ["", "/\(projectID)", "/securetoken.google.com/\(projectID)"] {
            add("\(prefix)/.well-known/openid-configuration", discovery, to: &table) {
                documents.discovery(issuer: issuer, publicURL: publicURL())
            }
        }
        add("/.well-known/jwks.json", keys, to: &table) { documents.jwks }
        // Verifiers fetch all of these without credentials.
        for prefix in ["", "/identitytoolkit.googleapis.com"] {
            add("\(prefix)/v1/publicKeys", cookieX509, to: &table) { documents.cookieCertificates }
            add("\(prefix)/v1/sessionCookiePublicKeys", cookieKeys, to: &table) { documents.cookieJWKS }
        }
        for prefix in ["", "/www.googleapis.com"] {
            add("\(prefix)/identitytoolkit/v3/relyingparty/publicKeys", cookieX509, to: &table) { documents.cookieCertificates }
            for path in Self.keySets { add(prefix + path, keys, to: &table) { documents.jwks } }
            for path in Self.certificateMaps { add(prefix + path, certificates, to: &table) { documents.certificates } }
        }
    }

    private func add(
        _ path: String,
        _ operation: Operation,
        to table: inout RouteTable,
        _ document: @escaping @Sendable () -> JSONValue
    ) {
        table.add(.get, path, operation) { _, _ in try JSONAnswer.response(document(), headers: cached) }
    }

    private static func operation(_ name: String, _ summary: String) -> Operation {
        Operation(name: name, summary: summary, answers: [200: .json(Schema(["type": "object"]))])
    }
}
