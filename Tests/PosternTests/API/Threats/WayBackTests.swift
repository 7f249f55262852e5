import Foundation
import Project
import Storage
import TestKit
import Testing

@Suite("What a stolen session changes can be taken back by mail", .teardown, .timeLimit(.minutes(15)))
struct WayBackTests {
    static let owner = "owner@example.com"

    func start(on engine: Engine = .sqlite) async throws -> (TestServer, SMTPServer) {
        let smtp = try await SMTPServer.start()
        let environment = PlantingTests.environment.merging(
            [
                "POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_SMTP_URL": "smtp://127.0.0.1:\(smtp.port)",
                "POSTERN_EMAIL_FROM": "Postern <noreply@example.com>",
            ]
        ) { $1 }
        let server = try await TestServer.start(environment: environment, project: PlantingTests.project, on: engine)
        return (server, smtp)
    }

    func message(_ number: Int, of smtp: SMTPServer) async throws -> (text: String, code: JSONValue) {
        let text = try #require(try await smtp.message(number)["parts"]?["text/plain"]?.string)
        let code = try #require(text.firstMatch(of: /oobCode=([A-Za-z0-9_-]+)/).map { String($0.1) })
        return (text, .string(code))
    }

    @Test(
        "an address that was moved: the owner gets it back, and all that came after it goes (LNK-11)",
        arguments: Engine.allCases
    )
    func movedAddress(engine: Engine) async throws {
        let (server, smtp) = try await start(on: engine)
        let owner = try await server.verifiedUser(Self.owner)
        _ = try await server.signIn("oidc.test", server.oidcToken("owner"), ["idToken": .string(owner.idToken)])
        _ = try await message(1, of: smtp)
        // Further than the clocks of two nodes are apart: what is nearer may be the thief's.
        server.clock.advance(by: .seconds(6))
        try await server.forgetCodes("RECOVER_EMAIL")
        let move: JSONValue = ["idToken": .string(owner.idToken), "newEmail": "thief@evil.example"]
        let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", move)
        #expect(try await server.call("update", ["oobCode": .string(change)])["newEmail"] == "thief@evil.example")
        let (_, recover) = try await message(2, of: smtp)
        // The thief's own sign-in methods, added in the same second.
        let reset = try await server.code("PASSWORD_RESET", ["email": "thief@evil.example"])
        #expect(try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"]).status == 200)
        let thief = try server.session(try await server.signIn("thief@evil.example", password: "secret-2"))
        let ground = PlantingGround(server: server, account: thief, email: "thief@evil.example")
        _ = try await ground.linkProvider()
        try await ground.linkPhone()
        let passkey = SoftwareAuthenticator()
        #expect(try await ground.register(passkey, ground.passkeyChallenge()).status == 200)
        try await ground.addFactor()
        let later = try await server.code("VERIFY_EMAIL", thief.token)

        let recovered = try await server.call("update", ["oobCode": recover])
        #expect(recovered["email"] == .string(Self.owner) && recovered["emailVerified"] == true, "\(recovered.json)")
        #expect(try await server.refresh(thief.refreshToken).errorMessage == "TOKEN_EXPIRED")
        let user = try #require(try await server.user(owner.localID))
        #expect(user["providerUserInfo"]?.array?.compactMap { $0["providerId"] } == ["oidc.test"], "\(user)")
        #expect(user["phoneNumber"] == nil && user["mfaInfo"] == nil && user["passkeyInfo"] == nil, "\(user)")
        #expect(try await server.signIn(Self.owner, password: "secret-2").errorMessage == "INVALID_PASSWORD")
        #expect(try await server.call("update", ["oobCode": .string(later)]).errorMessage == "INVALID_OOB_CODE")
        #expect(try await server.codes("RECOVER_EMAIL", to: "thief@evil.example") == 0)
    }

