import Foundation
import Project
import TestKit

/// Users of many different accounts, who send one request at a time.
struct Visitors: Sendable {
    private let subject: Subject
    private let client: TestClient

    init(_ subject: Subject, _ server: RunningServer) {
        self.subject = subject
        client = TestClient(server.base)
    }

    /// Signs in at the provider as a user of this name, who gets an account at the first time.
    ///
    /// - Returns: The refresh token.
    /// - Throws: `Load.Failed`.
    func signIn(_ name: String) async throws -> String {
        try await subject.signIn(name, client).refreshToken
    }

    /// Exchanges a refresh token.
    func refresh(_ token: String) async throws {
        let body = Data("grant_type=refresh_token&refresh_token=\(token)".utf8)
        let headers = [("Content-Type", "application/x-www-form-urlencoded")]
        try expect(200, try await client.send("POST", subject.path("token"), headers: headers, body: body))
    }

    /// Makes an anonymous account.
    func signUp() async throws { try await post("accounts:signUp", ["returnSecureToken": true], 200) }

    /// Tries a wrong password.
    func fail(_ name: String) async throws {
        let body: JSONValue = ["email": .string("\(name)@example.com"), "password": "a wrong one", "returnSecureToken": true]
        try await post("accounts:signInWithPassword", body, 400)
    }

    /// Asks for a code to set a new password.
    func askForCode(_ name: String) async throws {
        let body: JSONValue = ["email": .string("\(name)@example.com"), "requestType": "PASSWORD_RESET"]
        try await post("accounts:sendOobCode", body, 200)
    }

    private func post(_ endpoint: String, _ body: JSONValue, _ status: Int) async throws {
        try expect(status, try await client.post(subject.path(endpoint), body))
    }

    private func expect(_ status: Int, _ answer: TestClient.Answer) throws {
        guard answer.status == status else {
            throw Load.Failed(description: "\(answer.status) instead of \(status): \(answer.errorMessage ?? "no message")")
        }
    }
}
