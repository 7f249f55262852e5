import Foundation
import Project
import Storage
import TestKit
import Testing

@Suite("Whoever proves an address owns the account, and what others planted is dead", .teardown, .timeLimit(.minutes(15)))
struct PlantingTests {
    /// How an owner proves an address.
    enum Proof: String, CaseIterable, CustomTestStringConvertible {
        case google, apple, oidc, emailLink, passwordReset, verifyEmail, changeFromUnproven, changeFromProven

        var testDescription: String { rawValue }

        /// The planted things that keep working (ruling 36).
        var kept: Set<Planted> {
            let ways: Set<Planted> = [.password, .provider, .passkey, .secondFactor, .phoneNumber, .flow, .customToken]
            return switch self {
            case .verifyEmail: ways.union([.session])
            // The account's own session asked for this code, as for one of the kind above.
            case .changeFromUnproven: [.customToken]
            case .changeFromProven: ways.union([.recoverCode, .revertCode])
            default: []
            }
        }
    }

    static let environment = [
        "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com", "POSTERN_PASSKEYS_RP_ID": PlantingGround.rpID,
        "POSTERN_PASSKEYS_ORIGINS": PlantingGround.origin, "POSTERN_LIMITS_PHONE_PER_ADDRESS_PER_HOUR": "10000",
        "POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "10000",
    ]

    static func project(_ provider: FakeIDP) -> String {
        """
        config:
          signIn:
            anonymous: {enabled: true}
            email: {enabled: true}
            phoneNumber:
              enabled: true
              testPhoneNumbers: {"\(TestServer.testNumber)": "\(TestServer.testNumberCode)"}
          emailPrivacyConfig: {enableImprovedEmailPrivacy: false}
          authorizedDomains: [localhost, app.example.com]
          mfa:
            state: ENABLED
            enabledProviders: [PHONE_SMS]
            providerConfigs: [{state: ENABLED, totpProviderConfig: {adjacentIntervals: 1}}]
        defaultSupportedIdpConfigs:
          apple.com: {enabled: true, clientId: com.example.web, appleSignInConfig: {bundleIds: [\(TestServer.appleClient)]}}
          google.com: {enabled: true, clientId: \(TestServer.googleClient)}
        oauthIdpConfigs:
          oidc.test: {enabled: true, clientId: \(TestServer.oidcClient), issuer: "\(provider.issuer("oidc"))"}
          oidc.other: {enabled: true, clientId: other-client, issuer: "\(provider.issuer("other"))"}
        """
    }

    private func start(on engine: Engine) async throws -> TestServer {
        try await TestServer.start(environment: Self.environment, project: Self.project, on: engine)
    }

    /// The owner proves the address. Returns the answer, if the proof is a sign-in.
    private func prove(
        _ proof: Proof,
        _ email: String,
        of planted: TestServer.Session,
        on server: TestServer
    ) async throws -> TestClient.Answer? {
        let address = TestServer.email(email)
        func code(_ type: String, _ body: JSONValue) async throws -> JSONValue { .string(try await server.code(type, body)) }
        switch proof {
        case .google: return try await server.signIn("google.com", server.googleToken("owner-\(email)", address))
        case .apple:
            let claims: JSONValue = ["email": .string(email), "email_verified": "true"]
            return try await server.signIn("apple.com", server.appleToken("owner-\(email)", claims))
        case .oidc: return try await server.signIn("oidc.test", server.oidcToken("owner-\(email)", address))
        case .emailLink:
            let mail: JSONValue = ["email": .string(email), "continueUrl": "https://app.example.com/"]
            let body: JSONValue = ["email": .string(email), "oobCode": try await code("EMAIL_SIGNIN", mail)]
            return try await server.call("signInWithEmailLink", body)
        case .passwordReset:
            let reset = try await code("PASSWORD_RESET", ["email": .string(email)])
            let answer = try await server.call("resetPassword", ["oobCode": reset, "newPassword": "of the owner"])
            #expect(answer.status == 200, "\(answer.json)")
            return try await server.signIn(email, password: "of the owner")
        case .verifyEmail:
            let verify = try await code("VERIFY_EMAIL", ["idToken": .string(planted.idToken)])
            #expect(try await server.call("update", ["oobCode": verify])["emailVerified"] == true)
            return nil
        case .changeFromUnproven, .changeFromProven:
            let move: JSONValue = ["email": .string(email), "newEmail": .string("owner-\(email)")]
            let change = try await code("VERIFY_AND_CHANGE_EMAIL", move)
            let answer = try await server.call("update", ["oobCode": change])
            #expect(answer["newEmail"] == .string("owner-\(email)"), "\(answer.json)")
            return nil
        }
    }

    @Test("of every kind, before every way of proving (OOB-10, LNK-01, LNK-02)", arguments: Engine.allCases, Proof.allCases)
    func planting(engine: Engine, proof: Proof) async throws {
        let server = try await start(on: engine)
        for planted in Planted.allCases {
            let email = "victim-\(planted.rawValue.lowercased())@example.com"
            let account =
                proof == .changeFromProven ? try await server.verifiedUser(email) : try await server.signUp(email)
            let trial = try await planted.plant(on: server, account, email)
            let owner = try await prove(proof, email, of: account, on: server)
            if let owner {
                // The owner's own session works, and nothing planted gets in its way.
                let session = try server.session(owner)
                // An account with custom tokens gives the address up; any other one becomes the owner's (LNK-17).
                #expect((session.localID == account.localID) == (planted != .customToken), "\(planted)")
                #expect(try await server.account(session)["emailVerified"] == true, "\(planted)")
                #expect(try await server.refresh(session.refreshToken).status == 200, "\(planted)")
            }
            let works = try await trial()
            #expect(works == proof.kept.contains(planted), "\(planted)")
            let deleted = try await server.admin("accounts:delete", ["localId": .string(account.localID)])
            #expect(deleted.status == 200)
            // A user who shows the number now gets a new account, which is deleted for the next round.
            if let stranger = try await server.admin("accounts:lookup", ["phoneNumber": [.string(TestServer.testNumber)]])[
                "users"
            ]?[0]?["localId"] {
                _ = try await server.admin("accounts:delete", ["localId": stranger])
            }
        }
    }
}
