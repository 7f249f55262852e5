import Foundation
import Project
import TestKit
import Testing
import Tokens

@Suite("Development mode is as lenient as the Firebase emulator", .teardown, .timeLimit(.minutes(15)))
struct EmulatorLeniencyTests {
    private let owner = ("Authorization", "Bearer owner")

    /// A token with an invalid signature: zeros that are not valid Base64, as in the emulator's own tests.
    private func zeroed(_ claims: JSONValue) -> String {
        TestKey.segments(["alg": "RS256", "kid": "k", "typ": "JWT"], claims) + "." + String(repeating: "0", count: 342)
    }

    @Test("a token's signature may be anything, whoever reads the token")
    func signatures() async throws {
        let server = try await TestServer.startEmulator()
        let google = try server.session(try await server.signIn("google.com", zeroed(["sub": "g"])))
        let form = [("providerId", "facebook.com"), ("access_token", zeroed(["sub": "f"]))]
        let body: JSONValue = ["requestUri": "http://localhost", "postBody": .string(TestClient.encode(form))]
        #expect(try await server.call("signInWithIdp", body).status == 200)
        let custom = zeroed(["aud": .string(CustomToken.audience), "uid": "c"])
        #expect(try await server.call("signInWithCustomToken", ["token": .string(custom)]).status == 200)
        let claims = try CompactJWS(unverified: google.idToken).payload
        let idToken = JSONValue.string(zeroed(claims))
        #expect(try await server.call("lookup", ["idToken": idToken])["users"]?[0]?["localId"]?.string == google.localID)
        let cookie = try await server.client.post(
            "/v1/projects/demo-test:createSessionCookie",
            ["idToken": idToken],
            headers: [owner]
        )
        #expect(cookie.status == 200)
    }

    @Test("the name beside an unsigned token of Apple's is taken, whichever part there is")
    func appleName() async throws {
        let server = try await TestServer.startEmulator()
        let names: [(JSONValue, String)] = [
            (["firstName": "Ada", "lastName": "Byron"], "Ada Byron"), (["firstName": "Ada"], "Ada"),
            (["lastName": "Byron"], "Byron"),
        ]
        for (name, full) in names {
            let user: JSONValue = ["name": name]
            let claims: JSONValue = ["sub": .string(full)]
            let answer = try await server.signIn("apple.com", claims.text, form: [("user", user.text)])
            #expect(answer["displayName"]?.string == full)
            #expect(answer["fullName"]?.string == full)
            #expect(try await server.account(try server.session(answer))["displayName"]?.string == full)
        }
        let claims: JSONValue = ["sub": "named", "name": "N"]
        #expect(try await server.signIn("apple.com", claims.text, form: [("user", "{}")])["displayName"] == "N")
    }

    @Test("a client may end its sessions with any validSince, and is given new tokens")
    func validSince() async throws {
        let server = try await TestServer.startEmulator()
        for value in ["0", 0, "1", true] as [JSONValue] {
            let session = try server.session(try await server.call("signUp", [:]))
            server.clock.advance(by: .seconds(2))
            let answer = try await server.call("update", ["idToken": .string(session.idToken), "validSince": value])
            let renewed = try #require(answer["idToken"])
            #expect(try await server.call("lookup", session.token).errorMessage == "TOKEN_EXPIRED")
            #expect(try await server.call("lookup", ["idToken": renewed]).status == 200)
        }
    }

    @Test("a client may link an identity that it names; production lets administrators alone do so")
    func linking() async throws {
        let link: JSONValue = ["providerId": "google.com", "rawId": "g", "displayName": "G"]
        do {
            let server = try await TestServer.startEmulator()
            let session = try await server.signUp("a@b.c")
            func update(_ link: JSONValue, _ session: TestServer.Session) async throws -> TestClient.Answer {
                try await server.call("update", ["idToken": .string(session.idToken), "linkProviderUserInfo": link])
            }
            #expect(try await update(link, session)["providerUserInfo"]?.array?.count == 2)
            let linked = try await server.account(session)["providerUserInfo"]?.array?.compactMap { $0["rawId"]?.string }
            #expect(Set(linked ?? []) == ["a@b.c", "g"])
            #expect(try await update(["providerId": "google.com"], session).errorMessage == "MISSING_RAW_ID")
            #expect(try await update(["rawId": "g"], session).errorMessage == "MISSING_PROVIDER_ID")
            let other = try await server.signUp("b@b.c")
            #expect(try await update(link, other).errorMessage == "FEDERATED_USER_ID_ALREADY_LINKED")
        }
        let server = try await TestServer.start(project: TestServer.emailProject())
        let session = try await server.signUp("a@b.c")
        let body: JSONValue = ["idToken": .string(session.idToken), "linkProviderUserInfo": link]
        #expect(try await server.call("update", body).status == 200)
        #expect(try await server.account(session)["providerUserInfo"]?.array?.count == 1)
    }

