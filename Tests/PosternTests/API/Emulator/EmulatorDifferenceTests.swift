import Foundation
import Project
import TestKit
import Testing

/// The differences that were found by calling both servers side by side.
@Suite("In development answers are the emulator's, member for member", .teardown, .timeLimit(.minutes(15)))
struct EmulatorDifferenceTests {
    @Test("disabled: false of imported users and of those that were switched on again, and of nobody else")
    func enabled() async throws {
        for mode in [ServerMode.development, .production] {
            let server = try await TestServer.start(mode: mode, project: TestServer.emailProject())
            let shown: JSONValue? = mode == .development ? false : nil
            #expect(try await server.admin("accounts:batchCreate", ["users": [["localId": "in"]]]).status == 200)
            #expect(try await server.user("in")?["disabled"] == shown)
            let made = try await server.admin("accounts", ["localId": "made", "disabled": false])
            #expect(made.status == 200)
            #expect(try await server.user("made")?["disabled"] == nil)
            for isDisabled in [true, false] {
                let update: JSONValue = ["localId": "made", "disableUser": .bool(isDisabled)]
                #expect(try await server.admin("accounts:update", update).status == 200)
                #expect(try await server.user("made")?["disabled"] == (isDisabled ? true : shown))
            }
            #expect(try await server.admin("accounts:update", ["localId": "made", "displayName": "x"]).status == 200)
            #expect(try await server.user("made")?["disabled"] == shown)
        }
    }

    @Test("an empty providerUserInfo once the last provider is gone, in look-ups and in the answer that removes it")
    func noProviders() async throws {
        for mode in [ServerMode.development, .production] {
            let server = try await TestServer.start(mode: mode)
            let shown: JSONValue? = mode == .development ? [] : nil
            let token = mode == .development ? "{\"sub\":\"o-1\"}" : try server.oidcToken("o-1")
            let linked = try server.session(try await server.signIn("oidc.test", token))
            #expect(try await server.user(linked.localID)?["providerUserInfo"]?.array?.count == 1)
            let removal: JSONValue = ["localId": .string(linked.localID), "deleteProvider": ["oidc.test"]]
            #expect(try await server.admin("accounts:update", removal)["providerUserInfo"] == shown)
            #expect(try await server.user(linked.localID)?["providerUserInfo"] == shown)
            let anonymous = try server.session(try await server.call("signUp", [:]))
            let change: JSONValue = ["localId": .string(anonymous.localID), "displayName": "x"]
            #expect(try await server.admin("accounts:update", change)["providerUserInfo"] == nil)
            #expect(try await server.user(anonymous.localID)?["providerUserInfo"] == nil)
            let phone: JSONValue = ["localId": "phone", "phoneNumber": "+15555550100"]
            #expect(try await server.admin("accounts", phone).status == 200)
            let noPhone: JSONValue = ["localId": "phone", "deleteProvider": ["phone"]]
            #expect(try await server.admin("accounts:update", noPhone)["providerUserInfo"] == shown)
        }
    }

    @Test("Google's verified_email is false where the token says nothing of it")
    func googleProfile() async throws {
        let server = try await TestServer.startEmulator()
        for (claims, isVerified) in [
            (["sub": "g-1"], false), (["sub": "g-2", "email_verified": false], false),
            (["sub": "g-3", "email_verified": "yes"], true),
        ] as [(JSONValue, Bool)] {
            let raw = try await server.signIn("google.com", claims.text)["rawUserInfo"]?.string ?? ""
            #expect(try JSONValue.parse(raw.utf8)["verified_email"] == .bool(isVerified))
        }
    }

