import Foundation
import Project
import TestKit
import Testing

@Suite("Accounts are looked up, changed and deleted", .teardown, .timeLimit(.minutes(15)))
struct AccountEndpointTests {
    @Test("anonymous sign-up makes an account, and refuses what only administrators may set", arguments: Engine.allCases)
    func signUp(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let answer = try await server.call("signUp", ["returnSecureToken": true])
        let session = try server.session(answer)
        #expect(answer["kind"] == "identitytoolkit#SignupNewUserResponse")
        #expect(answer["isNewUser"] == nil)
        #expect(answer["expiresIn"] == "3600")
        let claims = try payload(session)
        #expect(claims["provider_id"] == "anonymous")
        #expect(claims["firebase"]?["identities"] == [:] && claims["firebase"]?["sign_in_provider"] == "anonymous")
        let account = try await server.account(session)
        for absent in ["email", "emailVerified", "providerUserInfo", "passwordHash", "disabled", "validSince"] {
            #expect(account[absent] == nil)
        }
        for (body, error) in [
            (["localId": "mine"], "UNEXPECTED_PARAMETER : User ID"), (["password": "secret"], "MISSING_EMAIL"),
            (["email": "a@b.c"], "MISSING_PASSWORD"), (["email": "a@b.c", "password": "secret"], "OPERATION_NOT_ALLOWED"),
        ] as [(JSONValue, String)] {
            #expect(try await server.call("signUp", body).errorMessage == error)
        }
    }

