import Accounts
import CryptoExtras
import Foundation
import HTTPAPI
import Project
import Storage
import TestKit
import Testing

/// Every kind of value that Postern issues, made on one server, and every place that accepts one.
struct TokenKinds {
    enum Kind: String, CaseIterable {
        case idToken, sessionCookie, customToken, refreshToken, pendingToken, mfaPendingCredential, smsSession, temporaryProof
        case totpSession, enrollmentChallenge, signInChallenge, pageToken, accessToken, adminToken, appProof, assertion
        case resetCode, verifyCode, signInCode
    }

    /// A place that accepts one kind.
    struct Place {
        let name: String
        let kind: Kind
        /// The refusals of values of other kinds.
        let refusals: [String]
        let show: (String) async throws -> TestClient.Answer
    }

    let server: TestServer
    private let user: TestServer.Session
    private let minter: CustomTokenTests.Minter
    private let enrolled: TestServer.EnrolledApp
    private let passkey = SoftwareAuthenticator()
    private let ceremony = SoftwareAuthenticator.Ceremony(origin: origin, relyingPartyID: "example.com")

    private static let origin = "https://app.example.com"
    private static let number = "+16505550102"
    private static let numberCode = "654321"
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    /// The settings that the server needs.
    static let environment = [
        "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com", "POSTERN_PASSKEYS_RP_ID": "example.com",
        "POSTERN_PASSKEYS_ORIGINS": origin,
    ]

    static func project(_ provider: FakeIDP) -> String {
        """
        config:
          signIn:
            anonymous: {enabled: true}
            email: {enabled: true}
            phoneNumber: {enabled: true, testPhoneNumbers: {"\(TestServer.testNumber)": "123456", "\(number)": "\(numberCode)"}}
          emailPrivacyConfig: {enableImprovedEmailPrivacy: false}
          authorizedDomains: [localhost, app.example.com]
          mfa: {state: ENABLED, enabledProviders: [PHONE_SMS], providerConfigs: [{state: ENABLED, totpProviderConfig: {}}]}
        defaultSupportedIdpConfigs:
          google.com: {enabled: true, clientId: \(TestServer.googleClient)}
        oauthIdpConfigs:
          oidc.test: {enabled: true, clientId: \(TestServer.oidcClient), issuer: "\(provider.issuer("oidc"))"}
          oidc.two: {enabled: true, clientId: two, issuer: "\(provider.issuer("two"))"}
        """
    }

    init(_ server: TestServer) async throws {
        self.server = server
        minter = try await CustomTokenTests.Minter(on: server)
        enrolled = try await server.enrollApp(try await server.verifiedUser("mfa@example.com"))
        user = try await server.verifiedUser("user@example.com")
        let challenge = try await Self.challenge(of: server, user)
        let body: JSONValue = [
            "idToken": .string(user.idToken),
            "authenticatorRegistrationResponse": try passkey.register(challenge, ceremony),
        ]
        #expect(try await server.callV2("passkeyEnrollment:finalize", body).status == 200)
    }

    func value(_ kind: Kind) async throws -> String {
        switch kind {
        case .idToken: return user.idToken
        case .refreshToken: return user.refreshToken
        case .adminToken: return TestServer.adminToken
        case .sessionCookie:
            let answer = try await server.admin(":createSessionCookie", ["idToken": .string(user.idToken)])
            return try text(answer, "sessionCookie")
        case .customToken: return try minter.token("c")
        case .pendingToken:
            // The address belongs to the user, and the provider does not vouch for it: a collision.
            let claims = TestServer.email("user@example.com", verified: false)
            return try text(try await server.signIn("oidc.test", try server.oidcToken(Self.name(), claims)), "pendingToken")
        case .mfaPendingCredential: return try text(try await server.signIn("mfa@example.com"), "mfaPendingCredential")
        case .smsSession: return try text(try await server.sendCode(Self.number), "sessionInfo")
        case .temporaryProof:
            // The number belongs to another account, so linking it leaves a proof.
            _ = try await server.phoneSession()
            let session = try await server.sendCode(TestServer.testNumber)["sessionInfo"]
            let link: JSONValue = ["idToken": .string(user.idToken)]
            return try text(try await server.signInWithPhone(session, TestServer.testNumberCode, link), "temporaryProof")
        case .totpSession: return try await startTOTP().session
        case .enrollmentChallenge: return try await Self.challenge(of: server, user)
        case .signInChallenge:
            let started = try await server.callV2("passkeySignIn:start", [:])
            return try #require(started["credentialRequestOptions"]?["challenge"]?.string)
        case .pageToken: return try text(try await server.admin("GET", "/oauthIdpConfigs?pageSize=1"), "nextPageToken")
        case .accessToken: return try text(try await exchange(try await value(.assertion)), "access_token")
        case .assertion:
            let now = server.clock.now.seconds
            return try minter.key.token(claims: [
                "iss": .string(minter.email), "aud": "https://auth.example.com/oauth2/token", "iat": .integer(now),
                "exp": .integer(now + 3600), "jti": .string(Self.name()),
                "scope": "https://www.googleapis.com/auth/cloud-platform",
            ])
        case .appProof: return try #require(try await server.appProof()["recaptchaToken"]?.string)
        case .resetCode: return try await server.code("PASSWORD_RESET", ["email": "user@example.com"])
        case .verifyCode: return try await server.code("VERIFY_EMAIL", ["email": "user@example.com"])
        case .signInCode: return try await server.code("EMAIL_SIGNIN", Self.link)
        }
    }

