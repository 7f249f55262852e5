import Foundation
import Project
import Storage
import TestKit
import Testing

extension AccountDecisionTests {
    @Test(
        "an unverified e-mail of an existing account signs nobody in, and the credential can be linked later",
        arguments: Engine.allCases
    )
    func needsConfirmation(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let owner = try server.session(
            try await server.signIn("google.com", try server.googleToken("g", TestServer.email("a@b.c")))
        )
        let token = try server.oidcToken("o", TestServer.email("a@b.c", verified: false))
        let answer = try await server.signIn("oidc.test", token)
        #expect(answer.status == 200)
        #expect(answer["needConfirmation"] == true)
        #expect(answer["verifiedProvider"] == ["google.com"])
        #expect(answer["email"] == "a@b.c")
        for absent in ["idToken", "refreshToken", "errorMessage", "isNewUser", "localId"] { #expect(answer[absent] == nil) }
        let pending = try #require(answer["pendingToken"])
        #expect(try await server.account(owner)["providerUserInfo"]?.array?.count == 1)

        let link: JSONValue = [
            "requestUri": "http://localhost", "pendingToken": pending, "idToken": .string(owner.idToken),
            "postBody": "providerId=oidc.test",
        ]
        let linked = try server.session(try await server.call("signInWithIdp", link))
        #expect(linked.localID == owner.localID)
        #expect(try await server.account(linked)["providerUserInfo"]?.array?.count == 2)
        for extra: JSONValue in [[:], ["returnIdpCredential": true], ["idToken": .null]] {
            let again = try await server.call("signInWithIdp", link.merging(extra))
            #expect(again.status == 400)
            #expect(again.errorMessage == "INVALID_PENDING_TOKEN")
        }
    }

    @Test("a pending credential is used once, begets none, and opens nothing that was closed since")
    func pendingCredentialEnds() async throws {
        let server = try await TestServer.start()
        func signIn(_ raw: String) async throws -> TestClient.Answer {
            let token = try server.oidcToken("u", ["nonce": .string(raw)])
            return try await server.signIn("oidc.test", token, nonce: raw)
        }
        func again(_ answer: TestClient.Answer) async throws -> TestClient.Answer {
            let pending = answer["pendingToken"] ?? .null
            return try await server.call("signInWithIdp", ["requestUri": "http://localhost", "pendingToken": pending])
        }
        let first = try await signIn("n1")
        let second = try await again(first)
        #expect(second.status == 200)
        #expect(second["pendingToken"] == nil)
        #expect(try await again(first).errorMessage == "INVALID_PENDING_TOKEN")

        let third = try await signIn("n2")
        server.clock.advance(by: .seconds(1))
        let session = try server.session(third)
        #expect(try await server.call("update", ["idToken": .string(session.idToken), "validSince": 1]).status == 200)
        #expect(try await again(third).errorMessage == "INVALID_PENDING_TOKEN")

        let fourth = try await signIn("n3")
        let last = try server.session(fourth)
        #expect(try await server.call("delete", last.token).status == 200)
        #expect(try await again(fourth).errorMessage == "INVALID_PENDING_TOKEN")
    }

    @Test("a credential that a collision left unused is one credential, in either form")
    func unusedCredentialIsOne() async throws {
        let server = try await TestServer.start()
        let holder = try server.session(try await server.signIn("oidc.test", try server.oidcToken("u")))
        let other = try server.session(try await server.call("signUp", [:]))
        #expect(holder.localID != other.localID)
        let token = try server.oidcToken("u", ["nonce": "raw"])
        let form = TestClient.encode([("providerId", "oidc.test"), ("id_token", token), ("nonce", "raw")])
        var body: JSONValue = [
            "requestUri": "http://localhost", "postBody": .string(form), "idToken": .string(other.idToken),
            "returnIdpCredential": true,
        ]
        let refused = try await server.call("signInWithIdp", body)
        #expect(refused["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED")
        let pending = refused["pendingToken"] ?? .null
        #expect(
            try await server.call("signInWithIdp", ["requestUri": "http://localhost", "pendingToken": pending]).status == 200
        )
        body["idToken"] = nil
        let replay = try await server.call("signInWithIdp", body)
        #expect(replay.errorMessage?.hasPrefix("MISSING_OR_INVALID_NONCE : Duplicate") == true)
    }

