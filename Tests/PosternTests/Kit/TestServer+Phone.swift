import Accounts
import HTTPAPI
import Project
import TestKit
import Testing

@testable import Server

extension TestServer {
    static let testNumber = "+16505550101"
    static let testNumberCode = "123456"

    /// A project with phone sign-in and one fictional number; `more` is added to its `config`.
    static func phoneProject(_ more: String = "") -> (FakeIDP) -> String {
        { provider in
            """
            config:
              signIn:
                anonymous: {enabled: true}
                email: {enabled: true}
                phoneNumber: {enabled: true, testPhoneNumbers: {"\(testNumber)": "\(testNumberCode)", "+16505550102": "654321"}}
              authorizedDomains: [localhost, app.example.com]
              \(more)
            tenants:
              acme: {enableAnonymousUser: true}
            """
        }
    }

    func sendCode(
        _ number: String,
        _ proof: JSONValue = [:],
        headers: [(String, String)] = []
    ) async throws -> TestClient.Answer {
        try await client.post(
            "/v1/accounts:sendVerificationCode?key=\(Self.apiKey)",
            proof.merging(["phoneNumber": .string(number)]),
            headers: headers
        )
    }

    /// An app's proof, which can be used once.
    func appProof() async throws -> JSONValue {
        let context = CallContext(scope: Scope(projectID: "demo-test"))
        return ["recaptchaToken": .string(try await core.useCases.flows.appVerificationTokens.issue(context: context))]
    }

    func signInWithPhone(
        _ sessionInfo: JSONValue?,
        _ code: String,
        _ extra: JSONValue = [:]
    ) async throws -> TestClient.Answer {
        try await call(
            "signInWithPhoneNumber",
            extra.merging(["sessionInfo": sessionInfo ?? .null, "code": .string(code)])
        )
    }

    /// Signs in with a fictional number.
    func phoneSession(_ number: String = testNumber, _ code: String = testNumberCode) async throws -> Session {
        let sent = try await sendCode(number)
        return try session(try await signInWithPhone(sent["sessionInfo"], code))
    }

    static func code(in message: String?) throws -> String {
        try String(#require(message?.firstMatch(of: /(?:^|[^0-9])([0-9]{6})(?:[^0-9]|$)/)).1)
    }
}
