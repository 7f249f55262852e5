import Foundation
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Server

@Suite("Blocking functions", .teardown, .timeLimit(.minutes(15)))
struct BlockingFunctionTests {
    private static let both = ["beforeCreate", "beforeSignIn"]

    @Test("are told in a token signed like an ID token, for them alone, with an id and a time")
    func signed() async throws {
        let hooked = try await HookedServer.start(["beforeCreate"])
        let body: JSONValue = ["email": "a@b.c", "password": "secret-1", "displayName": "Ann"]
        let answer = try await hooked.server.client.post(
            "/v1/accounts:signUp?key=\(TestServer.apiKey)",
            body,
            headers: [("User-Agent", "agent/1"), ("X-Firebase-Locale", "fr")]
        )
        let session = try hooked.server.session(answer)
        let token = try CompactJWS(hooked.token(0))
        let published = try await hooked.server.client.get("/.well-known/jwks.json")["keys"]?.array ?? []
        var keys: [VerificationKey] = []
        for jwk in published { keys += await VerificationKey.keys(jwk: jwk) }
        #expect(token.algorithm == "RS256")
        #expect(keys.contains { $0.keyID == token.keyID && $0.verifies(token) })
        let claims = token.payload
        let now = hooked.server.clock.now
        #expect(claims["iss"] == "https://securetoken.google.com/demo-test")
        #expect(claims["aud"]?.string == hooked.functions.origin + "/beforeCreate")
        #expect(claims["iat"] == .integer(now.seconds))
        #expect(claims["exp"] == .integer(now.seconds + 600))
        #expect(claims["event_id"]?.string?.count == 16)
        #expect(claims["event_type"] == "beforeCreate")
        #expect(claims["ip_address"] == "127.0.0.1")
        #expect(claims["user_agent"] == "agent/1")
        #expect(claims["locale"] == "fr")
        #expect(claims["sub"] == .string(session.localID))
        #expect(claims["sign_in_method"] == "password")
        #expect(claims["tenant_id"] == nil)
        let provider: JSONValue = ["provider_id": "password", "uid": "a@b.c", "email": "a@b.c", "display_name": "Ann"]
        #expect(
            claims["user_record"] == [
                "uid": .string(session.localID), "email": "a@b.c", "email_verified": false, "display_name": "Ann",
                "disabled": false, "custom_claims": [:], "provider_data": [provider],
                "metadata": ["creation_time": .integer(now.milliseconds), "last_sign_in_time": .integer(now.milliseconds)],
                "tokens_valid_after_time": .integer(now.seconds),
            ]
        )
        // The token is only for the function and gives no access here.
        let lookup = try await hooked.server.call("lookup", ["idToken": .string(try hooked.token(0))])
        #expect(lookup.errorMessage == "INVALID_ID_TOKEN")
    }

    @Test("are told in an unsigned token in development")
    func unsigned() async throws {
        let hooked = try await HookedServer.start(["beforeSignIn"], mode: .development)
        #expect(try await hooked.signUp().status == 200)
        let token = try CompactJWS(hooked.token(0))
        #expect(token.algorithm == "none" && token.signature.isEmpty)
        #expect(token.payload["event_type"] == "beforeSignIn")
    }

    @Test("are asked about users' sign-ups and sign-ins, and about nothing else", arguments: Engine.allCases)
    func occasions(engine: Engine) async throws {
        let hooked = try await HookedServer.start(Self.both, on: engine)
        let server = hooked.server
        var seen = 0
        func expect(_ events: [String], _ what: String) {
            #expect(Array(hooked.asked.dropFirst(seen)) == events, "\(what)")
            seen = hooked.asked.count
        }
        _ = try await server.signUp("a@b.c")
        expect(Self.both, "new user with a password")
        #expect(try await server.signIn("a@b.c").status == 200)
        expect(["beforeSignIn"], "password")
        #expect(try await server.signIn("a@b.c", password: "wrong-1").status == 400)
        expect([], "wrong password")
        let federated = try server.session(try await server.signIn("oidc.test", try server.oidcToken("o")))
        expect(Self.both, "new user of a provider")
        _ = try server.session(try await server.signIn("oidc.test", try server.oidcToken("o")))
        expect(["beforeSignIn"], "user of a provider")
        let code = try await server.code("EMAIL_SIGNIN", ["email": "l@b.c", "continueUrl": "http://localhost/"])
        let link: JSONValue = ["email": "l@b.c", "oobCode": .string(code)]
        let linked = try server.session(try await server.call("signInWithEmailLink", link))
        expect(Self.both, "new user of a link")
        #expect(try hooked.claims(seen - 1)["sign_in_method"] == "emailLink")
        let anonymous = try server.session(try await server.call("signUp", [:]))
        expect([], "anonymous")
        #expect(try await server.refresh(linked.refreshToken).status == 200)
        expect([], "refresh")
        let upgraded = try await server.signIn("oidc.test", try server.oidcToken("p"), anonymous.token)
        #expect(upgraded["localId"] == .string(anonymous.localID), "\(upgraded.errorMessage ?? "")")
        expect(["beforeSignIn"], "linking a provider")
        let password: JSONValue = ["idToken": .string(federated.idToken), "email": "n@b.c", "password": "secret-1"]
        #expect(try await server.call("signUp", password).status == 200)
        expect([], "linking a password")
        #expect(try await server.callAsAdmin("signUp", ["email": "m@b.c", "password": "secret-1"]).status == 200)
        expect([], "made by an administrator")
    }

    @Test("are asked about phones, also when one is linked")
    func phones() async throws {
        let hooked = try await HookedServer.start(Self.both, project: TestServer.phoneProject())
        _ = try await hooked.server.phoneSession()
        #expect(hooked.asked == Self.both)
        #expect(try hooked.claims(0)["sign_in_method"] == "phone")
        #expect(try hooked.claims(0)["user_record"]?["phone_number"] == .string(TestServer.testNumber))
        _ = try await hooked.server.phoneSession()
        #expect(hooked.asked.count == 3)
        let anonymous = try hooked.server.session(try await hooked.server.call("signUp", [:]))
        let sent = try await hooked.server.sendCode("+16505550102")
        #expect(try await hooked.server.signInWithPhone(sent["sessionInfo"], "654321", anonymous.token).status == 200)
        #expect(hooked.asked.last == "beforeSignIn" && hooked.asked.count == 4)
    }

    @Test("change what their mask names, and nothing else")
    func changes() async throws {
        let hooked = try await HookedServer.start(["beforeCreate"])
        let record: JSONValue = [
            "displayName": 12, "photoURL": "https://p.example.com/1", "emailVerified": 1, "customClaims": ["role": "x"],
            "sessionClaims": ["ignored": true], "email": "evil@b.c", "disabled": true,
        ]
        hooked.change("beforeCreate", mask: "displayName,photoURL,emailVerified,customClaims,sessionClaims,email", record)
        let answer = try await hooked.signUp()
        let session = try hooked.server.session(answer)
        let account = try await hooked.server.account(session)
        #expect(account["displayName"] == "12")
        #expect(account["photoUrl"] == "https://p.example.com/1")
        #expect(account["emailVerified"] == true)
        #expect(account["email"] == "a@b.c")
        #expect(account["disabled"] == nil)
        let claims = try hooked.server.payload(session.idToken)
        #expect(claims["role"] == "x")
        #expect(claims["ignored"] == nil)
        hooked.change("beforeCreate", mask: "photoUrl,displayName", ["photoUrl": "u", "displayName": []])
        let other = try hooked.server.session(try await hooked.signUp("b@b.c"))
        #expect(try await hooked.server.account(other)["photoUrl"] == "u")
        #expect(try await hooked.server.account(other)["displayName"] == nil)
    }

    @Test("give a session claims that its refreshed tokens keep and no other session has", arguments: Engine.allCases)
    func sessionClaims(engine: Engine) async throws {
        let hooked = try await HookedServer.start(["beforeSignIn"], on: engine)
        let record: JSONValue = ["sessionClaims": ["level": 3], "customClaims": ["role": "y", "level": 1]]
        hooked.change("beforeSignIn", mask: "sessionClaims,customClaims", record)
        let session = try hooked.server.session(try await hooked.signUp())
        #expect(try hooked.server.payload(session.idToken)["level"] == 3)
        #expect(try hooked.server.payload(session.idToken)["role"] == "y")
        let refreshed = try await hooked.server.refresh(session.refreshToken)
        let again = try hooked.server.payload(try #require(refreshed["id_token"]?.string))
        #expect(again["level"] == 3)
        hooked.answer("beforeSignIn", .init(json: [:]))
        let other = try hooked.server.session(try await hooked.server.signIn("a@b.c"))
        #expect(try hooked.server.payload(other.idToken)["level"] == 1)
    }

    @Test("that switch a user off keep the account and refuse its user", arguments: ["beforeCreate", "beforeSignIn"])
    func disabled(event: String) async throws {
        let hooked = try await HookedServer.start(Self.both)
        hooked.change(event, mask: "disabled,displayName", ["disabled": true, "displayName": "Off"])
        let answer = try await hooked.signUp()
        #expect(answer.errorMessage == "USER_DISABLED" && answer.status == 400)
        #expect(hooked.asked == (event == "beforeCreate" ? ["beforeCreate"] : Self.both))
        let user = try await hooked.server.admin("accounts:lookup", ["email": ["a@b.c"]])["users"]?[0]
        #expect(user?["disabled"] == true)
        #expect(user?["displayName"] == "Off")
        let sessions = try await hooked.server.core.database.read { try $0.query("SELECT session_id FROM sessions").count }
        #expect(sessions == 0)
    }

    @Test(
        "that switch a provider's user off refuse the sign-in, and give no credential back for another",
        arguments: ["beforeCreate", "beforeSignIn"]
    )
    func disabledAtProvider(event: String) async throws {
        let hooked = try await HookedServer.start(Self.both)
        hooked.change(event, mask: "disabled", ["disabled": true])
        let token = try hooked.server.oidcToken("o", ["email": "a@b.c"])
        let answer = try await hooked.server.signIn("oidc.test", token, ["returnIdpCredential": true])
        #expect(answer.errorMessage == "USER_DISABLED" && answer.status == 400)
        #expect(answer["pendingToken"] == nil && answer["oauthIdToken"] == nil)
        #expect(try await hooked.accounts() == 1)
        await hooked.server.recordRefusals()
        let audit = try await hooked.server.core.database.read { transaction in
            let rows = try transaction.query("SELECT event, detail FROM audit_events ORDER BY occurred_at, event")
            return try rows.map { "\(try $0.text("event")) \(try $0.textIfPresent("detail") ?? "")" }
        }
        #expect(audit.contains { $0.hasPrefix("disabledByFunction") })
        #expect(audit.contains { $0.hasPrefix("refused") && $0.contains("USER_DISABLED") })
    }

    @Test("see a provider's profile, and of its tokens those that are forwarded")
    func credentials() async throws {
        for (forwarded, expected) in [
            ([:] as JSONValue, [] as Set<String>), (["idToken": true], ["oauth_id_token"]),
            (["accessToken": true, "refreshToken": true], ["oauth_access_token"]),
        ] {
            let hooked = try await HookedServer.start(["beforeSignIn"], forwarding: forwarded)
            let token = try hooked.server.oidcToken("o", ["name": "Zoe"])
            let answer = try await hooked.server.signIn("oidc.test", token, form: [("access_token", "their-access")])
            _ = try hooked.server.session(answer)
            let claims = try hooked.claims(0)
            #expect(claims["sign_in_method"] == "oidc.test")
            let profile = try JSONValue.parse(try #require(claims["raw_user_info"]?.string).utf8)
            #expect(profile["name"] == "Zoe")
            #expect(claims["sign_in_attributes"]?.string == nil)
            let shown = Set((claims.object ?? [:]).keys.map(\.text).filter { $0.hasPrefix("oauth_") })
            #expect(shown.isSubset(of: expected), "\(shown)")
            #expect(!forwarded.serialized().elementsEqual("{\"idToken\":true}".utf8) || shown == expected)
        }
    }

    @Test("of the project apply to tenants, and are told which")
    func tenants() async throws {
        let hooked = try await HookedServer.start(["beforeCreate"], project: tenantProject)
        let body: JSONValue = ["email": "a@b.c", "password": "secret-1", "tenantId": "acme"]
        #expect(try await hooked.server.call("signUp", body).status == 200)
        #expect(try hooked.claims(0)["tenant_id"] == "acme")
        #expect(try hooked.claims(0)["user_record"]?["tenant_id"] == "acme")
    }

    private var tenantProject: (FakeIDP) -> String { { _ in "tenants: {acme: {allowPasswordSignup: true}}" } }

    @Test("are asked about passkeys, too")
    func passkeys() async throws {
        let hooked = try await HookedServer.start(["beforeSignIn"], mode: .development)
        let session = try hooked.server.session(try await hooked.signUp())
        let enrollment: JSONValue = ["idToken": .string(session.idToken), "authenticatorRegistrationResponse": ["id": "p"]]
        #expect(try await hooked.server.callV2("passkeyEnrollment:finalize", enrollment).status == 200)
        #expect(hooked.asked.count == 1)
        let response: JSONValue = ["authenticatorAuthenticationResponse": ["id": "p"]]
        #expect(try await hooked.server.callV2("passkeySignIn:finalize", response).status == 200)
        #expect(try hooked.claims(1)["sign_in_method"] == "passkey")
        hooked.answer("beforeSignIn", .init(403, body: []))
        let refused = try await hooked.server.callV2("passkeySignIn:finalize", response)
        #expect(refused.errorMessage?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE") == true)
    }

    @Test("are asked after the second factor, with its name; a refusal uses nothing up")
    func secondFactor() async throws {
        let hooked = try await HookedServer.start([], project: TestServer.factorProject)
        let server = hooked.server
        let enrolled = try await server.enrollApp(try await server.verifiedUser("a@b.c"))
        let trigger: JSONValue = ["beforeSignIn": ["functionUri": .string(hooked.functions.origin + "/beforeSignIn")]]
        let patch: JSONValue = ["blockingFunctions": ["triggers": trigger]]
        #expect(try await server.admin("PATCH", "/config?updateMask=blockingFunctions", patch).status == 200)
        let pending = try await server.signIn("a@b.c")
        #expect(pending["mfaPendingCredential"] != nil)
        #expect(hooked.asked.isEmpty)
        hooked.answer("beforeSignIn", .init(403, json: ["error": ["message": "no", "status": "PERMISSION_DENIED"]]))
        let refused = try await server.show(enrolled, pending)
        #expect(refused.errorMessage?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE : ((HTTP request to ") == true)
        hooked.change("beforeSignIn", mask: "sessionClaims", ["sessionClaims": ["level": 2]])
        let shown = try await server.show(enrolled, pending)
        #expect(shown.status == 200, "\(shown.errorMessage ?? "")")
        let claims = try hooked.claims(1)
        #expect(claims["sign_in_method"] == "password")
        #expect(claims["sign_in_second_factor"] == "totp")
        let factor = claims["user_record"]?["multi_factor"]?["enrolled_factors"]?[0]
        #expect(factor?["uid"] == .string(enrolled.enrollmentID))
        #expect(factor?["factor_id"] == "totp")
        let payload = try server.payload(try #require(shown["idToken"]?.string))
        #expect(payload["level"] == 2)
        #expect(payload["firebase"]?["sign_in_second_factor"] == "totp")
        #expect(try await server.show(enrolled, pending).errorMessage == "INVALID_MFA_PENDING_CREDENTIAL")
    }
}