    @Test("a refresh token that is none is refused before the grant type is missed")
    func refreshOrder() async throws {
        let server = try await TestServer.startEmulator()
        let path = "/securetoken.googleapis.com/v1/token?key=k"
        let session = try server.session(try await server.call("signUp", [:]))
        for (token, error) in [("garbage", "INVALID_REFRESH_TOKEN"), (session.refreshToken, "MISSING_GRANT_TYPE")] {
            #expect(try await server.client.post(path, form: [("refresh_token", token)]).errorMessage == error)
        }
    }

    @Test("each refresh gives another refresh token, and all of them go on working")
    func refreshTokens() async throws {
        do {
            let server = try await TestServer.startEmulator()
            let session = try server.session(try await server.call("signUp", [:]))
            var known = [session.refreshToken]
            for _ in 1...3 {
                let answer = try await server.refresh(known.last ?? "")
                known.append(try #require(answer["refresh_token"]?.string, "\(answer.errorMessage ?? "")"))
            }
            #expect(Set(known).count == 4)
            for token in known { #expect(try await server.refresh(token)["user_id"]?.string == session.localID) }
            for altered in [known[0] + ".", known[0] + ".a.b", known[1] + "x", String(known[1].dropLast())] {
                #expect(try await server.refresh(altered).errorMessage == "INVALID_REFRESH_TOKEN", "\(altered)")
            }
        }
        let server = try await TestServer.start()
        let session = try server.session(try await server.call("signUp", [:]))
        #expect(try await server.refresh(session.refreshToken)["refresh_token"]?.string == session.refreshToken)
        #expect(try await server.refresh(session.refreshToken + ".x").errorMessage == "INVALID_REFRESH_TOKEN")
    }

    @Test("other projects are served with a word in the log, or none is in single project mode")
    func singleProject() async throws {
        let path = "/emulator/v1/projects/someproject/config"
        do {
            let server = try await TestServer.startEmulator()
            for _ in 1...2 { #expect(try await server.client.get(path).status == 200) }
            #expect(server.log.lines.filter { $0.contains("someproject") }.count == 1)
        }
        let server = try await TestServer.startEmulator(["POSTERN_DEVELOPMENT_SINGLE_PROJECT": "true"])
        let answer = try await server.client.get(path)
        #expect(answer.status == 400)
        #expect(answer.errorMessage?.contains("single project mode") == true)
        #expect(try await server.client.get("/emulator/v1/projects/demo-test/config").status == 200)
        let body: JSONValue = ["targetProjectId": "someproject"]
        let elsewhere = try await server.client.post("/v1/accounts:signUp", body, headers: [owner])
        #expect(elsewhere.errorMessage?.contains("single project mode") == true)
    }

    @Test("the last second factor that a client withdraws leaves an empty list, one that an administrator removes leaves none")
    func emptyFactorList() async throws {
        let server = try await TestServer.startEmulator()
        let session = try await server.verifiedUser("a@b.c")
        let app = try await server.enrollApp(session)
        let body: JSONValue = ["idToken": .string(app.session.idToken), "mfaEnrollmentId": .string(app.enrollmentID)]
        #expect(try await server.callV2("mfaEnrollment:withdraw", body).status == 200)
        #expect(try await server.account(app.session)["mfaInfo"] == [])
        #expect(try await server.callAsAdmin("update", ["localId": .string(session.localID), "mfa": [:]]).status == 200)
        #expect(try await server.account(app.session)["mfaInfo"] == nil)
    }
}