    @Test("a refused link that hands out a pending credential uses up the one that it was tried with", arguments: Engine.allCases)
    func updatedCredential(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let email = TestServer.email("a@b.c")
        let owner = try server.session(try await server.signIn("apple.com", try server.appleToken("a", email)))
        let other = try server.session(try await server.call("signUp", [:]))
        let link: JSONValue = ["idToken": .string(other.idToken), "returnIdpCredential": true]
        let duplicate = "MISSING_OR_INVALID_NONCE : Duplicate credential received. Please try again with a new credential."
        // The e-mail belongs to the owner. The identity is the same Apple user, or another one with that address.
        for (raw, subject, code, oldFirst) in [
            ("n1", "a", "FEDERATED_USER_ID_ALREADY_LINKED", true), ("n2", "a", "FEDERATED_USER_ID_ALREADY_LINKED", false),
            ("n3", "b", "EMAIL_EXISTS", true), ("n4", "c", "EMAIL_EXISTS", false),
        ] {
            let nonce: JSONValue = ["nonce": .string(hexadecimal(sha256(raw.utf8)))]
            let token = try server.appleToken(subject, nonce.merging(email))
            let refused = try await server.signIn("apple.com", token, nonce: raw, link)
            #expect(refused.status == 200)
            #expect(refused["errorMessage"]?.string == code)
            func withToken() async throws {
                #expect(try await server.signIn("apple.com", token, nonce: raw).errorMessage == duplicate)
            }
            let pending: JSONValue = ["requestUri": "http://localhost", "pendingToken": try #require(refused["pendingToken"])]
            if oldFirst { try await withToken() }
            // A refused link leaves the pending credential usable.
            let again = try await server.call("signInWithIdp", pending.merging(link))
            #expect(again["errorMessage"]?.string == code)
            #expect(again["pendingToken"] == pending["pendingToken"])
            #expect(try server.session(try await server.call("signInWithIdp", pending)).localID == owner.localID)
            if !oldFirst { try await withToken() }
            #expect(try await server.call("signInWithIdp", pending).errorMessage == "INVALID_PENDING_TOKEN")
            let relinked = try await server.signIn("apple.com", token, nonce: raw, link)
            #expect(relinked.errorMessage == duplicate)
        }
    }

    @Test("a pending credential is of one scope, one provider and a short time", arguments: Engine.allCases)
    func pendingCredential(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        _ = try await server.signIn("google.com", try server.googleToken("g", TestServer.email("a@b.c")))
        let answer = try await server.signIn("oidc.test", try server.oidcToken("o", TestServer.email("a@b.c", verified: false)))
        let call: JSONValue = ["requestUri": "http://localhost", "pendingToken": try #require(answer["pendingToken"])]
        for change: JSONValue in [["tenantId": "acme"], ["postBody": "providerId=google.com"]] {
            let refused = try await server.call("signInWithIdp", call.merging(change))
            #expect(refused.errorMessage == "INVALID_PENDING_TOKEN")
        }
        #expect(try await server.call("lookup", ["idToken": answer["pendingToken"]!]).errorMessage == "INVALID_ID_TOKEN")
        #expect(try await server.call("signInWithIdp", call)["needConfirmation"] == true)
        server.clock.advance(by: .seconds(601))
        #expect(try await server.call("signInWithIdp", call).errorMessage == "INVALID_PENDING_TOKEN")
    }

    @Test("the provider is looked at before the pending credential")
    func providerFirst() async throws {
        let server = try await TestServer.start()
        func call(_ providerID: String) async throws -> String? {
            let body: JSONValue = ["requestUri": "http://localhost", "pendingToken": "garbage"]
            return try await server.call("signInWithIdp", body.merging(["postBody": .string("providerId=" + providerID)]))
                .errorMessage
        }
        #expect(try await call("nope.com") == "INVALID_PROVIDER_ID")
        #expect(try await call("oidc.off") == "OPERATION_NOT_ALLOWED : The identity provider configuration is disabled.")
        #expect(try await call("oidc.none") == "OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
        #expect(try await call("OIDC.test") == "INVALID_PENDING_TOKEN")
    }
}