    @Test("a way in that was added or removed: the owner is told, and one step takes it back (PKY-09)")
    func addedWays() async throws {
        let (server, smtp) = try await start()
        let owner = try await server.verifiedUser(Self.owner)
        let ground = PlantingGround(server: server, account: owner, email: Self.owner)
        _ = try await server.signIn("oidc.test", server.oidcToken("before"), ["idToken": .string(owner.idToken)])
        #expect(try await message(1, of: smtp).text.contains("signing in with oidc.test was added"))
        try await server.forgetCodes("RECOVER_EMAIL")
        server.clock.advance(by: .seconds(6))
        let passkey = SoftwareAuthenticator()
        #expect(try await ground.register(passkey, ground.passkeyChallenge()).status == 200)
        let (text, code) = try await message(2, of: smtp)
        #expect(text.contains("a passkey was added"))
        _ = try await ground.linkProvider()
        #expect(try await message(3, of: smtp).text.contains("signing in with oidc.other was added"))
        try await ground.linkPhone()
        #expect(try await message(4, of: smtp).text.contains("a phone number to sign in with was added"))
        let removed = try await server.call("update", owner.token.merging(["deleteProvider": ["password", "phone"]]))
        #expect(removed.status == 200, "\(removed.json)")
        let removal = try await message(5, of: smtp).text
        #expect(removal.contains("the password was removed") && removal.contains("the phone number was removed"))

        let page = try await server.client.get(
            "/__/auth/action?mode=recoverEmail&oobCode=\(code.string ?? "")&apiKey=\(TestServer.apiKey)"
        )
        #expect(String(decoding: page.bytes, as: UTF8.self).contains("Secure your account"))
        let secured = try await server.call("update", ["oobCode": code])
        #expect(secured["email"] == .string(Self.owner) && secured["emailVerified"] == true, "\(secured.json)")
        let user = try #require(try await server.user(owner.localID))
        #expect(user["providerUserInfo"]?.array?.compactMap { $0["providerId"] } == ["oidc.test"], "\(user)")
        #expect(user["passkeyInfo"] == nil)
        #expect(try await server.refresh(owner.refreshToken).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.codes("RECOVER_EMAIL", to: Self.owner) == 0)
    }

    @Test("a user of a provider in the place of another one: the owner is told of both")
    func exchangedWays() async throws {
        let (server, smtp) = try await start()
        let owner = try await server.verifiedUser(Self.owner)
        _ = try await server.signIn("oidc.test", server.oidcToken("before"), owner.token)
        _ = try await message(1, of: smtp)
        #expect(try await server.signIn("oidc.test", server.oidcToken("after"), owner.token).status == 200)
        let text = try await message(2, of: smtp).text
        #expect(text.contains("signing in with oidc.test was added"))
        #expect(text.contains("signing in with oidc.test was removed"))
    }

    @Test("a second factor that was withdrawn: the owner is told, and one step ends the session (MFA-05)")
    func withdrawnFactor() async throws {
        let (server, smtp) = try await start()
        let owner = try await server.verifiedUser(Self.owner)
        let enrolled = try await server.enrollApp(owner)
        #expect(try await message(1, of: smtp).text.contains("A second sign-in step was added"))
        let body: JSONValue = ["idToken": .string(enrolled.session.idToken), "mfaEnrollmentId": .string(enrolled.enrollmentID)]
        let withdrawn = try await server.callV2("mfaEnrollment:withdraw", body)
        #expect(withdrawn.status == 200, "\(withdrawn.json)")
        let (text, code) = try await message(2, of: smtp)
        #expect(text.contains("a second sign-in step was removed"))
        #expect(try await server.call("update", ["oobCode": code]).status == 200)
        let refreshToken = try #require(withdrawn["refreshToken"]?.string)
        #expect(try await server.refresh(refreshToken).errorMessage == "TOKEN_EXPIRED")
    }

