import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("An identity that is only the first factor", .teardown, .timeLimit(.minutes(15)))
struct FirstFactorTests {
    private static let owner = "owner@example.com"

    private func start(on engine: Engine = .sqlite) async throws -> (TestServer, TestServer.EnrolledApp) {
        let server = try await TestServer.start(project: TestServer.factorProject, on: engine)
        let user = try await server.verifiedUser(Self.owner)
        let named = try await server.call("update", ["idToken": .string(user.idToken), "displayName": "Owner"])
        #expect(named.status == 200)
        return (server, try await server.enrollApp(user))
    }

    /// A sign-in by somebody who has the owner's address at a provider.
    private func pending(_ server: TestServer, _ subject: String = "thief") async throws -> TestClient.Answer {
        let profile: JSONValue = ["name": "Evil", "picture": "https://evil.example/p"]
        let token = try server.oidcToken(subject, TestServer.email(Self.owner).merging(profile))
        let answer = try await server.signIn("oidc.test", token)
        #expect(answer["mfaPendingCredential"] != nil && answer["idToken"] == nil, "\(answer.json.text)")
        return answer
    }

    private func providers(_ user: JSONValue?) -> Set<String> {
        Set(user?["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } ?? [])
    }

    @Test(
        "leaves nothing in the account, so that it does not sign in once the factor is gone (LNK-10)",
        arguments: Engine.allCases
    )
    func planted(engine: Engine) async throws {
        let (server, enrolled) = try await start(on: engine)
        let localID = enrolled.session.localID
        let before = try #require(try await server.user(localID))
        _ = try await pending(server)
        let after = try #require(try await server.user(localID))
        #expect(after == before)
        #expect(after["displayName"] == "Owner" && providers(after) == ["password"])
        // Support takes a lost factor away.
        let removal: JSONValue = ["localId": .string(localID), "mfa": ["enrollments": []]]
        #expect(try await server.admin("accounts:update", removal).status == 200)
        let token = try server.oidcToken("thief", TestServer.email("thief@evil.example"))
        #expect(try server.session(try await server.signIn("oidc.test", token)).localID != localID)
    }

    @Test("does not take the place of the owner's own identity at that provider")
    func replaced() async throws {
        let (server, enrolled) = try await start()
        let own: JSONValue = ["idToken": .string(enrolled.session.idToken)]
        #expect(try await server.signIn("oidc.test", server.oidcToken("owner"), own).status == 200)
        _ = try await pending(server)
        let elsewhere = try await server.signIn("oidc.test", server.oidcToken("owner"))
        #expect(elsewhere["mfaPendingCredential"] != nil, "\(elsewhere.json.text)")
        #expect(try server.session(try await server.show(enrolled, elsewhere)).localID == enrolled.session.localID)
    }

    @Test("is stored together with the proof of the second one", arguments: Engine.allCases)
    func proven(engine: Engine) async throws {
        let (server, enrolled) = try await start(on: engine)
        let answer = try await pending(server, "mine")
        let session = try server.session(try await server.show(enrolled, answer))
        #expect(session.localID == enrolled.session.localID)
        let user = try #require(try await server.user(session.localID))
        #expect(providers(user) == ["password", "oidc.test"])
        #expect(try server.payload(session.idToken)["firebase"]?["sign_in_provider"] == "oidc.test")
        // From now on the identity leads to the account by itself.
        server.clock.advance(by: .seconds(30))
        let moved = try server.oidcToken("mine", TestServer.email("other@example.com"))
        let next = try await server.signIn("oidc.test", moved)
        #expect(try server.session(try await server.show(enrolled, next)).localID == session.localID)
    }

    @Test("counts no longer when it leads to another account by then")
    func overtaken() async throws {
        let (server, enrolled) = try await start()
        let answer = try await pending(server, "late")
        let other = try await server.signUp("other@example.com")
        #expect(try await server.signIn("oidc.test", server.oidcToken("late"), other.token).status == 200)
        let late = try await server.show(enrolled, answer)
        #expect(late.errorMessage?.hasPrefix("INVALID_MFA_PENDING_CREDENTIAL") == true, "\(late.json.text)")
        #expect(providers(try await server.user(enrolled.session.localID)) == ["password"])
    }

    /// What belongs to an account, as the store has it.
    private func belongings(of localID: String, _ server: TestServer) async throws -> [String] {
        try await server.core.database.read { transaction in
            try ["identities", "passkeys", "sessions", "oob_codes"].map { table in
                let rows = try transaction.query("SELECT count(*) AS n FROM \(raw: table) WHERE local_id = \(localID)")
                return "\(table): \(try rows[0].integer("n"))"
            }
        }
    }

    /// How somebody proves the address of an account that counts as unproven.
    enum Proof: CaseIterable {
        case link, provider

        func signIn(on server: TestServer) async throws -> TestClient.Answer {
            switch self {
            case .link:
                let mail: JSONValue = ["email": .string(owner), "continueUrl": "https://app.example.com/"]
                let code = try await server.code("EMAIL_SIGNIN", mail)
                return try await server.call("signInWithEmailLink", ["email": .string(owner), "oobCode": .string(code)])
            case .provider: return try await server.signIn("oidc.test", server.oidcToken("proof", TestServer.email(owner)))
            }
        }
    }

    @Test(
        "ends nothing of the owner's either: what a first proof of the address ends waits for the factor",
        arguments: Engine.allCases,
        Proof.allCases
    )
    func wipes(engine: Engine, proof: Proof) async throws {
        let (server, enrolled) = try await start(on: engine)
        let localID = enrolled.session.localID
        let own: JSONValue = ["idToken": .string(enrolled.session.idToken)]
        #expect(try await server.signIn("oidc.test", server.oidcToken("owner"), own).status == 200)
        _ = try await server.code("PASSWORD_RESET", ["email": .string(Self.owner)])
        let unproven: JSONValue = ["localId": .string(localID), "emailVerified": false]
        #expect(try await server.admin("accounts:update", unproven).status == 200)
        let (before, user) = (try await belongings(of: localID, server), try await server.user(localID))
        let pending = try await proof.signIn(on: server)
        #expect(pending["mfaPendingCredential"] != nil, "\(pending.json.text)")
        #expect(try await belongings(of: localID, server) == before)
        #expect(try await server.user(localID) == user)
        // With the factor it is the first proof, and ends all that came before.
        #expect(try server.session(try await server.show(enrolled, pending)).localID == localID)
        let after = try await server.user(localID)
        #expect(after?["emailVerified"] == true, "\(after?.text ?? "")")
        let former = try server.session(try await server.signIn("oidc.test", server.oidcToken("owner")))
        #expect(former.localID != localID)
        #expect(try await server.signIn(Self.owner).errorMessage == "INVALID_PASSWORD")
        #expect(try await server.refresh(enrolled.session.refreshToken).errorMessage == "TOKEN_EXPIRED")
    }
}
