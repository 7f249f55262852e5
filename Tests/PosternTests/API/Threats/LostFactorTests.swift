import Foundation
import Project
import TestKit
import Testing

@Suite("A session that does not show a factor of the account", .teardown, .timeLimit(.minutes(15)))
struct LostFactorTests {
    private static let tooOld = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
    private static let owner = "owner@example.com"

    /// What every such session is refused.
    private func expectRefusals(_ idToken: JSONValue, _ factor: String, on server: TestServer) async throws {
        let token: JSONValue = ["idToken": idToken]
        let answers: [(String, TestClient.Answer)] = [
            ("link", try await server.signIn("oidc.test", server.oidcToken("thief"), token)),
            (
                "withdrawal",
                try await server.callV2("mfaEnrollment:withdraw", token.merging(["mfaEnrollmentId": .string(factor)]))
            ),
            ("factor", try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]]))),
            ("passkey", try await server.callV2("passkeyEnrollment:start", token)),
            ("password", try await server.call("update", token.merging(["password": "secret-2"]))),
            ("deletion", try await server.call("delete", token)),
        ]
        for (name, answer) in answers { #expect(answer.errorMessage == Self.tooOld, "\(name): \(answer.json.text)") }
    }

    @Test("because it enrolled that one: whoever has its refresh token changes nothing (MFA-05)", arguments: Engine.allCases)
    func enrolling(engine: Engine) async throws {
        let server = try await TestServer.start(environment: TokenKinds.environment, project: TokenKinds.project, on: engine)
        let owner = try await server.verifiedUser(Self.owner)
        server.clock.advance(by: .seconds(1))
        let planted = try await server.refresh(owner.refreshToken)
        let enrolled = try await server.enrollApp(owner)
        let stolen = try await server.refresh(owner.refreshToken)
        try await expectRefusals(planted["id_token"] ?? .null, enrolled.enrollmentID, on: server)
        try await expectRefusals(stolen["id_token"] ?? .null, enrolled.enrollmentID, on: server)
    }

    @Test("because it has just enrolled that one may undo it with its own ID token, but links nothing")
    func undone() async throws {
        let server = try await TestServer.start(environment: TokenKinds.environment, project: TokenKinds.project)
        let owner = try await server.verifiedUser(Self.owner)
        let enrolled = try await server.enrollApp(owner)
        let link = try await server.signIn("oidc.test", server.oidcToken("o"), ["idToken": .string(owner.idToken)])
        #expect(link.errorMessage == Self.tooOld)
        let undo: JSONValue = ["idToken": .string(owner.idToken), "mfaEnrollmentId": .string(enrolled.enrollmentID)]
        #expect(try await server.callV2("mfaEnrollment:withdraw", undo).status == 200)
    }

    @Test("because it enrolled that one, though its refresh token was used in the very second of the sign-in")
    func sameSecond() async throws {
        let server = try await TestServer.start(environment: TokenKinds.environment, project: TokenKinds.project)
        let owner = try await server.verifiedUser(Self.owner)
        server.clock.advance(by: .milliseconds(10))
        let stolen = try await server.refresh(owner.refreshToken)
        let enrolled = try await server.enrollApp(owner)
        let withdrawal: JSONValue = ["mfaEnrollmentId": .string(enrolled.enrollmentID)]
        for token in [stolen["id_token"] ?? .null, .string(owner.idToken)] {
            let answer = try await server.callV2("mfaEnrollment:withdraw", withdrawal.merging(["idToken": token]))
            #expect(answer.errorMessage == Self.tooOld, "\(answer.json.text)")
        }
    }

    @Test("because it enrolled that one with a token that was refreshed: another of the same second is equal to it")
    func enrollingRefreshed() async throws {
        let server = try await TestServer.start(environment: TokenKinds.environment, project: TokenKinds.project)
        let owner = try await server.verifiedUser(Self.owner)
        server.clock.advance(by: .seconds(1))
        let tokens = [try await server.refresh(owner.refreshToken), try await server.refresh(owner.refreshToken)]
        let ids = tokens.compactMap { $0["id_token"]?.string }
        let session = TestServer.Session(idToken: ids[0], refreshToken: owner.refreshToken, localID: owner.localID)
        let enrolled = try await server.enrollApp(session)
        for id in ids { try await expectRefusals(.string(id), enrolled.enrollmentID, on: server) }
    }

    @Test("because the one that it showed is gone", arguments: Engine.allCases)
    func removed(engine: Engine) async throws {
        let server = try await TestServer.start(environment: TokenKinds.environment, project: TokenKinds.project, on: engine)
        let user = try await server.verifiedUser(Self.owner)
        let thief = try await server.enrollApp(user)
        let removal: JSONValue = ["localId": .string(user.localID), "mfa": ["enrollments": []]]
        #expect(try await server.admin("accounts:update", removal).status == 200)
        let owner = try await server.enrollApp(try server.session(try await server.signIn(Self.owner)))
        let renewed = try await server.refresh(thief.session.refreshToken)
        for token in [renewed["id_token"] ?? .null, .string(thief.session.idToken)] {
            try await expectRefusals(token, owner.enrollmentID, on: server)
        }
    }
}
