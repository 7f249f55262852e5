import Foundation
import Project
import TestKit

extension Subject {
    /// The requests of the load.
    struct Requests: Sendable {
        let signIn: Load.Requests
        let refresh: Load.Requests
        let lookup: Load.Requests
        let signUp: Load.Requests
        let password: Load.Requests
        /// One of the provider's tokens that the sign-ins bring.
        let assertion: String
    }

    /// A user's sign-in, and what came of it.
    struct Session: Sendable {
        let assertion: String
        let request: String
        let idToken: String
        let refreshToken: String
    }

    // A few users are enough, because hashing costs the same for all.
    private static let passwordUsers = 64

    /// Makes the users and signs each in once.
    ///
    /// Users that sign in and users that refresh and look up are different ones, because the number of sessions of a user is
    /// limited.
    func seed(_ server: RunningServer, users: Int) async throws -> Requests {
        let others = try await sessions(of: (0..<users).map { "refreshing-\($0)" }, server)
        let known = try await sessions(of: (0..<users).map { "signing-\($0)" }, server)
        guard let assertion = known.first?.assertion else { throw Load.Failed(description: "No users") }
        return Requests(
            signIn: json("accounts:signInWithIdp", known.map(\.request)),
            refresh: Load.Requests(
                path: path("token"),
                contentType: "application/x-www-form-urlencoded",
                bodies: others.map { "grant_type=refresh_token&refresh_token=\($0.refreshToken)" }
            ),
            lookup: json("accounts:lookup", others.map { #"{"idToken":"\#($0.idToken)"}"# }),
            signUp: json("accounts:signUp", [#"{"returnSecureToken":true}"#]),
            password: json("accounts:signInWithPassword", try await passwords(server)),
            assertion: assertion
        )
    }

    private func json(_ endpoint: String, _ bodies: [String]) -> Load.Requests {
        Load.Requests(path: path(endpoint), contentType: "application/json", bodies: bodies)
    }

    private func passwords(_ server: RunningServer) async throws -> [String] {
        let client = TestClient(server.base)
        var bodies: [String] = []
        for number in 0..<Self.passwordUsers {
            let body: JSONValue = [
                "email": .string("password-\(number)@example.com"), "password": "correct horse", "returnSecureToken": true,
            ]
            let answer = try await client.post(path("accounts:signUp"), body)
            guard answer.status == 200 else { throw Load.Failed(description: "No sign-up: \(answer.errorMessage ?? "")") }
            bodies.append(String(decoding: body.serialized(), as: UTF8.self))
        }
        return bodies
    }

    private func sessions(of subjects: [String], _ server: RunningServer) async throws -> [Session] {
        let client = TestClient(server.base)
        return try await withThrowingTaskGroup(of: Session.self) { group in
            var left = subjects.makeIterator()
            var sessions: [Session] = []
            func addNext() {
                guard let subject = left.next() else { return }
                group.addTask { try await signIn(subject, client) }
            }
            for _ in 0..<32 { addNext() }
            while let session = try await group.next() {
                sessions.append(session)
                addNext()
            }
            return sessions
        }
    }

    /// Signs a user of the provider in.
    func signIn(_ subject: String, _ client: TestClient) async throws -> Session {
        let now = Timestamp(seconds: Int64(Date().timeIntervalSince1970))
        let claims = provider.claims(
            issuer: "oidc",
            audience: .string(Self.clientID),
            subject: subject,
            now: now,
            ["exp": .integer(now.seconds + 86_400), "email": .string("\(subject)@example.com"), "email_verified": true]
        )
        let assertion = try provider.token(claims)
        let body: JSONValue = [
            "requestUri": "http://localhost",
            "postBody": .string(TestClient.encode([("providerId", Self.providerID), ("id_token", assertion)])),
            "returnSecureToken": true,
        ]
        let answer = try await client.post(path("accounts:signInWithIdp"), body)
        guard let idToken = answer["idToken"]?.string, let refreshToken = answer["refreshToken"]?.string else {
            throw Load.Failed(description: "No sign-in: \(answer.errorMessage ?? "status \(answer.status)")")
        }
        let request = String(decoding: body.serialized(), as: UTF8.self)
        return Session(assertion: assertion, request: request, idToken: idToken, refreshToken: refreshToken)
    }
}
