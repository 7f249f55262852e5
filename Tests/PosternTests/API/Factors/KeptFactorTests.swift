import Foundation
import Project
import TestKit
import Testing

@Suite("A session that withdraws one of two second factors", .teardown, .timeLimit(.minutes(15)))
struct KeptFactorTests {
    private static let owner = "owner@example.com"

    private func withdraw(_ factor: String, _ idToken: JSONValue, on server: TestServer) async throws -> TestClient.Answer {
        try await server.callV2("mfaEnrollment:withdraw", ["idToken": idToken, "mfaEnrollmentId": .string(factor)])
    }

    private func shown(_ idToken: JSONValue?, on server: TestServer) throws -> String? {
        let claims = try server.payload(try #require(idToken?.string))
        let factor = claims["firebase"]?["second_factor_identifier"]?.string
        #expect((claims["firebase"]?["sign_in_second_factor"] == nil) == (factor == nil))
        return factor
    }

    /// Gives the account a factor by SMS besides those that it has.
    private func addNumber(besides enrolled: TestServer.EnrolledApp, on server: TestServer) async throws -> String {
        let factors: JSONValue = [["mfaEnrollmentId": .string(enrolled.enrollmentID)], ["phoneInfo": "+16505550101"]]
        let body: JSONValue = ["localId": .string(enrolled.session.localID), "mfa": ["enrollments": factors]]
        #expect(try await server.admin("accounts:update", body).status == 200)
        let stored = try await server.user(enrolled.session.localID)?["mfaInfo"]?.array
        return try #require(stored?.first { $0["phoneInfo"] != nil }?["mfaEnrollmentId"]?.string)
    }

    @Test("goes on with the one that it showed, and may do all that a full sign-in may", arguments: Engine.allCases)
    func kept(engine: Engine) async throws {
        let server = try await TestServer.start(environment: TokenKinds.environment, project: TokenKinds.project, on: engine)
        let enrolled = try await server.enrollApp(try await server.verifiedUser(Self.owner))
        let number = try await addNumber(besides: enrolled, on: server)
        let signedIn = try await server.show(enrolled, try await server.signIn(Self.owner))
        let answer = try await withdraw(number, signedIn["idToken"] ?? .null, on: server)
        #expect(try shown(answer["idToken"], on: server) == enrolled.enrollmentID)
        // Apps for iOS refresh at once.
        let refreshed = try await server.refresh(try #require(answer["refreshToken"]?.string))
        #expect(try shown(refreshed["id_token"], on: server) == enrolled.enrollmentID)
        for idToken in [answer["idToken"] ?? .null, refreshed["id_token"] ?? .null] {
            let token: JSONValue = ["idToken": idToken]
            #expect(try await server.callV2("mfaEnrollment:start", token.merging(["totpEnrollmentInfo": [:]])).status == 200)
            #expect(try await server.callV2("passkeyEnrollment:start", token).status == 200)
        }
        let link = try await server.signIn("oidc.test", server.oidcToken("owner"), ["idToken": refreshed["id_token"] ?? .null])
        #expect(link["mfaPendingCredential"] != nil, "\(link.json)")
        let changed = try await server.call("update", ["idToken": refreshed["id_token"] ?? .null, "password": "secret-2"])
        #expect(try shown(changed["idToken"], on: server) == enrolled.enrollmentID)
        // The last one takes the members with it.
        let plain = try await withdraw(enrolled.enrollmentID, changed["idToken"] ?? .null, on: server)
        #expect(plain.status == 200, "\(plain.json)")
        #expect(try shown(plain["idToken"], on: server) == nil)
        #expect(try await server.call("delete", ["idToken": plain["idToken"] ?? .null]).status == 200)
    }

    @Test("loses the one that it showed with that factor, and a refreshed token does not bring it back")
    func lost() async throws {
        let server = try await TestServer.start(environment: TokenKinds.environment, project: TokenKinds.project)
        let enrolled = try await server.enrollApp(try await server.verifiedUser(Self.owner))
        let number = try await addNumber(besides: enrolled, on: server)
        let signedIn = try await server.show(enrolled, try await server.signIn(Self.owner))
        let answer = try await withdraw(enrolled.enrollmentID, signedIn["idToken"] ?? .null, on: server)
        #expect(try shown(answer["idToken"], on: server) == nil)
        let refreshed = try await server.refresh(try #require(answer["refreshToken"]?.string))
        #expect(try shown(refreshed["id_token"], on: server) == nil)
        // The other factor is guarded as before.
        for idToken in [answer["idToken"] ?? .null, signedIn["idToken"] ?? .null] {
            let refused = try await withdraw(number, idToken, on: server)
            #expect(refused.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        }
    }

    @Test("goes back to the one before when it takes back the one that it has just enrolled, and in no other session")
    func undone() async throws {
        let server = try await TestServer.start(environment: TokenKinds.environment, project: TokenKinds.project)
        let first = try await server.enrollApp(try await server.verifiedUser(Self.owner))
        let second = try await server.enrollApp(first.session)
        #expect(try shown(.string(second.session.idToken), on: server) == second.enrollmentID)
        let undone = try await withdraw(second.enrollmentID, .string(second.session.idToken), on: server)
        #expect(try shown(undone["idToken"], on: server) == first.enrollmentID)
        #expect(try await withdraw(first.enrollmentID, undone["idToken"] ?? .null, on: server).status == 200)
        // Whoever signed in with the newer one alone has shown nothing of the older.
        let again = try await server.enrollApp(try server.session(try await server.signIn(Self.owner)))
        let newer = try await server.enrollApp(again.session)
        let alone = try await server.show(newer, try await server.signIn(Self.owner))
        let left = try await withdraw(newer.enrollmentID, alone["idToken"] ?? .null, on: server)
        #expect(left.status == 200, "\(left.json)")
        #expect(try shown(left["idToken"], on: server) == nil)
    }

    @Test("loses it in development, as in the emulator")
    func emulator() async throws {
        for mode in [ServerMode.development, .production] {
            let server = try await TestServer.start(mode: mode, project: mode == .production ? TestServer.factorProject : nil)
            let first = try await server.enrollApp(try await server.verifiedUser(Self.owner))
            let second = try await server.enrollApp(first.session)
            let answer = try await withdraw(first.enrollmentID, .string(second.session.idToken), on: server)
            let factor = try shown(answer["idToken"], on: server)
            #expect(factor == (mode == .development ? nil : second.enrollmentID))
        }
    }
}