    @Test("a token that is not one of ours, for us, and alive is refused by every endpoint", arguments: Engine.allCases)
    func idTokenRules(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let session = try server.session(try await server.call("signUp", [:]))
        let claims = try payload(session)
        let foreign = try TestKey.rsa(kid: try #require(try header(session)["kid"]?.string))
        let parts = session.idToken.split(separator: ".")
        let bad = [
            "garbage", "a.b.c", HostileToken.unsigned(claims), HostileToken.withoutAlgorithm(claims),
            try foreign.token(claims: claims), try foreign.token(claims: claims, header: ["jwk": foreign.jwk]),
            try TestKey.rsa(kid: "unknown").token(claims: claims), "\(parts[0]).\(parts[1]).", "\(parts[0])..\(parts[2])",
            session.refreshToken, try server.oidcToken(session.localID), session.idToken + "=",
        ]
        for token in bad {
            for method in ["lookup", "update", "delete"] {
                let answer = try await server.call(method, ["idToken": .string(token)])
                #expect(answer.errorMessage == "INVALID_ID_TOKEN", "\(method) \(token.prefix(20))")
            }
        }
        #expect(try await server.call("lookup", [:]).errorMessage == "MISSING_ID_TOKEN")
        #expect(try await server.call("delete", [:]).errorMessage == "MISSING_ID_TOKEN")
        #expect(try await server.call("update", [:]).errorMessage == "INVALID_REQ_TYPE : Unsupported request parameters.")
        server.clock.advance(by: .seconds(3600 + 59))
        #expect(try await server.call("lookup", session.token).status == 200)
        server.clock.advance(by: .seconds(1))
        #expect(try await server.call("lookup", session.token).errorMessage == "TOKEN_EXPIRED")
    }

    @Test("a profile is changed, and its attributes deleted, without new tokens", arguments: Engine.allCases)
    func profile(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let session = try server.session(try await server.signIn("oidc.test", try server.oidcToken()))
        let token: JSONValue = .string(session.idToken)
        let changed = try await server.call(
            "update",
            ["idToken": token, "displayName": "Ada", "photoUrl": "https://x.example/a.png", "localId": "ignored"]
        )
        #expect(changed["kind"] == "identitytoolkit#SetAccountInfoResponse")
        #expect(changed["displayName"] == "Ada")
        #expect(changed["photoUrl"] == "https://x.example/a.png")
        #expect(changed["idToken"] == nil)
        #expect(changed["providerUserInfo"]?.array?.count == 1)
        #expect(try await server.call("update", ["idToken": token, "displayName": .null])["displayName"] == "Ada")
        let cleared = try await server.call("update", ["id_token": token, "delete_attribute": ["DISPLAY_NAME", 4]])
        #expect(cleared["displayName"] == nil)
        #expect(cleared["photoUrl"] == nil)
        #expect(try await server.call("update", ["idToken": token, "displayName": ""])["displayName"] == nil)
        let refreshed = try await server.refresh(session.refreshToken)
        #expect(refreshed.status == 200)
    }

    @Test("a client may not change what only administrators may", arguments: Engine.allCases)
    func privileges(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let session = try server.session(try await server.call("signUp", [:]))
        let token: JSONValue = .string(session.idToken)
        for (body, error) in [
            (["customAttributes": "{\"admin\":true}"], "INSUFFICIENT_PERMISSION"),
            (["customAttributes": ""], "INSUFFICIENT_PERMISSION"),
            (["disableUser": false], "OPERATION_NOT_ALLOWED"),
            (["email": "a@b.c"], "OPERATION_NOT_ALLOWED : Please verify the new email before changing email."),
        ] as [(JSONValue, String)] {
            #expect(try await server.call("update", body.merging(["idToken": token])).errorMessage == error)
        }
        let ignored: JSONValue = ["idToken": token, "emailVerified": true, "createdAt": "1", "phoneNumber": "+15550001"]
        #expect(try await server.call("update", ignored).status == 200)
        let account = try await server.account(session)
        #expect(account["emailVerified"] == nil)
        #expect(account["phoneNumber"] == nil)
        #expect(account["createdAt"]?.string == String(server.clock.now.milliseconds))
    }

    @Test("a provider is unlinked, and its user is then a stranger", arguments: Engine.allCases)
    func unlink(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let session = try server.session(try await server.signIn("oidc.test", try server.oidcToken("o")))
        let linked = try server.session(try await server.signIn("google.com", try server.googleToken("g"), session.token))
        let answer = try await server.call(
            "update",
            ["idToken": .string(linked.idToken), "deleteProvider": ["google.com", "nobody.com"]]
        )
        #expect(answer["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } == ["oidc.test"])
        let stranger = try server.session(try await server.signIn("google.com", try server.googleToken("g")))
        #expect(stranger.localID != session.localID)
    }

    @Test("ending sessions is no fresh sign-in, and the session's own claims stay")
    func endedSessionsKeepTheirAge() async throws {
        let server = try await TestServer.start()
        let token = try server.oidcToken("u", ["department": "research"])
        let session = try server.session(try await server.signIn("oidc.test", token))
        let before = try payload(session)
        server.clock.advance(by: .seconds(400))
        var fresh = session
        for value: JSONValue in [true, "x", 7, "1"] {
            fresh = try server.session(try await server.call("update", ["idToken": .string(fresh.idToken), "validSince": value]))
        }
        let after = try payload(fresh)
        #expect(after["auth_time"] == before["auth_time"])
        #expect(after["firebase"]?["sign_in_attributes"] == before["firebase"]?["sign_in_attributes"])
        let refused = try await server.call("delete", ["idToken": .string(fresh.idToken)])
        #expect(refused.errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }

    @Test("a client ends its other sessions, and goes on with new tokens", arguments: Engine.allCases)
    func endSessions(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let other = try server.session(try await server.signIn("oidc.test", try server.oidcToken()))
        let session = try server.session(try await server.signIn("oidc.test", try server.oidcToken()))
        let answer = try await server.call("update", ["idToken": .string(session.idToken), "validSince": "1"])
        let fresh = try server.session(answer)
        // In the same second, ID tokens stay valid, but refresh tokens are ended exactly.
        for dead in [other, session] { #expect(try await server.refresh(dead.refreshToken).errorMessage == "TOKEN_EXPIRED") }
        #expect(try await server.refresh(fresh.refreshToken).status == 200)
        #expect(try payload(fresh)["firebase"]?["sign_in_provider"] == "oidc.test")
    }

    @Test("an administrator looks accounts up, sets claims, ends sessions and deletes", arguments: Engine.allCases)
    func administration(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let session = try server.session(
            try await server.signIn("oidc.test", try server.oidcToken("o", TestServer.email("a@b.c")))
        )
        let id: JSONValue = .string(session.localID)
        let found = try await server.callAsAdmin(
            "lookup",
            [
                "localId": [id, "nobody"], "email": ["A@b.c", "x@y.z"],
                "federatedUserId": [["providerId": "oidc.test", "rawId": "o"]],
            ]
        )
        #expect(found["users"]?.array?.count == 1)
        #expect(try await server.callAsAdmin("lookup", ["localId": ["nobody"]])["users"] == nil)
        for (body, error) in [
            ([:], "MISSING_LOCAL_ID"), (["localId": "nobody"], "USER_NOT_FOUND"),
            (["localId": id, "customAttributes": "[]"], "INVALID_CLAIMS"),
            (["localId": id, "customAttributes": "{\"sub\":1}"], "FORBIDDEN_CLAIM : sub"),
            (["localId": id, "customAttributes": .string(String(repeating: "x", count: 1001))], "CLAIMS_TOO_LARGE"),
        ] as [(JSONValue, String)] {
            #expect(try await server.callAsAdmin("update", body).errorMessage == error)
        }
        let claims = #"{"role":"editor","name":"Shown","email":"not@this.one"}"#
        #expect(try await server.callAsAdmin("update", ["localId": id, "customAttributes": .string(claims)]).status == 200)
        let token = try decode(try #require(try await server.refresh(session.refreshToken)["id_token"]?.string), 1)
        #expect(token["role"] == "editor")
        #expect(token["name"] == "Shown")
        #expect(token["email"] == "a@b.c")
        server.clock.advance(by: .seconds(5))
        let now: JSONValue = .string(String(server.clock.now.seconds))
        #expect(try await server.callAsAdmin("update", ["localId": id, "validSince": now])["idToken"] == nil)
        #expect(try await server.refresh(session.refreshToken).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.call("lookup", session.token).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.callAsAdmin("delete", ["localId": id]).status == 200)
        #expect(try await server.callAsAdmin("delete", ["localId": id]).errorMessage == "USER_NOT_FOUND")
    }

    @Test("deleting frees the e-mail and the identity at once, and ends the sessions", arguments: Engine.allCases)
    func delete(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        let email = TestServer.email("a@b.c")
        let session = try server.session(try await server.signIn("oidc.test", try server.oidcToken("o", email)))
        server.clock.advance(by: .seconds(301))
        let token: JSONValue = .string(session.idToken)
        #expect(try await server.call("delete", ["idToken": token]).errorMessage == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        let recent = try server.session(try await server.signIn("oidc.test", try server.oidcToken("o", email)))
        let answer = try await server.call("delete", ["idToken": .string(recent.idToken), "localId": "ignored"])
        #expect(answer.json == ["kind": "identitytoolkit#DeleteAccountResponse"])
        #expect(try await server.call("lookup", ["idToken": token]).errorMessage == "USER_NOT_FOUND")
        #expect(try await server.refresh(recent.refreshToken).errorMessage == "USER_NOT_FOUND")
        let again = try await server.signIn("oidc.test", try server.oidcToken("o", email))
        #expect(again["isNewUser"] == true)
        #expect(try server.session(again).localID != session.localID)
    }
}
