import Project
import SAMLTestKit
import TestKit
import Testing

@Suite("SAML providers", .teardown, .timeLimit(.minutes(15)))
struct SAMLTests {
    private let attributes: [(name: String, values: [String])] = [
        ("email", ["Ada@Example.com"]), ("givenName", ["Ada"]), ("sn", ["Lovelace"]), ("groups", ["staff", "engine"]),
    ]

    @Test("sign users in, and tell who they are", arguments: Engine.allCases)
    func signIn(engine: Engine) async throws {
        let stage = try await SAMLStage.start(on: engine)
        let server = stage.server
        let visit = try await stage.begin()
        #expect(visit.request.issuer == SAMLStage.entityID)
        #expect(visit.request.assertionConsumerURL == FlowServer.redirect)
        #expect(!visit.request.isSigned && !visit.request.forceAuthn)
        let answer = try await stage.complete(try stage.form(visit, nameID: "u-1", attributes: attributes), visit)
        let session = try server.session(answer)
        #expect(answer["providerId"] == "saml.test" && answer["federatedId"] == "u-1")
        #expect(answer["email"] == "ada@example.com" && answer["emailVerified"] == false)
        #expect(answer["displayName"] == "Ada Lovelace" && answer["firstName"] == "Ada" && answer["lastName"] == "Lovelace")
        #expect(answer["isNewUser"] == true && answer["oauthIdToken"] == nil && answer["oauthAccessToken"] == nil)
        let expected: JSONValue = [
            "email": "Ada@Example.com", "givenName": "Ada", "groups": ["staff", "engine"], "sn": "Lovelace",
        ]
        #expect(try JSONValue.parse(try #require(answer["rawUserInfo"]?.string).utf8) == expected)
        let claims = try server.payload(session.idToken)["firebase"]
        #expect(claims?["sign_in_provider"] == "saml.test" && claims?["sign_in_attributes"] == expected)
        #expect(claims?["identities"]?["saml.test"] == ["u-1"])
        let refreshed = try await server.refresh(session.refreshToken)
        let renewed = try server.payload(try #require(refreshed["id_token"]?.string))["firebase"]
        #expect(renewed?["sign_in_attributes"] == expected)
        #expect(try await server.entry("saml.test", of: session)["rawId"] == "u-1")
        // The JS SDK makes its credential of this token.
        let pending: JSONValue = ["requestUri": "http://localhost", "pendingToken": try #require(answer["pendingToken"])]
        #expect(try server.session(try await server.call("signInWithIdp", pending)).localID == session.localID)
        expectRefused(try await server.call("signInWithIdp", pending), "INVALID_PENDING_TOKEN")
        let again = try await stage.signIn(nameID: "u-1")
        #expect(try server.session(again).localID == session.localID)
        #expect(again["isNewUser"] == false)
    }

    @Test("link to an account, and to one only; reauthenticate whom they know", arguments: Engine.allCases)
    func linking(engine: Engine) async throws {
        let stage = try await SAMLStage.start(on: engine)
        let server = stage.server
        let noAccount: JSONValue = ["autoCreate": false]
        expectRefused(try await stage.signIn(extra: noAccount), "USER_NOT_FOUND")
        let anonymous = try server.session(try await server.call("signUp", [:]))
        let linked = try await stage.signIn(extra: anonymous.token)
        #expect(try server.session(linked).localID == anonymous.localID)
        #expect(try await server.entry("saml.test", of: anonymous)["rawId"]?.string == SAMLStage.email)
        let other = try server.session(try await server.call("signUp", [:]))
        let taken = try await stage.signIn(extra: ["idToken": .string(other.idToken), "returnIdpCredential": true])
        #expect(taken["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED" && taken["idToken"] == nil)
        let pending: JSONValue = ["requestUri": "http://localhost", "pendingToken": try #require(taken["pendingToken"])]
        #expect(try server.session(try await server.call("signInWithIdp", pending)).localID == anonymous.localID)
        let fresh = try server.session(try await stage.signIn(extra: noAccount))
        #expect(fresh.localID == anonymous.localID)
        #expect(try await server.call("delete", fresh.token).status == 200)
    }

    @Test("take no account over by an address, but for the domains that the configuration names")
    func takeover() async throws {
        let stage = try await SAMLStage.start()
        let server = stage.server
        let proof = TestServer.email(SAMLStage.email)
        let owner = try server.session(try await server.signIn("oidc.test", server.oidcToken("owner", proof)))
        let asked = try await stage.signIn()
        #expect(asked["needConfirmation"] == true && asked["idToken"] == nil)
        #expect(asked["verifiedProvider"] == ["oidc.test"])
        let joined = try await stage.signIn("saml.trusted")
        #expect(try server.session(joined).localID == owner.localID)
        #expect(joined["emailVerified"] == true)
        // Neither the domains below, nor names that look alike, nor an attribute of another domain count.
        for address in ["ada@sub.example.com", "ada@example.com.evil.example", "ada@notexample.com"] {
            let victim = try await server.signUp(address)
            let answer = try await stage.signIn("saml.trusted", nameID: address)
            #expect(answer["needConfirmation"] == true && answer["idToken"] == nil, "\(address)")
            #expect(try await server.signIn(address)["localId"]?.string == victim.localID)
        }
    }

    @Test(
        "take a name for an address only where the provider says that it is one",
        arguments: [
            ("1.1:nameid-format:unspecified", nil, false), ("2.0:nameid-format:persistent", nil, false),
            ("1.1:nameid-format:WindowsDomainQualifiedName", nil, false), ("2.0:nameid-format:kerberos", nil, false),
            ("1.1:nameid-format:emailAddress", "eve@example.com", false), ("2.0:nameid-format:emailAddress", nil, true),
            ("2.0:nameid-format:persistent", SAMLStage.email, true),
        ]
    )
    func namesLikeAddresses(format: String, attribute: String?, isVerified: Bool) async throws {
        let stage = try await SAMLStage.start()
        let proof = TestServer.email(SAMLStage.email)
        let owner = try stage.server.session(try await stage.server.signIn("oidc.test", stage.server.oidcToken("owner", proof)))
        let visit = try await stage.begin("saml.trusted")
        let attributes = attribute.map { [(name: "mail", values: [$0])] } ?? []
        let form = try stage.form(visit, attributes: attributes) { response in
            response.assertion?.nameIDFormat = "urn:oasis:names:tc:SAML:\(format)"
        }
        let answer = try await stage.complete(form, visit)
        #expect((answer["localId"]?.string == owner.localID && answer["idToken"] != nil) == isVerified)
    }

    @Test("take two addresses that differ for no proof of either, in one attribute or in two")
    func twoAddresses() async throws {
        let stage = try await SAMLStage.start()
        let server = stage.server
        let owner = try server.session(
            try await server.signIn("oidc.test", server.oidcToken("owner", TestServer.email(SAMLStage.email)))
        )
        let other = "eve@example.com"
        let cases: [(attributes: [(name: String, values: [String])], isVerified: Bool)] = [
            ([("email", [SAMLStage.email, other])], false), ([("email", [other, SAMLStage.email])], false),
            ([("mail", [SAMLStage.email]), ("urn:oid:0.9.2342.19200300.100.1.3", [other])], false),
            ([("mail", [SAMLStage.email, "Ada <ada@example.org>"])], false),
            ([("email", [SAMLStage.email, "Ada@Example.com", ""]), ("mail", [SAMLStage.email])], true),
        ]
        for (index, (attributes, isVerified)) in cases.enumerated() {
            let visit = try await stage.begin("saml.trusted")
            let form = try stage.form(visit, nameID: "u-\(index)", attributes: attributes) { response in
                response.assertion?.nameIDFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
            }
            let answer = try await stage.complete(form, visit)
            #expect((answer["localId"]?.string == owner.localID && answer["idToken"] != nil) == isVerified, "\(attributes)")
        }
    }

    @Test("are understood by the names of SAML 1, too, which pysaml2 and Shibboleth write")
    func oldNames() async throws {
        let stage = try await SAMLStage.start()
        let prefix = "urn:mace:dir:attribute-def:"
        for (index, mail) in ["mail", "email", "emailAddress", "rfc822Mailbox", "pkcs9email"].enumerated() {
            let names = index == 0 ? [("givenName", "Grace"), ("sn", "Hopper")] : [("displayName", "Grace Hopper")]
            let attributes = ([(mail, "grace\(index)@example.com")] + names).map { (name: prefix + $0, values: [$1]) }
            let answer = try await stage.signIn("saml.trusted", nameID: "grace-\(index)", attributes: attributes)
            #expect(answer["email"]?.string == "grace\(index)@example.com" && answer["emailVerified"] == true, "\(mail)")
            #expect(answer["displayName"] == "Grace Hopper", "\(mail)")
        }
    }

    @Test("take an account with a password of nobody knows whom over, and end the password")
    func plantedPassword() async throws {
        let stage = try await SAMLStage.start()
        let planted = try await stage.server.signUp(SAMLStage.email)
        #expect(try await stage.signIn()["needConfirmation"] == true)
        let joined = try stage.server.session(try await stage.signIn("saml.trusted"))
        #expect(joined.localID == planted.localID)
        #expect(try await stage.server.signIn(SAMLStage.email).status == 400)
        #expect(try await stage.server.refresh(planted.refreshToken).status == 400)
    }

    @Test("of a tenant and of the project are strangers to each other")
    func tenants() async throws {
        let stage = try await SAMLStage.start()
        let tenant: JSONValue = ["tenantId": "acme"]
        let visit = try await stage.begin("saml.test", tenant)
        let form = try stage.form(visit, by: stage.other)
        expectRefused(try await stage.complete(form, visit))
        let answer = try await stage.complete(form, visit, tenant)
        let inside = try stage.server.session(answer)
        #expect(answer["tenantId"] == "acme")
        let claims = try stage.server.payload(inside.idToken)["firebase"]
        #expect(claims?["tenant"] == "acme")
        // The same response completes nothing of the project, and the project's provider nothing of the tenant.
        let project = try await stage.begin()
        expectRefused(try await stage.complete(form, project))
        let crossed = try await stage.begin("saml.test", tenant)
        expectRefused(try await stage.complete(try stage.form(crossed), crossed, tenant))
        let outside = try stage.server.session(try await stage.signIn())
        #expect(outside.localID != inside.localID)
    }

    @Test("ask blocking functions, with the attributes")
    func hooks() async throws {
        let project = try SAMLStage.project
        let hooked = try await HookedServer.start(["beforeCreate", "beforeSignIn"], project: project)
        let stage = SAMLStage(server: hooked.server)
        hooked.change("beforeCreate", mask: "displayName", ["displayName": "By function"])
        let session = try hooked.server.session(try await stage.signIn(attributes: [("team", ["engine"])]))
        #expect(hooked.asked == ["beforeCreate", "beforeSignIn"])
        let claims = try hooked.claims(0)
        #expect(claims["sign_in_method"] == "saml.test")
        #expect(claims["sign_in_attributes"]?["team"] == "engine")
        #expect(try await hooked.server.account(session)["displayName"] == "By function")
    }

    @Test("stay the emulator's in development, and are real where one is configured")
    func development() async throws {
        let stage = try await SAMLStage.start(mode: .development)
        let standIn = #"{"assertion": {"subject": {"nameId": "ada@example.com"}, "attributeStatements": {"team": "x"}}}"#
        let form = TestClient.encode([("providerId", "saml.test"), ("SAMLResponse", standIn)])
        let body: JSONValue = ["requestUri": "http://localhost", "postBody": .string(form)]
        _ = try stage.server.session(try await stage.server.call("signInWithIdp", body))
        _ = try stage.server.session(try await stage.signIn(nameID: "u-1"))
        let visit = try await stage.begin()
        expectRefused(try await stage.complete(SAMLStage.form(standIn, visit.relayState), visit))
    }
}
