import Project
import TestKit
import Testing

/// A provider whose access tokens Postern checks, with one of its users.
struct AccessTokenProvider: Sendable, CustomTestStringConvertible {
    let providerID: String
    /// Its name at the loopback provider.
    let name: String
    let profile: JSONValue
    let rawID: String
    /// The paths that are called, in order.
    let paths: [String]
    var app = TestServer.app
    /// Members of wrong types that make a profile unusable.
    let damage: JSONValue

    var testDescription: String { providerID }

    static let all = [
        AccessTokenProvider(
            providerID: "facebook.com",
            name: "facebook",
            profile: [
                "id": "10203", "name": "Ada Lovelace", "first_name": "Ada", "last_name": "Lovelace", "email": "Ada@Example.com",
                "picture": ["data": ["url": "https://cdn.example/ada.jpg"]],
            ],
            rawID: "10203",
            paths: ["/facebook/debug_token", "/facebook/me"],
            damage: ["id": ["10203"]]
        ),
        AccessTokenProvider(
            providerID: "github.com",
            name: "github",
            profile: [
                "id": 4711, "login": "ada", "name": "Ada Lovelace", "avatar_url": "https://cdn.example/ada.jpg",
                "email": "ada@example.com",
            ],
            rawID: "4711",
            paths: ["/github-api/applications/our-app/token", "/github-api/user", "/github-api/user/emails"],
            damage: ["id": "4711"]
        ),
        AccessTokenProvider(
            providerID: "google.com",
            name: "google",
            profile: [
                "sub": "google-1", "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace",
                "email": "ada@example.com", "email_verified": true, "picture": "https://cdn.example/ada.jpg",
            ],
            rawID: "google-1",
            paths: ["/google/tokeninfo", "/google/userinfo"],
            app: TestServer.googleClient,
            damage: ["sub": 1]
        ),
        AccessTokenProvider(
            providerID: "linkedin.com",
            name: "linkedin",
            profile: [
                "sub": "li-1", "name": "Ada Lovelace", "email": "ada@example.com", "email_verified": true,
                "picture": "https://cdn.example/ada.jpg",
            ],
            rawID: "li-1",
            paths: ["/linkedin/v2/introspectToken", "/linkedin/userinfo"],
            damage: ["sub": ""]
        ),
        AccessTokenProvider(
            providerID: "twitter.com",
            name: "twitter",
            profile: [
                "id_str": "77", "id": 77, "name": "Ada Lovelace", "screen_name": "ada", "email": "ada@example.com",
                "profile_image_url_https": "https://cdn.example/ada.jpg",
            ],
            rawID: "77",
            paths: ["/twitter/1.1/account/verify_credentials.json"],
            damage: ["id_str": 77]
        ),
    ]

    func grant(_ token: String = "token-1", app: String? = nil, check: JSONValue = [:], _ more: JSONValue = [:]) -> FakeApps.Grant
    {
        FakeApps.Grant(
            app: app ?? self.app,
            token: token,
            tokenSecret: "token-secret",
            profile: profile.merging(more),
            check: check
        )
    }

    func form(_ token: String = "token-1") -> [(String, String)] {
        [("access_token", token)] + (name == "twitter" ? [("oauth_token_secret", "token-secret")] : [])
    }
}
