import Foundation
import Project
import TestKit
import Testing

extension EmulatorDropInTests {
    @Test("make ID tokens of their own")
    func idTokens() async throws {
        let server = try await TestServer.startEmulator()
        let session = try await server.signUp("a@b.c")
        let claims = try server.payload(session.idToken)
        let issuedAt = try #require(claims["iat"]?.integer)
        let user: JSONValue = .string(session.localID)
        for token in [
            HostileToken.unsigned(["user_id": user, "iat": .integer(issuedAt), "firebase": [:]]),
            HostileToken.unsigned(claims.merging(["exp": 1])),
            HostileToken.unsigned(claims.merging(["iss": "x", "aud": "y", "iat": .integer(issuedAt + 100_000)])),
            try TestKey.rsa(kid: "unknown").token(claims: claims),
        ] {
            let answer = try await server.call("lookup", ["idToken": .string(token)])
            #expect(answer["users"]?.array?.first?["localId"] == user, "\(answer.errorMessage ?? "")")
        }
        for (token, message) in [
            (HostileToken.unsigned(claims.merging(["user_id": "nobody"])), "USER_NOT_FOUND"),
            ("garbage", "INVALID_ID_TOKEN"), (HostileToken.unsigned(["iat": 1]), "INVALID_ID_TOKEN"),
        ] {
            #expect(try await server.call("lookup", ["idToken": .string(token)]).errorMessage == message)
        }
        let update: JSONValue = ["localId": user, "validSince": .integer(issuedAt + 1)]
        let path = "/v1/projects/demo-test/accounts:update"
        #expect(try await server.client.post(path, update, headers: [owner]).status == 200)
        let revoked = try await server.call("lookup", session.token)
        #expect(revoked.errorMessage == "TOKEN_EXPIRED")
    }

    @Test("make custom tokens of their own")
    func customTokens() async throws {
        let server = try await TestServer.startEmulator()
        let audience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
        let claims: JSONValue = ["uid": "ada", "aud": .string(audience), "exp": 1]
        for token in [
            "{\"uid\": \"ada\", \"claims\": {\"role\": \"x\"}}", HostileToken.unsigned(claims),
            try TestKey.rsa(kid: "unknown").token(claims: claims),
        ] {
            let answer = try await server.call("signInWithCustomToken", ["token": .string(token)])
            let idToken = try #require(answer["idToken"]?.string, "\(answer.errorMessage ?? "")")
            #expect(try server.payload(idToken)["user_id"] == "ada")
        }
        let foreign = HostileToken.unsigned(["uid": "ada", "aud": "elsewhere"])
        let answer = try await server.call("signInWithCustomToken", ["token": .string(foreign)])
        #expect(answer.errorMessage?.hasPrefix("INVALID_CUSTOM_TOKEN : ((Invalid aud (audience): elsewhere") == true)
    }

    @Test("write SAML assertions as JSON")
    func saml() async throws {
        do {
            let server = try await TestServer.startEmulator()
            func signIn(_ response: JSONValue, _ token: String?) async throws -> TestClient.Answer {
                let pairs =
                    [("providerId", "saml.test"), ("SAMLResponse", response.text)] + (token.map { [("id_token", $0)] } ?? [])
                return try await server.call(
                    "signInWithIdp",
                    [
                        "requestUri": "http://localhost", "returnIdpCredential": true, "returnSecureToken": true,
                        "postBody": .string(TestClient.encode(pairs)),
                    ]
                )
            }
            let subject: JSONValue = ["nameId": "a@b.c"]
            let full: JSONValue = ["assertion": ["subject": subject, "attributeStatements": ["team": ["red"]]]]
            let answer = try await signIn(full, "{\"sub\": \"s-1\"}")
            #expect(answer["email"] == "a@b.c")
            #expect(answer["emailVerified"] == true)
            #expect(answer["rawUserInfo"] == "{\"team\":[\"red\"]}")
            let token = try server.payload(try server.session(answer).idToken)
            #expect(token["firebase"]?["sign_in_attributes"] == ["team": ["red"]])
            #expect(token["firebase"]?["identities"]?["saml.test"] == ["s-1"])
            let alone = try await signIn(["assertion": ["subject": ["nameId": "d@e.f"]]], nil)
            #expect(alone["federatedId"] == "d@e.f")
            for (response, part) in [
                ([:], "assertion"), (["assertion": [:]], "assertion.subject"),
                (["assertion": ["subject": [:]]], "assertion.subject.nameId"),
            ] as [(JSONValue, String)] {
                let refused = try await signIn(response, "{\"sub\": \"s-1\"}")
                #expect(refused.errorMessage == "INVALID_IDP_RESPONSE ((Missing \(part) in SAMLResponse.))")
            }
            for text in ["zz", "PD94bWw+"] {
                let form = [("SAMLResponse", text)]
                let refused = try await server.signIn("saml.test", "{\"sub\": \"s-1\"}", form: form)
                #expect(refused.errorMessage?.hasPrefix("INVALID_IDP_RESPONSE : Unable to parse SAMLResponse.") == true)
            }
        }
        let server = try await TestServer.start()
        let body =
            "providerId=saml.test&SAMLResponse=%7B%22assertion%22%3A%7B%22subject%22%3A%7B%22nameId%22%3A%22a%40b.c%22%7D%7D%7D"
        let answer = try await server.call("signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(body)])
        #expect(answer.status == 400)
        #expect(answer["idToken"] == nil)
    }

    @Test("find Google's profile in Google's words")
    func googleProfile() async throws {
        let server = try await TestServer.startEmulator()
        let claims: JSONValue = ["sub": "g-1", "email": "a@b.c", "email_verified": true, "given_name": "Ada"]
        for token in [claims.text, HostileToken.unsigned(claims)] {
            let raw = try await server.signIn("google.com", token)["rawUserInfo"]?.string ?? ""
            let scope = "https://www.googleapis.com/auth/userinfo."
            #expect(
                try JSONValue.parse(raw.utf8) == [
                    "id": "g-1", "email": "a@b.c", "verified_email": true, "given_name": "Ada", "locale": "en",
                    "granted_scopes": .string("openid \(scope)profile \(scope)email"),
                ]
            )
        }
    }
}
