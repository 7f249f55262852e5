import Foundation
import Project
import TestKit
import Testing

@Suite("A link that takes another way in away", .teardown, .timeLimit(.minutes(15)))
struct ReplacingLinkTests {
    private static let tooOld = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"

    @Test("is as sensitive as unlinking that one: an old session puts no other number in its place")
    func phone() async throws {
        let server = try await TestServer.start(project: TestServer.phoneProject())
        let owner = try await server.signUp("owner@example.com")
        let number: JSONValue = ["localId": .string(owner.localID), "phoneNumber": "+16505550199"]
        #expect(try await server.admin("accounts:update", number).status == 200)
        server.clock.advance(by: .seconds(400))
        func link(_ token: JSONValue) async throws -> TestClient.Answer {
            let sent = try await server.sendCode(TestServer.testNumber)
            return try await server.signInWithPhone(sent["sessionInfo"], TestServer.testNumberCode, token)
        }
        #expect(try await link(owner.token).errorMessage == Self.tooOld)
        #expect(try await server.account(owner)["phoneNumber"] == "+16505550199")
        let fresh = try server.session(try await server.signIn("owner@example.com"))
        #expect(try await link(fresh.token).status == 200)
    }

    @Test("nor another address, also where none is proven yet", arguments: Engine.allCases)
    func address(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        let owner = try await server.signUp("owner@example.com")
        server.clock.advance(by: .seconds(400))
        let mail: JSONValue = ["email": "thief@evil.example", "continueUrl": "https://app.example.com/done"]
        let code = try await server.code("EMAIL_SIGNIN", mail)
        let link: JSONValue = ["email": "thief@evil.example", "oobCode": .string(code)]
        #expect(try await server.call("signInWithEmailLink", owner.token.merging(link)).errorMessage == Self.tooOld)
        #expect(try await server.account(owner)["email"] == "owner@example.com")
        // An old session may still prove the address that the account has (ruling 28).
        let own: JSONValue = ["email": "owner@example.com", "continueUrl": "https://app.example.com/done"]
        let proof: JSONValue = ["email": "owner@example.com", "oobCode": .string(try await server.code("EMAIL_SIGNIN", own))]
        #expect(try await server.call("signInWithEmailLink", owner.token.merging(proof)).status == 200)
    }

    @Test("or adds one without the account's second factor is refused, and nothing is stored", arguments: [true, false])
    func factor(isAddressProven: Bool) async throws {
        let server = try await TestServer.start(project: TestServer.factorProject)
        let owner = try await server.verifiedUser("owner@example.com")
        let thief = try server.session(try await server.signIn("owner@example.com"))
        let enrolled = try await server.enrollApp(owner)
        if !isAddressProven {
            let body: JSONValue = ["localId": .string(owner.localID), "emailVerified": false]
            #expect(try await server.admin("accounts:update", body).status == 200)
        }
        let mail: JSONValue = ["email": "thief@evil.example", "continueUrl": "https://app.example.com/done"]
        let code = try await server.code("EMAIL_SIGNIN", mail)
        let link: JSONValue = ["email": "thief@evil.example", "oobCode": .string(code)]
        for answer in [
            try await server.signIn("oidc.test", server.oidcToken("thief"), thief.token),
            try await server.call("signInWithEmailLink", thief.token.merging(link)),
        ] { #expect(answer.errorMessage == Self.tooOld, "\(answer.json.text)") }
        let account = try #require(try await server.user(owner.localID))
        #expect(account["email"] == "owner@example.com")
        #expect(account["providerUserInfo"]?.array?.count == 1)
        #expect(try await server.signIn("oidc.test", server.oidcToken("owner"), enrolled.session.token).status == 200)
    }
}
