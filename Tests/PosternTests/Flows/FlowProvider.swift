import Project
import TestKit
import Testing

/// A provider that users are sent to, with one of its users and the answer that an app must get.
struct FlowProvider: Sendable, CustomTestStringConvertible {
    let providerID: String
    /// Claims of the user's ID token.
    var user: JSONValue = ["sub": "user-1"]
    /// The answer of the provider's profile endpoint.
    var profile: JSONValue?
    /// Further parameters of the provider's answer.
    var beside: [(String, String)] = []
    /// The user's id at the provider.
    let rawID: String
    var federatedID: String?
    /// Members of the answer besides those of all providers.
    let members: JSONValue
    var isEmailVerified = false
    var hasIDToken = true
    var photoURL: String? = "https://cdn.example/ada.jpg"
    /// A member that `rawUserInfo` must have, and its value.
    let raw: (name: String, value: JSONValue)

    var testDescription: String { providerID }

    private static let standard: JSONValue = [
        "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace", "picture": "https://cdn.example/ada.jpg",
    ]

    static let all = [
        FlowProvider(
            providerID: "google.com",
            user: standard.merging(["sub": "g-1", "email": "ada@gmail.com", "email_verified": true, "locale": "en"]),
            rawID: "g-1",
            federatedID: "https://accounts.google.com/g-1",
            members: ["email": "ada@gmail.com", "firstName": "Ada", "lastName": "Lovelace", "language": "en"],
            isEmailVerified: true,
            raw: ("verified_email", true)
        ),
        FlowProvider(
            providerID: "apple.com",
            user: ["sub": "a-1", "email": "x7k@privaterelay.appleid.com", "email_verified": "true", "is_private_email": "true"],
            beside: [("user", #"{"name": {"firstName": "Ada", "lastName": "Lovelace"}, "email": "victim@example.com"}"#)],
            rawID: "a-1",
            members: ["email": "x7k@privaterelay.appleid.com", "firstName": "Ada", "lastName": "Lovelace"],
            isEmailVerified: true,
            photoURL: nil,
            raw: ("is_private_email", "true")
        ),
        FlowProvider(
            providerID: "twitter.com",
            profile: [
                "id_str": "42", "name": "Ada Lovelace", "screen_name": "ada", "email": "ada@example.com",
                "profile_image_url_https": "https://cdn.example/ada.jpg",
            ],
            rawID: "42",
            members: ["email": "ada@example.com", "screenName": "ada", "oauthTokenSecret": "access-secret"],
            hasIDToken: false,
            raw: ("screen_name", "ada")
        ),
        FlowProvider(
            providerID: "facebook.com",
            profile: [
                "id": "10203", "name": "Ada Lovelace", "first_name": "Ada", "last_name": "Lovelace", "email": "ada@example.com",
                "picture": ["data": ["url": "https://cdn.example/ada.jpg"]],
            ],
            rawID: "10203",
            members: ["email": "ada@example.com", "firstName": "Ada", "lastName": "Lovelace", "oauthExpireIn": 3599],
            hasIDToken: false,
            raw: ("first_name", "Ada")
        ),
        FlowProvider(
            providerID: "github.com",
            profile: [
                "id": 4711, "login": "ada", "name": "Ada Lovelace", "avatar_url": "https://cdn.example/ada.jpg",
                "email": "ada@example.com",
            ],
            rawID: "4711",
            members: ["email": "ada@example.com", "screenName": "ada"],
            hasIDToken: false,
            raw: ("login", "ada")
        ),
        FlowProvider(
            providerID: "microsoft.com",
            user: standard.merging(["sub": "m-1", "tid": "tenant-1", "preferred_username": "ada@company.example"]),
            rawID: "tenant-1.m-1",
            members: ["email": "ada@company.example", "firstName": "Ada"],
            raw: ("tid", "tenant-1")
        ),
        FlowProvider(
            providerID: "yahoo.com",
            user: ["sub": "y-1"],
            profile: standard.merging(["sub": "y-1", "email": "ada@yahoo.com", "email_verified": true]),
            rawID: "y-1",
            members: ["email": "ada@yahoo.com", "firstName": "Ada"],
            isEmailVerified: true,
            raw: ("family_name", "Lovelace")
        ),
        FlowProvider(
            providerID: "linkedin.com",
            user: standard.merging(["sub": "l-1", "email": "ada@example.com", "email_verified": true]),
            rawID: "l-1",
            members: ["email": "ada@example.com", "firstName": "Ada"],
            raw: ("email_verified", true)
        ),
        FlowProvider(
            providerID: "discord.com",
            profile: [
                "id": "80351110224678912", "username": "ada", "global_name": "Ada Lovelace", "avatar": "8342729096ea",
                "email": "ada@example.com", "verified": true, "locale": "en-GB",
            ],
            rawID: "80351110224678912",
            members: ["email": "ada@example.com", "screenName": "ada", "language": "en-GB"],
            hasIDToken: false,
            photoURL: "https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea.png",
            raw: ("global_name", "Ada Lovelace")
        ),
    ]

    /// Makes this user the next one who signs in there.
    func enter(_ server: TestServer) {
        let authorization = server.provider.authorization
        var user = user
        if let tenant = user["tid"]?.string { user["iss"] = .string(server.provider.issuer("microsoft/\(tenant)/v2.0")) }
        authorization.setUser(user)
        authorization.setProfile(profile)
        authorization.setAnswerParameters(beside)
    }

    /// Expects that an answer describes the user correctly.
    func expect(_ answer: TestClient.Answer, _ location: SourceLocation = #_sourceLocation) throws {
        #expect(answer["kind"] == "identitytoolkit#VerifyAssertionResponse", sourceLocation: location)
        #expect(answer["providerId"]?.string == providerID, sourceLocation: location)
        #expect(answer["federatedId"]?.string == federatedID ?? rawID, sourceLocation: location)
        #expect(answer["displayName"] == "Ada Lovelace", sourceLocation: location)
        #expect(answer["fullName"] == "Ada Lovelace", sourceLocation: location)
        #expect(answer["emailVerified"]?.bool == isEmailVerified, sourceLocation: location)
        for (name, value) in members.object ?? [:] { #expect(answer[name.text] == value, "\(name)", sourceLocation: location) }
        #expect(answer["photoUrl"]?.string == photoURL, sourceLocation: location)
        #expect(answer["oauthAccessToken"]?.string?.hasPrefix("access-") == true, sourceLocation: location)
        #expect((answer["oauthIdToken"] != nil) == hasIDToken, sourceLocation: location)
        #expect(answer["oauthRefreshToken"] == nil, sourceLocation: location)
        let info = try JSONValue.parse(try #require(answer["rawUserInfo"]?.string, sourceLocation: location).utf8)
        #expect(info[raw.name] == raw.value, sourceLocation: location)
    }
}