    /// Every place. Those that end sessions come last.
    var places: [Place] {
        let idToken: JSONValue = .string(user.idToken)
        return [
            Place(name: "lookup", kind: .idToken, refusals: ["INVALID_ID_TOKEN"]) {
                try await server.call("lookup", ["idToken": .string($0)])
            },
            Place(name: "update", kind: .idToken, refusals: ["INVALID_ID_TOKEN"]) {
                try await server.call("update", ["idToken": .string($0), "displayName": "x"])
            },
            Place(name: "sendOobCode", kind: .idToken, refusals: ["INVALID_ID_TOKEN"]) {
                try await server.callAsAdmin(
                    "sendOobCode",
                    ["idToken": .string($0), "requestType": "VERIFY_EMAIL", "returnOobLink": true]
                )
            },
            Place(name: "createSessionCookie", kind: .idToken, refusals: ["INVALID_ID_TOKEN"]) {
                try await server.admin(":createSessionCookie", ["idToken": .string($0)])
            },
            Place(name: "mfaEnrollment:start", kind: .idToken, refusals: ["INVALID_ID_TOKEN"]) {
                try await server.callV2("mfaEnrollment:start", ["idToken": .string($0), "totpEnrollmentInfo": [:]])
            },
            Place(name: "passkeyEnrollment:start", kind: .idToken, refusals: ["INVALID_ID_TOKEN"]) {
                try await server.callV2("passkeyEnrollment:start", ["idToken": .string($0)])
            },
            Place(name: "token", kind: .refreshToken, refusals: ["INVALID_REFRESH_TOKEN"]) { try await server.refresh($0) },
            Place(name: "signInWithCustomToken", kind: .customToken, refusals: ["INVALID_CUSTOM_TOKEN", "CREDENTIAL_MISMATCH"]) {
                try await server.call("signInWithCustomToken", ["token": .string($0)])
            },
            Place(name: "pendingToken", kind: .pendingToken, refusals: ["INVALID_PENDING_TOKEN", "INVALID_IDP_RESPONSE"]) {
                let body: JSONValue = ["idToken": idToken, "requestUri": "http://localhost", "pendingToken": .string($0)]
                return try await server.call("signInWithIdp", body)
            },
            Place(name: "mfaSignIn", kind: .mfaPendingCredential, refusals: ["INVALID_MFA_PENDING_CREDENTIAL"]) {
                let code = enrolled.app.code(at: server.clock.now)
                let body: JSONValue = ["mfaPendingCredential": .string($0), "mfaEnrollmentId": .string(enrolled.enrollmentID)]
                return try await server.callV2(
                    "mfaSignIn:finalize",
                    body.merging(["totpVerificationInfo": ["verificationCode": .string(code)]])
                )
            },
            Place(name: "sessionInfo", kind: .smsSession, refusals: ["INVALID_SESSION_INFO"]) {
                try await server.signInWithPhone(.string($0), Self.numberCode)
            },
            Place(name: "temporaryProof", kind: .temporaryProof, refusals: ["INVALID_TEMPORARY_PROOF"]) {
                let number: JSONValue = .string(TestServer.testNumber)
                return try await server.call("signInWithPhoneNumber", ["temporaryProof": .string($0), "phoneNumber": number])
            },
            Place(name: "passkey registration", kind: .enrollmentChallenge, refusals: ["INVALID_AUTHENTICATOR_RESPONSE"]) {
                let response = try SoftwareAuthenticator().register($0, ceremony)
                let body: JSONValue = ["idToken": idToken, "authenticatorRegistrationResponse": response]
                return try await server.callV2("passkeyEnrollment:finalize", body)
            },
            Place(name: "passkey sign-in", kind: .signInChallenge, refusals: ["INVALID_AUTHENTICATOR_RESPONSE"]) {
                let response = try passkey.assert($0, ceremony)
                return try await server.callV2("passkeySignIn:finalize", ["authenticatorAuthenticationResponse": response])
            },
            Place(name: "TOTP enrolment", kind: .totpSession, refusals: ["INVALID_SESSION_INFO"]) {
                // The session is sent with a wrong code, because a right one would need the secret inside the session.
                try await finishTOTP($0, code: "000000")
            },
            Place(name: "page", kind: .pageToken, refusals: ["INVALID_PAGE_SELECTION", "INVALID_ARGUMENT"]) {
                try await server.admin("GET", "/oauthIdpConfigs?" + TestClient.encode([("pageToken", $0)]))
            },
            Place(name: "bearer", kind: .accessToken, refusals: [Self.badBearer]) { try await lookup(bearer: $0) },
            Place(name: "grant", kind: .assertion, refusals: ["invalid_grant"]) { try await exchange($0) },
            Place(name: "apply", kind: .verifyCode, refusals: ["INVALID_OOB_CODE"]) {
                try await server.call("update", ["oobCode": .string($0)])
            },
            Place(name: "e-mail link", kind: .signInCode, refusals: ["INVALID_OOB_CODE"]) {
                try await server.call("signInWithEmailLink", ["email": "user@example.com", "oobCode": .string($0)])
            },
            Place(name: "reset", kind: .resetCode, refusals: ["INVALID_OOB_CODE"]) {
                try await server.call("resetPassword", ["oobCode": .string($0), "newPassword": "secret-1"])
            },
        ]
    }

