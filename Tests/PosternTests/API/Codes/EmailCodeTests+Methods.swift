import Foundation
import Project
import Storage
import TestKit
import Testing

extension EmailCodeTests {
    @Test("does not tell whether an address has an account, where accounts are hidden")
    func hidden() async throws {
        let server = try await start(hidesAccounts: true)
        _ = try await server.signUp("a@b.c")
        let unknown = try await server.callAsAdmin("sendOobCode", ["requestType": "PASSWORD_RESET", "email": "no@b.c"])
        #expect(unknown.status == 200)
        #expect(unknown["email"] == "no@b.c")
        for email in ["a@b.c", "no@b.c"] {
            let answer = try await server.call(
                "createAuthUri",
                ["identifier": .string(email), "continueUri": "http://localhost"]
            )
            #expect(Set((answer.json.object ?? [:]).keys) == ["kind", "sessionId"])
        }
    }

    @Test("does not tell it by how it spells the address, nor where no mail can be sent at all (ENU-02)")
    func hiddenWithoutMail() async throws {
        let server = try await start(hidesAccounts: true)
        _ = try await server.signUp("known@b.c")
        for name in ["Known@B.c", "Unkno@B.c"] {
            let answer = try await server.call("sendOobCode", ["requestType": "PASSWORD_RESET", "email": .string(name)])
            #expect(answer.status == 200, "\(answer.json)")
            #expect(
                answer.json == ["kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": .string(name.lowercased())]
            )
        }
        // This failure is shown, because it reveals nothing: every address gets a link.
        let link: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "known@b.c", "continueUrl": "http://localhost"]
        #expect(try await server.call("sendOobCode", link).errorMessage?.hasPrefix("INVALID_SENDER") == true)
    }

    @Test("ways in are listed by createAuthUri")
    func methods() async throws {
        let server = try await start()
        _ = try await server.signUp("a@b.c")
        func methods(_ identifier: String) async throws -> TestClient.Answer {
            try await server.call("createAuthUri", ["identifier": .string(identifier), "continueUri": "http://localhost"])
        }
        let known = try await methods("A@b.c")
        #expect(known["registered"] == true)
        #expect(known["allProviders"] == ["password"])
        #expect(known["signinMethods"] == ["password"])
        let unknown = try await methods("no@b.c")
        #expect(unknown["registered"] == false)
        #expect(unknown["allProviders"] == [])
        #expect(try await methods("nonsense").errorMessage == "INVALID_IDENTIFIER")
        #expect(try await server.call("createAuthUri", [:]).errorMessage == "MISSING_IDENTIFIER")
        #expect(try await server.call("createAuthUri", ["identifier": "a@b.c"]).errorMessage == "MISSING_CONTINUE_URI")
        let relative: JSONValue = ["identifier": "a@b.c", "continueUri": "nonsense"]
        #expect(try await server.call("createAuthUri", relative).errorMessage == "INVALID_CONTINUE_URI")
    }

    @Test("ways in are also those, where addresses may repeat, but for providers and users without an address of their own")
    func duplicates() async throws {
        let server = try await start()
        let allow: JSONValue = ["signIn": ["allowDuplicateEmails": true]]
        let path = "/identitytoolkit.googleapis.com/v2/projects/demo-test/config?updateMask=signIn.allowDuplicateEmails"
        let headers = TestServer.bearer + [("Content-Type", "application/json")]
        #expect(try await server.client.send("PATCH", path, headers: headers, body: allow.serialized()).status == 200)
        let federated = try await server.signIn("oidc.test", server.oidcToken("first", TestServer.email("work@b.c")))
        func methods() async throws -> TestClient.Answer {
            try await server.call("createAuthUri", ["identifier": "work@b.c", "continueUri": "http://localhost"])
        }
        #expect(federated.status == 200)
        #expect(try await methods()["registered"] == false)
        let account = try await server.signUp("a@b.c")
        let token = try server.oidcToken("second", TestServer.email("work@b.c"))
        let linked = try await server.signIn("oidc.test", token, account.token)
        #expect(linked.status == 200, "\(linked.json.text)")
        let known = try await methods()
        #expect(known["registered"] == true)
        #expect(known["allProviders"] == ["password"] && known["signinMethods"] == ["password"])
    }

    @Test("ways in are also those of the account whose provider knows the address", arguments: Engine.allCases)
    func providerEmail(engine: Engine) async throws {
        let server = try await start(on: engine)
        let account = try await server.signUp("a@b.c")
        server.clock.advance(by: .seconds(1))
        let token = try server.oidcToken("ada", TestServer.email("work@b.c"))
        let linked = try await server.signIn("oidc.test", token, account.token)
        let federated = try server.session(
            try await server.signIn("oidc.test", try server.oidcToken("grace", TestServer.email("grace@b.c")))
        )
        server.clock.advance(by: .seconds(1))
        let password: JSONValue = ["idToken": .string(federated.idToken), "password": "secret-1"]
        let upgraded = try server.session(try await server.call("update", password))
        // The entries are in the order in which they were linked.
        for (identifier, session, providers) in [
            ("work@b.c", try server.session(linked), ["password", "oidc.test"]),
            ("grace@b.c", upgraded, ["oidc.test", "password"]),
        ] as [(String, TestServer.Session, [String])] {
            let body: JSONValue = ["identifier": .string(identifier), "continueUri": "http://localhost"]
            let answer = try await server.call("createAuthUri", body)
            #expect(answer["registered"] == true)
            #expect(answer["allProviders"]?.array?.compactMap(\.string) == providers)
            #expect(answer["signinMethods"]?.array?.compactMap(\.string) == providers)
            let entries = try await server.account(session)["providerUserInfo"]?.array ?? []
            #expect(entries.compactMap { $0["providerId"]?.string } == providers)
        }
    }
}
