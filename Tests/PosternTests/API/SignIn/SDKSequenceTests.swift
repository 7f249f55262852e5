import Foundation
import Project
import TestKit
import Testing

@Suite("In development, the calls that client SDKs make one after another", .teardown, .timeLimit(.minutes(15)))
struct SDKSequenceTests {
    /// One SDK: its spelling of paths, and the headers of every call.
    private struct SDK {
        let server: TestServer
        let headers: [(String, String)]
        let path: (String) -> String

        func callAsFunction(_ name: String, _ body: JSONValue, status: Int = 200) async throws -> TestClient.Answer {
            let json = [("Content-Type", "application/json")]
            let address = path(name) + "?key=fake"
            let answer = try await server.client.send("POST", address, headers: json + headers, body: Data(body.text.utf8))
            #expect(answer.status == status, "\(name): \(answer.errorMessage ?? "")")
            return answer
        }
    }

    private func lastCode(_ server: TestServer) async throws -> JSONValue {
        let answer = try await server.client.get("/emulator/v1/projects/demo-test/verificationCodes")
        return try #require(answer["verificationCodes"]?.array?.last?["code"])
    }

    @Test("work for the JavaScript SDK")
    func javaScript() async throws {
        let server = try await TestServer.startEmulator()
        let headers = [
            ("Origin", "https://my.app.example"), ("X-Client-Version", "Chrome/JsCore/11.0.0/FirebaseCore-web"),
            ("X-Firebase-gmpid", "1:1:web:1"), ("X-Firebase-AppCheck", "e30"), ("X-Firebase-Locale", "de"),
        ]
        let js = SDK(server: server, headers: headers) { "/identitytoolkit.googleapis.com/v1/accounts:\($0)" }
        // signInAnonymously, linkWithCredential, updateProfile, getIdToken(true), unlink, delete
        let guest = try server.session(try await js("signUp", ["returnSecureToken": true]))
        let password: JSONValue = ["email": "js@b.c", "password": "secret-1", "returnSecureToken": true]
        let linked = try await js("signUp", password.merging(guest.token))
        #expect(linked["localId"]?.string == guest.localID)
        let token = linked["idToken"] ?? .null
        let user = try await js("lookup", ["idToken": token])["users"]?.array?.first
        #expect(user?["createdAt"]?.string != nil)
        #expect(user?["providerUserInfo"]?.array?.first?["providerId"] == "password")
        let profile: JSONValue = ["idToken": token, "displayName": "J", "photoUrl": .null, "returnSecureToken": true]
        #expect(try await js("update", profile)["displayName"] == "J")
        let pairs = [("grant_type", "refresh_token"), ("refresh_token", linked["refreshToken"]?.string ?? "")]
        let refreshed = try await server.client.post("/securetoken.googleapis.com/v1/token?key=fake", form: pairs)
        #expect(refreshed["expires_in"] == "3600")
        // signInWithPopup: what the widget hands over
        let claims: JSONValue = ["sub": "g-1", "email": "g@b.c", "email_verified": true]
        let uri =
            "http://127.0.0.1/emulator/auth/handler?"
            + TestClient.encode([("providerId", "google.com"), ("id_token", claims.text)])
        let popup = try await js(
            "signInWithIdp",
            [
                "requestUri": .string(uri), "sessionId": "ValueNotUsedByAuthEmulator", "postBody": "", "tenantId": .null,
                "pendingToken": .null, "returnSecureToken": true, "returnIdpCredential": true,
            ]
        )
        #expect(popup["isNewUser"] == true)
        #expect(popup["oauthIdToken"]?.string == claims.text)
        // signInWithPhoneNumber with a mock verifier
        let sent = try await js(
            "sendVerificationCode",
            ["phoneNumber": "+15555550100", "recaptchaToken": "fake", "clientType": "CLIENT_TYPE_WEB"]
        )
        let phone: JSONValue = ["sessionInfo": sent["sessionInfo"] ?? .null, "code": try await lastCode(server)]
        #expect(try await js("signInWithPhoneNumber", phone)["isNewUser"] == true)
        _ = try await js("update", ["idToken": token, "deleteProvider": ["password"]])
        _ = try await js("delete", ["idToken": token])
        _ = try await js("signInWithPassword", password, status: 400)
    }

    @Test("work for the iOS SDK")
    func iOS() async throws {
        let server = try await TestServer.startEmulator()
        let headers = [
            ("X-Client-Version", "iOS/FirebaseSDK/11.0.0/FirebaseCore-iOS"), ("X-Ios-Bundle-Identifier", "com.example.app"),
        ]
        let ios = SDK(server: server, headers: headers) { "/www.googleapis.com/identitytoolkit/v3/relyingparty/\($0)" }
        let v2 = SDK(server: server, headers: headers) { "/identitytoolkit.googleapis.com/v2/accounts/\($0)" }
        let password: JSONValue = ["email": "ios@b.c", "password": "secret-1", "returnSecureToken": true]
        let created = try server.session(try await ios("signupNewUser", password))
        _ = try await ios("getAccountInfo", created.token)
        let verify: JSONValue = ["requestType": 4, "idToken": .string(created.idToken)]
        _ = try await ios("getOobConfirmationCode", verify)
        let code = try #require(try await server.waitingCodes().last?["oobCode"])
        #expect(try await ios("setAccountInfo", ["oobCode": code])["emailVerified"] == true)
        let apple = "providerId=apple.com&id_token={\"sub\":\"a-1\"}&nonce=n&user={\"name\":{\"firstName\":\"A\"}}"
        let credential: JSONValue = [
            "requestUri": "http://localhost", "postBody": .string(apple), "returnSecureToken": true,
            "returnIdpCredential": true, "autoCreate": true,
        ]
        #expect(try await ios("verifyAssertion", credential)["providerId"] == "apple.com")
        _ = try await ios("verifyCustomToken", ["token": "{\"uid\": \"c-1\"}", "returnSecureToken": true])

        // A second factor, enrolled and shown
        let token: JSONValue = .string(created.idToken)
        let enrollment: JSONValue = ["idToken": token, "phoneEnrollmentInfo": ["phoneNumber": "+15555550101"]]
        let started = try await v2("mfaEnrollment:start", enrollment)
        let shown: JSONValue = [
            "sessionInfo": started["phoneSessionInfo"]?["sessionInfo"] ?? .null, "code": try await lastCode(server),
        ]
        _ = try await v2("mfaEnrollment:finalize", ["idToken": token, "phoneVerificationInfo": shown])
        let pending = try await ios("verifyPassword", password)
        #expect(pending["idToken"] == nil)
        let wait: JSONValue = ["mfaPendingCredential": pending["mfaPendingCredential"] ?? .null]
        let factor = pending["mfaInfo"]?.array?.first?["mfaEnrollmentId"] ?? .null
        let sent = try await v2("mfaSignIn:start", wait.merging(["mfaEnrollmentId": factor, "phoneSignInInfo": [:]]))
        let answer: JSONValue = [
            "sessionInfo": sent["phoneResponseInfo"]?["sessionInfo"] ?? .null, "code": try await lastCode(server),
        ]
        let done = try await v2("mfaSignIn:finalize", wait.merging(["phoneVerificationInfo": answer]))
        let refresh: JSONValue = ["grantType": "refresh_token", "refreshToken": done["refreshToken"] ?? .null]
        let refreshed = try await server.client.post("/securetoken.googleapis.com/v1/token?key=fake", refresh)
        #expect(refreshed["expires_in"] == "3600")
        _ = try await ios("deleteAccount", ["idToken": done["idToken"] ?? .null])
    }
}