    @Test(
        "a reset by mail removes what was added since the address was proven, but no second factor, and says so",
        arguments: Engine.allCases
    )
    func resetOfProvenAccount(engine: Engine) async throws {
        let (server, smtp) = try await start(on: engine)
        let session = try await server.signUp(Self.owner)
        _ = try await server.signIn("oidc.test", server.oidcToken("owner"), session.token)
        let verify = try await server.code("VERIFY_EMAIL", session.token)
        #expect(try await server.call("update", ["oobCode": .string(verify)])["emailVerified"] == true)
        // In the same millisecond as the proof.
        let ground = PlantingGround(server: server, account: session, email: Self.owner)
        _ = try await ground.linkProvider()
        try await ground.linkPhone()
        let passkey = SoftwareAuthenticator()
        #expect(try await ground.register(passkey, ground.passkeyChallenge()).status == 200)
        try await ground.addFactor()
        _ = try await message(3, of: smtp)
        let reset = try await server.code("PASSWORD_RESET", ["email": .string(Self.owner)])
        let answer = try await server.call("resetPassword", ["oobCode": .string(reset), "newPassword": "secret-2"])
        #expect(answer["removed"] == ["oidc.other", "passkey", "phone"], "\(answer.json)")
        let text = try await message(4, of: smtp).text
        #expect(text.contains("the password was reset by e-mail; signing in with oidc.other was removed; a passkey was removed"))
        let user = try #require(try await server.user(session.localID))
        let providers = Set(user["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } ?? [])
        #expect(providers == ["oidc.test", "password"], "\(user)")
        #expect(user["mfaInfo"]?.array?.count == 1)
        #expect(try await server.refresh(session.refreshToken).errorMessage == "TOKEN_EXPIRED")
        #expect(try await server.signIn(Self.owner, password: "secret-2")["mfaPendingCredential"] != nil)
    }

    private static let newAddress = "new@example.com"

    /// An account with a factor, which left its address for another one in a session with that factor.
    private func moved(_ server: TestServer, _ smtp: SMTPServer) async throws -> (
        enrolled: TestServer.EnrolledApp, revert: JSONValue, recover: JSONValue
    ) {
        let enrolled = try await server.enrollApp(try await server.verifiedUser(Self.owner))
        let revert = try await message(1, of: smtp).code
        let move: JSONValue = ["idToken": .string(enrolled.session.idToken), "newEmail": .string(Self.newAddress)]
        let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", move)
        #expect(try await server.call("update", ["oobCode": .string(change)])["newEmail"] == .string(Self.newAddress))
        return (enrolled, revert, try await message(2, of: smtp).code)
    }

    @Test("a mailbox that was left long ago gets the address back, but defeats no second factor (LNK-10)", arguments: [2, 4])
    func oldMailbox(days: Int) async throws {
        let (server, smtp) = try await start()
        let (enrolled, revert, recover) = try await moved(server, smtp)
        // The owner changes the phone.
        let login = try await server.signIn(Self.newAddress)
        let session = try server.session(try await server.show(enrolled, login))
        _ = try await server.enrollApp(session)
        server.clock.advance(by: .seconds(days * 86_400))
        let reverted = try await server.call("update", ["oobCode": revert])
        #expect(reverted.status == (days < 3 ? 200 : 400), "\(reverted.json.text)")
        let recovered = try await server.call("update", ["oobCode": recover])
        #expect(recovered["email"] == .string(Self.owner), "\(recovered.json.text)")
        let user = try #require(try await server.user(enrolled.session.localID))
        #expect((user["mfaInfo"]?.array?.count ?? 0) == (days < 3 ? 0 : 2), "\(user)")
    }

    @Test("nor does a later notice to an address that was left long ago, and is the account's again (LNK-10)")
    func oldLeave() async throws {
        let (server, smtp) = try await start()
        let owner = try await server.verifiedUser(Self.owner)
        func move(_ session: TestServer.Session, to email: String) async throws {
            let body: JSONValue = ["idToken": .string(session.idToken), "newEmail": .string(email)]
            let change = try await server.code("VERIFY_AND_CHANGE_EMAIL", body)
            #expect(try await server.call("update", ["oobCode": .string(change)])["newEmail"] == .string(email))
        }
        try await move(owner, to: Self.newAddress)
        let enrolled = try await server.enrollApp(try server.session(try await server.signIn(Self.newAddress)))
        try await move(enrolled.session, to: Self.owner)
        _ = try await message(3, of: smtp)
        server.clock.advance(by: .seconds(10 * 86_400))
        let session = try server.session(try await server.show(enrolled, try await server.signIn(Self.owner)))
        let link = try await server.signIn("oidc.test", server.oidcToken("o"), session.token)
        #expect(link.status == 200, "\(link.json.text)")
        let notice = try await message(4, of: smtp).code
        #expect(try await server.call("update", ["oobCode": notice]).status == 200)
        let user = try #require(try await server.user(owner.localID))
        #expect(user["mfaInfo"]?.array?.count == 1, "\(user)")
    }

    @Test("a factor that a left mailbox takes back: the present address is told")
    func toldOfRevert() async throws {
        let (server, smtp) = try await start()
        let (_, revert, _) = try await moved(server, smtp)
        #expect(try await server.call("update", ["oobCode": revert]).status == 200)
        let told = try await smtp.message(3)
        #expect(told["rcptTos"] == [.string(Self.newAddress)], "\(told.text)")
        #expect(try await message(3, of: smtp).text.contains("a second sign-in step was removed"))
    }
}
