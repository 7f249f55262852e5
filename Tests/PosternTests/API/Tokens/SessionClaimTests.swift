import Project
import TestKit
import Testing

@Suite("Claims of a session, and of its account", .teardown, .timeLimit(.minutes(15)))
struct SessionClaimTests {
    private func update(_ server: TestServer, _ session: TestServer.Session, _ change: JSONValue) async throws
        -> TestServer.Session
    {
        try server.session(try await server.call("update", change.merging(["idToken": .string(session.idToken)])))
    }

    private func refreshed(_ server: TestServer, _ session: TestServer.Session) async throws -> JSONValue {
        try server.payload(try #require(try await server.refresh(session.refreshToken)["id_token"]?.string))
    }

    @Test("of a custom token go on when the user ends the other sessions, and win over the account's")
    func carried() async throws {
        let server = try await TestServer.start(mode: .development)
        for (uid, claims) in [("a", ["role": "b", "name": "N", "n": 1] as JSONValue), ("b", [:])] {
            let user: JSONValue = ["localId": .string(uid)]
            #expect(try await server.callAsAdmin("signUp", user).status == 200)
            let attributes: JSONValue = ["customAttributes": #"{"role":"a","keep":true}"#]
            #expect(try await server.callAsAdmin("update", user.merging(attributes)).status == 200)
            let token: JSONValue = ["uid": .string(uid), "claims": claims]
            let answer = try await server.call("signInWithCustomToken", ["token": .string(token.text)])
            let session = TestServer.Session(
                idToken: try #require(answer["idToken"]?.string),
                refreshToken: try #require(answer["refreshToken"]?.string),
                localID: uid
            )
            server.clock.advance(by: .seconds(2))
            let renewed = try await update(server, session, ["validSince": "1"])
            for payload in [try server.payload(renewed.idToken), try await refreshed(server, renewed)] {
                #expect(payload["role"] == (uid == "a" ? "b" : "a"))
                #expect(payload["n"] == claims["n"])
                #expect(payload["name"] == claims["name"])
                #expect(payload["keep"] == true)
            }
        }
    }

    @Test("that an administrator has taken away do not come back by an older token", arguments: Engine.allCases)
    func withdrawn(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        var session = try await server.signUp("a@b.c")
        func setClaims(_ text: String) async throws {
            let body: JSONValue = ["localId": .string(session.localID), "customAttributes": .string(text)]
            #expect(try await server.callAsAdmin("update", body).status == 200)
        }
        try await setClaims(#"{"role":"admin"}"#)
        session = try server.session(try await server.signIn("a@b.c"))
        #expect(try server.payload(session.idToken)["role"] == "admin")
        try await setClaims("{}")
        for change in [["validSince": "1"], ["password": "secret-2"]] as [JSONValue] {
            session = try await update(server, session, change)
            #expect(try server.payload(session.idToken)["role"] == nil)
            #expect(try await refreshed(server, session)["role"] == nil)
        }
    }
}
