import Foundation
import Project
import TestKit
import Testing

extension TestServer {
    /// A project with passwords, links, and both second factors.
    static var factorProject: (FakeIDP) -> String {
        emailProject(
            """
            mfa: {state: ENABLED, enabledProviders: [PHONE_SMS], \
            providerConfigs: [{state: ENABLED, totpProviderConfig: {adjacentIntervals: 1}}]}
            """
        )
    }

    /// Calls a method of `v2/accounts/…`.
    func callV2(_ method: String, _ body: JSONValue) async throws -> TestClient.Answer {
        try await client.post("/v2/accounts/\(method)?key=\(Self.apiKey)", body)
    }

    /// Signs up and proves the address.
    func verifiedUser(_ email: String) async throws -> Session {
        let session = try await signUp(email)
        let code = try await code("VERIFY_EMAIL", ["idToken": .string(session.idToken)])
        #expect(try await call("update", ["oobCode": .string(code)])["emailVerified"] == true)
        return session
    }

    struct EnrolledApp: Sendable {
        let app: AuthenticatorApp
        let enrollmentID: String
        let session: Session
    }

    /// Enrols an authenticator app. The clock advances to the next step, so that its next code is new.
    func enrollApp(_ session: Session, name: String? = nil) async throws -> EnrolledApp {
        let started = try await callV2("mfaEnrollment:start", ["idToken": .string(session.idToken), "totpEnrollmentInfo": [:]])
        let info = try #require(started["totpSessionInfo"], "\(started.errorMessage ?? "")")
        let secret = try #require(info["sharedSecretKey"]?.string)
        let app = try #require(AuthenticatorApp(sharedSecretKey: secret))
        var body: JSONValue = [
            "idToken": .string(session.idToken),
            "totpVerificationInfo": [
                "sessionInfo": info["sessionInfo"] ?? .null, "verificationCode": .string(app.code(at: clock.now)),
            ],
        ]
        body["displayName"] = name.map { .string($0) } ?? .null
        let done = try await callV2("mfaEnrollment:finalize", body)
        #expect(done.status == 200, "\(done.errorMessage ?? "")")
        let idToken = try #require(done["idToken"]?.string)
        let refreshToken = try #require(done["refreshToken"]?.string)
        let claims = try payload(idToken)
        let enrollmentID = try #require(claims["firebase"]?["second_factor_identifier"]?.string)
        clock.advance(by: .seconds(30))
        return EnrolledApp(
            app: app,
            enrollmentID: enrollmentID,
            session: Session(idToken: idToken, refreshToken: refreshToken, localID: session.localID)
        )
    }

    func show(_ enrolled: EnrolledApp, _ pending: TestClient.Answer, code: String? = nil) async throws -> TestClient.Answer {
        try await callV2(
            "mfaSignIn:finalize",
            [
                "mfaPendingCredential": pending["mfaPendingCredential"] ?? .null,
                "mfaEnrollmentId": .string(enrolled.enrollmentID),
                "totpVerificationInfo": ["verificationCode": .string(code ?? enrolled.app.code(at: clock.now))],
            ]
        )
    }

    func payload(_ idToken: String) throws -> JSONValue {
        let segments = idToken.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = try #require(Base64URL.decode(segments[1].utf8))
        return try JSONValue.parse(bytes)
    }
}
