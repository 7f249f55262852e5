import Project
import Storage
import TestKit
import Testing

@testable import Server

// What is stored of a sign-in that its function refuses.
extension BlockingFunctionTests {
    @Test("that refuse a link give no session, and nothing is linked")
    func refusedLink() async throws {
        let hooked = try await HookedServer.start(["beforeSignIn"])
        let server = hooked.server
        let session = try server.session(try await hooked.signUp())
        hooked.answer("beforeSignIn", .init(403, body: []))
        let answer = try await server.signIn("oidc.test", try server.oidcToken("o"), session.token)
        #expect(answer["idToken"] == nil)
        #expect(answer.errorMessage?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE") == true)
        let providers = try await server.account(session)["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string }
        #expect(providers == ["password"])
        let sessions = try await server.core.database.read { try $0.query("SELECT session_id FROM sessions").count }
        #expect(sessions == 1)
        hooked.answer("beforeSignIn", .init(json: [:]))
        #expect(try await server.signIn("oidc.test", try server.oidcToken("o"), session.token).status == 200)
    }

    @Test("that refuse a sign-in by which a provider would take an account over leave it as it was")
    func refusedTakeover() async throws {
        let hooked = try await HookedServer.start(["beforeSignIn"])
        let server = hooked.server
        let session = try server.session(try await hooked.signUp())
        let before = try await server.user(session.localID)
        hooked.answer("beforeSignIn", .init(403, body: []))
        let token = try server.oidcToken("o", TestServer.email("a@b.c").merging(["name": "Evil"]))
        let refused = try await server.signIn("oidc.test", token)
        #expect(refused.errorMessage?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE") == true)
        #expect(try await server.user(session.localID) == before)
        hooked.answer("beforeSignIn", .init(json: [:]))
        #expect(try server.session(try await server.signIn("oidc.test", token)).localID == session.localID)
    }

    @Test("that switch a known user off store nothing else of the sign-in", arguments: Engine.allCases)
    func disabledTakeover(engine: Engine) async throws {
        let hooked = try await HookedServer.start(["beforeSignIn"], on: engine)
        let server = hooked.server
        let session = try server.session(try await hooked.signUp())
        let signIns = try await server.auditTrail().filter { $0.first == "signIn" }.count
        hooked.change("beforeSignIn", mask: "disabled", ["disabled": true])
        let token = try server.oidcToken("o", TestServer.email("a@b.c").merging(["name": "Evil"]))
        #expect(try await server.signIn("oidc.test", token).errorMessage == "USER_DISABLED")
        let user = try #require(try await server.user(session.localID))
        #expect(user["disabled"] == true && user["displayName"] == nil, "\(user)")
        #expect(user["providerUserInfo"]?.array?.count == 1)
        let trail = try await server.auditTrail()
        #expect(trail.filter { $0.first == "signIn" }.count == signIns)
        #expect(trail.contains { $0.first == "disabledByFunction" })
    }
}
