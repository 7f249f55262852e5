import Crypto
import Foundation
import Project
import TestKit

/// The server under load: a release `postern serve` in production mode with its own store, which trusts the loopback provider.
struct Subject: Sendable {
    /// A running server.
    struct Server: Sendable {
        let process: ServerProcess
        let base: String
        /// From the start of the process to its first answer.
        let startTime: Duration

        /// Stops it.
        func stop() async { _ = await process.terminate() }
    }

    /// The requests of the load.
    struct Requests: Sendable {
        let signIn: Load.Requests
        let refresh: Load.Requests
        let lookup: Load.Requests
        let password: Load.Requests
    }

    static let project = Scope(projectID: "bench", tenantID: nil)
    private static let providerID = "oidc.bench"
    private static let clientID = "bench-client"
    private static let apiKey = "bench-key"

    let directory: String
    let provider: FakeIDP
    private let store: String
    private let masterKey = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64EncodedString() }

    /// - Parameters:
    ///   - directory: The directory for the server's files.
    ///   - provider: The identity provider.
    ///   - store: `database.url`; by default an SQLite file at ``storePath``.
    init(directory: String, provider: FakeIDP, store: String? = nil) {
        self.directory = directory
        self.provider = provider
        self.store = store ?? "sqlite:\(directory)/postern.sqlite"
    }

    /// The SQLite store's file.
    var storePath: String { "\(directory)/postern.sqlite" }

    /// Starts the server.
    func start() async throws -> Server {
        let projectFile = "\(directory)/project.yaml"
        let declaration = """
            config: {signIn: {email: {enabled: true}}}
            oauthIdpConfigs:
              \(Self.providerID):
                enabled: true
                clientId: \(Self.clientID)
                issuer: "\(provider.issuer("oidc"))"
            """
        try declaration.write(toFile: projectFile, atomically: false, encoding: .utf8)
        let environment = [
            "POSTERN_MODE": "production",
            "POSTERN_SERVER_HOST": "127.0.0.1",
            "POSTERN_SERVER_PORT": "0",
            "POSTERN_PROJECT_ID": Self.project.projectID,
            "POSTERN_PROJECT_API_KEYS": Self.apiKey,
            "POSTERN_PROJECT_FILE": projectFile,
            "POSTERN_SECRETS_MASTER_KEY": masterKey,
            "POSTERN_DATABASE_URL": store,
            "POSTERN_DATABASE_POOL_SIZE": "32",
            "POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS": "true",
            "POSTERN_LOG_LEVEL": "warning",
            // The whole load comes from one address.
            "POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "1000000",
        ]
        let clock = ContinuousClock()
        let start = clock.now
        let process = try ServerProcess(["serve"], environment: environment, directory: directory)
        let base = try await process.waitUntilReady()
        return Server(process: process, base: base, startTime: clock.now - start)
    }

    /// Makes the users and signs each in once.
    ///
    /// Users that sign in and users that refresh and look up are different ones, because the number of sessions of a user is
    /// limited.
    func seed(_ server: Server, users: Int) async throws -> Requests {
        Report.line("Signing up \(2 * users) users…")
        let signIns = (0..<users).map { "signing-\($0)" }
        let others = try await sessions(of: (0..<users).map { "refreshing-\($0)" }, server)
        let known = try await sessions(of: signIns, server)
        return Requests(
            signIn: Load.Requests(
                path: "/v1/accounts:signInWithIdp?key=\(Self.apiKey)",
                contentType: "application/json",
                bodies: known.map(\.request)
            ),
            refresh: Load.Requests(
                path: "/v1/token?key=\(Self.apiKey)",
                contentType: "application/x-www-form-urlencoded",
                bodies: others.map { "grant_type=refresh_token&refresh_token=\($0.refreshToken)" }
            ),
            lookup: Load.Requests(
                path: "/v1/accounts:lookup?key=\(Self.apiKey)",
                contentType: "application/json",
                bodies: others.map { #"{"idToken":"\#($0.idToken)"}"# }
            ),
            password: Load.Requests(
                path: "/v1/accounts:signInWithPassword?key=\(Self.apiKey)",
                contentType: "application/json",
                bodies: try await passwords(server)
            )
        )
    }

    // A few users are enough, because hashing costs the same for all.
    private static let passwordUsers = 64

    private func passwords(_ server: Server) async throws -> [String] {
        let client = TestClient(server.base)
        var bodies: [String] = []
        for number in 0..<Self.passwordUsers {
            let body: JSONValue = ["email": .string("password-\(number)@example.com"), "password": "correct horse"]
            let answer = try await client.post("/v1/accounts:signUp?key=\(Self.apiKey)", body)
            guard answer.status == 200 else { throw Load.Failed(description: "No sign-up: \(answer.errorMessage ?? "")") }
            bodies.append(body.text)
        }
        return bodies
    }

    private struct Session: Sendable {
        let request: String
        let idToken: String
        let refreshToken: String
    }

    private func sessions(of subjects: [String], _ server: Server) async throws -> [Session] {
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

    private func signIn(_ subject: String, _ client: TestClient) async throws -> Session {
        let now = Timestamp(seconds: Int64(Date().timeIntervalSince1970))
        let claims = provider.claims(
            issuer: "oidc",
            audience: .string(Self.clientID),
            subject: subject,
            now: now,
            ["exp": .integer(now.seconds + 86_400), "email": .string("\(subject)@example.com"), "email_verified": true]
        )
        let postBody = TestClient.encode([("providerId", Self.providerID), ("id_token", try provider.token(claims))])
        let body: JSONValue = [
            "requestUri": "http://localhost", "postBody": .string(postBody), "returnSecureToken": true,
        ]
        let answer = try await client.post("/v1/accounts:signInWithIdp?key=\(Self.apiKey)", body)
        guard let idToken = answer["idToken"]?.string, let refreshToken = answer["refreshToken"]?.string else {
            throw Load.Failed(description: "No sign-in: \(answer.errorMessage ?? "status \(answer.status)")")
        }
        let request = String(decoding: body.serialized(), as: UTF8.self)
        return Session(request: request, idToken: idToken, refreshToken: refreshToken)
    }
}