    @Test("the configuration says whether addresses are hidden, also after a change without a mask")
    func privacy() async throws {
        let server = try await TestServer.startEmulator()
        let off: JSONValue = ["enableImprovedEmailPrivacy": false]
        func config(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue? {
            try await server.admin(method, path, body, token: "owner").json["emailPrivacyConfig"]
        }
        #expect(try await config("GET", "/config") == off)
        let on: JSONValue = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]]
        #expect(try await config("PATCH", "/config", on) == on["emailPrivacyConfig"])
        #expect(try await config("PATCH", "/config", ["signIn": ["allowDuplicateEmails": true]]) == off)
        #expect(try await config("GET", "/config") == off)
    }

    @Test("an empty address is none in accounts:update and in an administrator's signUp")
    func emptyEmail() async throws {
        do {
            let server = try await TestServer.startEmulator()
            let session = try await server.signUp("a@b.c")
            let update: JSONValue = ["idToken": .string(session.idToken), "email": "", "displayName": "Ada"]
            let answer = try await server.call("update", update)
            #expect(answer.status == 200 && answer["email"] == "a@b.c" && answer["newEmail"] == nil, "\(answer.json)")
            #expect(answer["displayName"] == "Ada" && answer["idToken"] == nil)
            let made = try await server.admin("accounts", ["email": "", "displayName": "x"])
            #expect(made.status == 200 && made["email"] == nil, "\(made.json)")
            // Users' own sign-ups are unchanged.
            #expect(try await server.call("signUp", ["email": ""]).errorMessage == "INVALID_EMAIL")
            #expect(try await server.call("signUp", ["email": "", "password": "secret-1"]).errorMessage == "MISSING_EMAIL")
        }
        let server = try await TestServer.start(project: TestServer.emailProject())
        #expect(try await server.admin("accounts", ["email": ""]).errorMessage == "INVALID_EMAIL")
    }

    @Test("a link's code is looked at before the form of the address (ruling 14)")
    func malformedLinkAddress() async throws {
        let mismatch = "INVALID_EMAIL : The email provided does not match the sign-in email address."
        do {
            let server = try await TestServer.startEmulator()
            let code = try await server.code("EMAIL_SIGNIN", ["email": "a@b.c", "continueUrl": "http://localhost"])
            for (code, message) in [("no code", "INVALID_OOB_CODE"), (code, mismatch)] {
                for email in ["nobody", "a@"] {
                    let answer = try await server.call(
                        "signInWithEmailLink",
                        ["email": .string(email), "oobCode": .string(code)]
                    )
                    #expect(answer.errorMessage == message, "\(email)")
                }
            }
            #expect(try await server.call("signInWithEmailLink", ["email": "nobody"]).errorMessage == "MISSING_OOB_CODE")
            #expect(try await server.call("signInWithEmailLink", ["email": "a@b.c", "oobCode": .string(code)]).status == 200)
        }
        let server = try await TestServer.start(project: TestServer.emailProject())
        let answer = try await server.call("signInWithEmailLink", ["email": "nobody", "oobCode": "no code"])
        #expect(answer.errorMessage == "INVALID_EMAIL")
    }

    @Test("blocking functions are always told of custom claims, and an answer that is no object changes nothing")
    func functions() async throws {
        do {
            let hooked = try await HookedServer.start(["beforeCreate"], mode: .development)
            for (index, body) in ["[]", "[{\"userRecord\":{}}]", "\"text\"", "7", "true"].enumerated() {
                hooked.answer("beforeCreate", .init(body: Array(body.utf8)))
                #expect(try await hooked.signUp("u\(index)@b.c").status == 200, "\(body)")
                #expect(try hooked.claims(index)["user_record"]?["custom_claims"] == [:])
            }
            for body in ["", "text", "null"] {
                hooked.answer("beforeCreate", .init(body: Array(body.utf8)))
                let answer = try await hooked.signUp("x@b.c")
                #expect(answer.status == 500, "\(body)")
                #expect(answer.errorMessage == "BLOCKING_FUNCTION_ERROR_RESPONSE : ((Response body is not valid JSON.))")
            }
            hooked.change("beforeCreate", mask: "disabled", ["disabled": false])
            let session = try hooked.server.session(try await hooked.signUp("on@b.c"))
            #expect(try await hooked.server.user(session.localID)?["disabled"] == false)
        }
        let hooked = try await HookedServer.start(["beforeCreate"])
        hooked.answer("beforeCreate", .init(body: Array("[]".utf8)))
        #expect(try await hooked.signUp().status == 400)
        #expect(try hooked.claims(0)["user_record"]?["custom_claims"] == [:])
    }

    @Test("a repeated sign-in replaces the provider's entry, what it leaves out included; in production that stays (APL-06)")
    func repeatedSignIn() async throws {
        let first: JSONValue = ["name": "Ada", "email": "a@b.c", "email_verified": true, "picture": "https://x/a.png"]
        for mode in [ServerMode.development, .production] {
            let server = try await TestServer.start(mode: mode)
            let environment = mode == .development
            func signIn(_ claims: JSONValue) async throws -> JSONValue? {
                let token = environment ? claims.merging(["sub": "o-1"]).text : try server.oidcToken("o-1", claims)
                let session = try server.session(try await server.signIn("oidc.test", token))
                return try await server.user(session.localID)?["providerUserInfo"]?[0]
            }
            #expect(try await signIn(first)?["displayName"] == "Ada")
            let again = try await signIn([:])
            let names = ["displayName", "email", "photoUrl"].filter { again?[$0] != nil }
            #expect(names == (environment ? [] : ["displayName", "email", "photoUrl"]))
        }
    }

    @Test("email_verified is in tokens whenever the account has the flag; in production with an address (ruling 34)")
    func emailVerified() async throws {
        for mode in [ServerMode.development, .production] {
            let project: (FakeIDP) -> String = { _ in "config: {signIn: {anonymous: {enabled: true}}}" }
            let server = try await TestServer.start(mode: mode, project: project)
            let session = try server.session(try await server.call("signUp", [:]))
            #expect(try server.payload(session.idToken)["email_verified"] == nil)
            for isVerified in [true, false] {
                let update: JSONValue = ["localId": .string(session.localID), "emailVerified": .bool(isVerified)]
                #expect(try await server.admin("accounts:update", update).status == 200)
                let token = try #require(try await server.refresh(session.refreshToken)["id_token"]?.string)
                #expect(try server.payload(token)["email_verified"] == (mode == .development ? .bool(isVerified) : nil))
            }
        }
    }
}
