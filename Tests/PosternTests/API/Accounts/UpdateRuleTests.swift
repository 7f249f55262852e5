import Foundation
import Project
import TestKit
import Testing

@Suite("What clients change of their accounts follows the contract's order and mode", .teardown)
struct UpdateRuleTests {
    private func startProduction() async throws -> TestServer {
        try await TestServer.start(project: TestServer.emailProject())
    }

    @Test("switching oneself off is refused after the rules of the ID token")
    func disableUser() async throws {
        let server = try await startProduction()
        func update(_ session: TestServer.Session) async throws -> String? {
            let body: JSONValue = ["idToken": .string(session.idToken), "disableUser": true, "email": "x"]
            return try await server.call("update", body).errorMessage
        }
        let good = try await server.signUp("good@b.c")
        let disabled = try await server.signUp("disabled@b.c")
        let deleted = try await server.signUp("deleted@b.c")
        let revoked = try await server.signUp("revoked@b.c")
        #expect(try await update(good) == "OPERATION_NOT_ALLOWED")
        #expect(try await server.account(good)["disabled"] == nil)
        #expect(
            try await server.callAsAdmin("update", ["localId": .string(disabled.localID), "disableUser": true]).status == 200
        )
        #expect(try await server.call("delete", deleted.token).status == 200)
        server.clock.advance(by: .seconds(2))
        #expect(try await server.call("update", ["idToken": .string(revoked.idToken), "validSince": 1]).status == 200)
        #expect(try await update(disabled) == "USER_DISABLED")
        #expect(try await update(deleted) == "USER_NOT_FOUND")
        #expect(try await update(revoked) == "TOKEN_EXPIRED")
    }

    @Test("in development addresses are replaced although they are private")
    func privateAddresses() async throws {
        let server = try await TestServer.startEmulator()
        let patch: JSONValue = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]]
        let answer = try await server.client.send(
            "PATCH",
            "/emulator/v1/projects/demo-test/config",
            headers: [("Content-Type", "application/json")],
            body: Data(patch.text.utf8)
        )
        #expect(answer.status == 200)
        let session = try await server.signUp("a@b.c")
        let changed = try await server.call("update", ["idToken": .string(session.idToken), "email": "new@b.c"])
        #expect(changed["email"] == "new@b.c")
        let linked = try await server.call(
            "signUp",
            ["idToken": try #require(changed["idToken"]), "email": "newer@b.c", "password": "secret-2"]
        )
        #expect(linked["email"] == "newer@b.c")
    }

    @Test("names and pictures are bounded in production alone")
    func lengths() async throws {
        let long: JSONValue = [
            "displayName": .string(String(repeating: "n", count: 257)), "photoUrl": .string(String(repeating: "p", count: 2049)),
        ]
        do {
            let server = try await TestServer.startEmulator()
            let body: JSONValue = ["email": "a@b.c", "password": "secret-1"]
            let session = try server.session(try await server.call("signUp", body.merging(long)))
            #expect(try await server.account(session)["displayName"] == long["displayName"])
            let updated = try await server.call("update", long.merging(session.token))
            #expect(updated["photoUrl"] == long["photoUrl"])
        }
        let server = try await startProduction()
        for name in ["displayName", "photoUrl"] {
            let answer = try await server.call("update", ["idToken": "x", name: long[name] ?? .null])
            #expect(answer.errorMessage?.hasPrefix("Invalid JSON payload received. /\(name)") == true)
        }
    }

    @Test(
        "beside a code the lists of providers count in development alone, and nothing else",
        arguments: [ServerMode.production, .development]
    )
    func listsBesideCode(mode: ServerMode) async throws {
        let server = try await TestServer.start(mode: mode, project: TestServer.emailProject())
        let session = try await server.signUp("a@b.c")
        let linked: JSONValue = [
            "localId": .string(session.localID), "linkProviderUserInfo": ["providerId": "google.com", "rawId": "g"],
        ]
        #expect(try await server.callAsAdmin("update", linked).status == 200)
        let code = try await server.code("VERIFY_EMAIL", ["email": "a@b.c"])
        let body: JSONValue = [
            "oobCode": .string(code), "deleteProvider": ["google.com"], "displayName": "N", "deleteAttribute": ["PASSWORD"],
            "linkProviderUserInfo": ["providerId": "github.com", "rawId": "h"],
        ]
        let answer = try await server.call("update", body)
        #expect(answer["emailVerified"] == true)
        #expect(answer["idToken"] == nil)
        #expect(answer["displayName"] == nil)
        let providers = answer["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } ?? []
        #expect(Set(providers) == (mode == .production ? ["password", "google.com"] : ["password", "github.com"]))
        #expect(try await server.account(session)["emailVerified"] == true)
        let lost = try await server.call("update", body)
        #expect(lost.errorMessage == "INVALID_OOB_CODE")
    }

    @Test("a refused list beside a code changes nothing, and the code stays used")
    func refusedListBesideCode() async throws {
        let server = try await TestServer.startEmulator()
        let owner = try await server.signUp("owner@b.c")
        let link: JSONValue = ["providerId": "google.com", "rawId": "g"]
        let linked: JSONValue = ["localId": .string(owner.localID), "linkProviderUserInfo": link]
        #expect(try await server.callAsAdmin("update", linked).status == 200)
        let session = try await server.signUp("a@b.c")
        let code = JSONValue.string(try await server.code("VERIFY_EMAIL", ["email": "a@b.c"]))
        let refused = try await server.call("update", ["oobCode": code, "linkProviderUserInfo": link])
        #expect(refused.errorMessage == "FEDERATED_USER_ID_ALREADY_LINKED")
        #expect(try await server.account(session)["emailVerified"] == true)
        #expect(try await server.account(session)["providerUserInfo"]?.array?.count == 1)
        #expect(try await server.call("update", ["oobCode": code]).errorMessage == "INVALID_OOB_CODE")
    }

    @Test("a recovered address is no new one")
    func recoveredAddress() async throws {
        let server = try await TestServer.startEmulator()
        let session = try await server.signUp("old@b.c")
        let changed = try await server.call("update", ["idToken": .string(session.idToken), "email": "new@b.c"])
        #expect(changed["newEmail"] == "new@b.c")
        let codes = try await server.client.get("/emulator/v1/projects/demo-test/oobCodes")["oobCodes"]?.array
        let code = try #require(codes?.last { $0["requestType"] == "RECOVER_EMAIL" }?["oobCode"])
        let answer = try await server.call("update", ["oobCode": code])
        #expect(answer["email"] == "old@b.c")
        #expect(answer["newEmail"] == nil)
    }

    @Test("a password is text, also where it is written as a number or a truth")
    func scalarPasswords() async throws {
        let server = try await startProduction()
        for (index, password) in ([123_456, true] as [JSONValue]).enumerated() {
            let body: JSONValue = ["email": .string("u\(index)@b.c"), "password": password]
            let expected = password == true ? "WEAK_PASSWORD : Password should be at least 6 characters" : nil
            #expect(try await server.call("signUp", body).errorMessage == expected)
        }
        #expect(try await server.signIn("u0@b.c", password: "123456").status == 200)
    }

    @Test("a sign-up for a signed-in account keeps its name where none is sent, but not in development")
    func nameOfLinkedAccount() async throws {
        func name(_ server: TestServer) async throws -> JSONValue? {
            let session = try await server.signUp("a@b.c")
            let named = try await server.call("update", ["idToken": .string(session.idToken), "displayName": "N"])
            #expect(named["displayName"] == "N")
            let body: JSONValue = ["idToken": .string(session.idToken), "email": "b@b.c", "password": "secret-2"]
            return try await server.account(try server.session(try await server.call("signUp", body)))["displayName"]
        }
        #expect(try await name(startProduction()) == "N")
        #expect(try await name(TestServer.startEmulator()) == nil)
    }
}