    /// An enrolment before its last step.
    private func startTOTP() async throws -> (session: String, app: AuthenticatorApp) {
        let started = try await server.callV2(
            "mfaEnrollment:start",
            ["idToken": .string(user.idToken), "totpEnrollmentInfo": [:]]
        )
        let info = try #require(started["totpSessionInfo"], "\(started.json)")
        let secret = try #require(info["sharedSecretKey"]?.string)
        let app = try #require(AuthenticatorApp(sharedSecretKey: secret))
        return (try #require(info["sessionInfo"]?.string), app)
    }

    private func finishTOTP(_ session: String, code: String) async throws -> TestClient.Answer {
        let verification: JSONValue = ["sessionInfo": .string(session), "verificationCode": .string(code)]
        let body: JSONValue = ["idToken": .string(user.idToken), "totpVerificationInfo": verification]
        return try await server.callV2("mfaEnrollment:finalize", body)
    }

    private static func name() -> String { "x" + String(UInt64.random(in: 0 ... .max), radix: 16) }

    private static let link: JSONValue = ["email": "user@example.com", "continueUrl": "https://app.example.com/done"]

    private static let badBearer = "Request had invalid authentication credentials."

    private func lookup(bearer: String) async throws -> TestClient.Answer {
        let headers = [("Authorization", "Bearer \(bearer)")]
        return try await server.client.post(TestServer.adminPath("accounts:lookup"), ["localId": ["x"]], headers: headers)
    }

    private func exchange(_ assertion: String) async throws -> TestClient.Answer {
        try await server.client.post("/oauth2/token", form: [("grant_type", Self.grantType), ("assertion", assertion)])
    }

    private func text(_ answer: TestClient.Answer, _ name: String) throws -> String {
        try #require(answer[name]?.string, "\(name): \(answer.json)")
    }

    private static func challenge(of server: TestServer, _ user: TestServer.Session) async throws -> String {
        let started = try await server.callV2("passkeyEnrollment:start", ["idToken": .string(user.idToken)])
        return try #require(started["credentialCreationOptions"]?["challenge"]?.string, "\(started.json)")
    }
}
