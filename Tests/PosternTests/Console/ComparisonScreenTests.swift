import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Server

@Suite("What blocks a link, in the console", .teardown, .timeLimit(.minutes(15)))
struct ComparisonScreenTests {
    private static func enablePasswords(_ server: TestServer) async throws {
        let enabled: JSONValue = ["signIn": ["email": ["enabled": true, "passwordRequired": true]]]
        #expect(try await server.admin("PATCH", "/config?updateMask=signIn", enabled).status == 200)
    }

    @Test(
        "the user who has it is shown beside the one who wanted it, and it is unlinked there",
        arguments: Engine.allCases
    )
    func linking(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment, on: engine)
        try await Self.enablePasswords(server)
        let holder = try server.session(try await server.signIn("oidc.test", try server.oidcToken("one")))
        let other = try server.session(
            try await server.call("signUp", ["email": "ada@example.com", "password": "correct horse"])
        )
        let link: JSONValue = ["idToken": .string(other.idToken)]
        let refused = try await server.signIn("oidc.test", try server.oidcToken("one"), link)
        #expect(refused.errorMessage == "FEDERATED_USER_ID_ALREADY_LINKED")
        // Clients are told nothing of the other user.
        #expect(!String(decoding: refused.bytes, as: UTF8.self).contains(holder.localID))
        await server.recordRefusals()

        let owner = try await ConsoleClient.enroll(server)
        let path = "/console/users/\(other.localID)/compare/\(holder.localID)"
        for from in ["/console/users/\(other.localID)", "/console/diagnosis?user=\(other.localID)"] {
            #expect(try await owner.get(from).html.contains("href=\"\(path)\""), "\(from)")
        }
        let page = try await owner.get(path)
        #expect(page.status == 200 && page.html.contains("ada@example.com") && page.html.contains("oidc.test"))
        let unlink = [("do", "unlink"), ("id", "oidc.test"), ("confirmed", "yes")]
        #expect(try await owner.post("/console/users/\(holder.localID)", unlink).status == 303)
        #expect(try await server.signIn("oidc.test", try server.oidcToken("one"), link).status == 200)

        let viewer = try await ConsoleClient.enroll(server, role: .viewer)
        let seen = try await viewer.get(path)
        #expect(seen.status == 200 && !seen.html.contains("value=\"unlink\""))
        #expect(try await owner.get("/console/users/\(other.localID)/compare/nobody").status == 400)
    }

    @Test("passkeys of either are shown and removed there")
    func passkeys() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        let holder = try server.session(try await server.signIn("oidc.test", try server.oidcToken("one")))
        let other = try server.session(try await server.signIn("oidc.test", try server.oidcToken("two")))
        let passkey = PasskeyRecord(
            credentialID: "Y3JlZGVudGlhbA",
            localID: holder.localID,
            name: "Key <of> one",
            publicKey: [1],
            signCount: 1,
            createdAt: server.clock.now
        )
        #expect(try await server.core.database.write { try $0.insertPasskey(Scope(projectID: "demo-test"), passkey) })
        let owner = try await ConsoleClient.enroll(server)
        let path = "/console/users/\(other.localID)/compare/\(holder.localID)"
        let page = try await owner.get(path).html
        #expect(page.contains("Key &lt;of&gt; one") && page.contains("value=\"removePasskey\""))
        let removal = [("do", "removePasskey"), ("id", passkey.credentialID), ("confirmed", "yes")]
        #expect(try await owner.post("/console/users/\(holder.localID)", removal).status == 303)
        #expect(try await !owner.get(path).html.contains("Key &lt;of&gt; one"))
    }

    @Test("an address of a password, a link or a number is found likewise")
    func addresses() async throws {
        let server = try await TestServer.start(environment: ConsoleClient.environment)
        try await Self.enablePasswords(server)
        let taken: JSONValue = ["email": "taken@example.com", "password": "correct horse"]
        let holder = try server.session(try await server.call("signUp", taken))
        let guest = try server.session(try await server.signIn("oidc.test", try server.oidcToken("guest")))
        let link = taken.merging(["idToken": .string(guest.idToken)])
        #expect(try await server.call("signUp", link).errorMessage == "EMAIL_EXISTS")
        await server.recordRefusals()
        let owner = try await ConsoleClient.enroll(server)
        let page = try await owner.get("/console/users/\(guest.localID)")
        #expect(page.html.contains("/console/users/\(guest.localID)/compare/\(holder.localID)"))
    }
}
