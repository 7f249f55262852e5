import Foundation
import Project
import TestKit
import Testing

extension TestServer {
    /// Calls an endpoint of the Identity Toolkit with the API key.
    func call(_ method: String, _ body: JSONValue) async throws -> TestClient.Answer {
        try await client.post("/v1/accounts:\(method)?key=\(Self.apiKey)", body)
    }

    /// Calls an endpoint as an administrator.
    func callAsAdmin(_ method: String, _ body: JSONValue) async throws -> TestClient.Answer {
        try await client.post("/v1/accounts:\(method)", body, headers: [("Authorization", "Bearer \(Self.adminToken)")])
    }

    func signIn(
        _ providerID: String,
        _ idToken: String,
        nonce: String? = nil,
        _ extra: JSONValue = [:],
        form: [(String, String)] = []
    ) async throws -> TestClient.Answer {
        let pairs = [("providerId", providerID), ("id_token", idToken)] + (nonce.map { [("nonce", $0)] } ?? []) + form
        let body: JSONValue = ["requestUri": "http://localhost", "postBody": .string(TestClient.encode(pairs))]
        return try await call("signInWithIdp", body.merging(extra))
    }

    /// A valid token of the generic provider.
    func oidcToken(_ subject: String = "user-1", _ overrides: JSONValue = [:]) throws -> String {
        try provider.token(claims("oidc", Self.oidcClient, subject, overrides))
    }

    /// A valid token like Google's.
    func googleToken(_ subject: String = "google-1", _ overrides: JSONValue = [:]) throws -> String {
        try provider.token(claims("google", Self.googleClient, subject, overrides))
    }

    /// A valid token like Apple's.
    func appleToken(_ subject: String = "apple-1", _ overrides: JSONValue = [:]) throws -> String {
        try provider.token(claims("apple", Self.appleClient, subject, overrides))
    }

    /// The claims of a valid token, issued now.
    func claims(_ issuer: String, _ audience: String, _ subject: String, _ overrides: JSONValue = [:]) -> JSONValue {
        provider.claims(issuer: issuer, audience: .string(audience), subject: subject, now: clock.now, overrides)
    }

    /// A verified e-mail, to merge into claims.
    static func email(_ address: String, verified: Bool = true) -> JSONValue {
        ["email": .string(address), "email_verified": .bool(verified)]
    }

    /// Signs in and expects success.
    func session(_ answer: TestClient.Answer, _ location: SourceLocation = #_sourceLocation) throws -> Session {
        #expect(answer.status == 200, "\(answer.errorMessage ?? "")", sourceLocation: location)
        let idToken = try #require(answer["idToken"]?.string, sourceLocation: location)
        // The answer of a sign-in by custom token does not name the user.
        let localID = try answer["localId"]?.string ?? payload(idToken)["sub"]?.string
        return Session(
            idToken: idToken,
            refreshToken: try #require(answer["refreshToken"]?.string, sourceLocation: location),
            localID: try #require(localID, sourceLocation: location)
        )
    }

    /// The tokens of a sign-in.
    struct Session {
        let idToken: String
        let refreshToken: String
        let localID: String

        /// The member of a request that shows the ID token.
        var token: JSONValue { ["idToken": .string(idToken)] }
    }

    func refresh(_ refreshToken: String) async throws -> TestClient.Answer {
        try await client.post(
            "/v1/token?key=\(Self.apiKey)",
            form: [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
        )
    }

    func account(_ session: Session) async throws -> JSONValue {
        try #require(try await call("lookup", ["idToken": .string(session.idToken)])["users"]?[0])
    }
}

extension TestServer {
    /// A project with passwords and e-mail links; `more` is added to its `config`.
    static func emailProject(_ more: String = "", hidesAccounts: Bool = false) -> (FakeIDP) -> String {
        { provider in
            """
            config:
              signIn: {anonymous: {enabled: true}, email: {enabled: true}}
              emailPrivacyConfig: {enableImprovedEmailPrivacy: \(hidesAccounts)}
              authorizedDomains: [localhost, app.example.com]
              \(more)
            oauthIdpConfigs:
              oidc.test: {enabled: true, clientId: \(oidcClient), issuer: "\(provider.issuer("oidc"))"}
            tenants:
              closed: {enableAnonymousUser: true}
            """
        }
    }

    /// Starts a server in place of the emulator, with an empty project file.
    static func startEmulator(_ environment: [String: String] = [:]) async throws -> TestServer {
        try await start(mode: .development, environment: environment, project: { _ in "{}" })
    }

    /// Cheap hashes, which every server of these tests makes unless a test is about hashing.
    static let cheapPasswords = ["POSTERN_PASSWORDS_ARGON2_MEMORY_KIB": "8192", "POSTERN_PASSWORDS_ARGON2_ITERATIONS": "1"]

    func signUp(_ email: String, _ password: String = "secret-1") async throws -> Session {
        try session(try await call("signUp", ["email": .string(email), "password": .string(password)]))
    }

    func signIn(_ email: String, password: String = "secret-1") async throws -> TestClient.Answer {
        try await call("signInWithPassword", ["email": .string(email), "password": .string(password)])
    }

    /// A code, as an administrator gets it.
    func code(_ type: String, _ body: JSONValue) async throws -> String {
        let request = body.merging(["requestType": .string(type), "returnOobLink": true])
        let answer = try await callAsAdmin("sendOobCode", request)
        return try #require(answer["oobCode"]?.string, "\(answer.errorMessage ?? "")")
    }
}
