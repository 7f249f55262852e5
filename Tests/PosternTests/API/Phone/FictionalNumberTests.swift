import Project
import TestKit
import Testing

@Suite("Fictional numbers", .teardown, .timeLimit(.minutes(15)))
struct FictionalNumberTests {
    @Test("are none that a user has, while those that are fictional already may stay and change their code")
    func ofUsers() async throws {
        try await TestServer.running(project: TestServer.phoneProject()) { server in
            let path = "/config?updateMask=signIn.phoneNumber.testPhoneNumbers"
            func set(_ numbers: JSONValue) async throws -> TestClient.Answer {
                try await server.admin("PATCH", path, ["signIn": ["phoneNumber": ["testPhoneNumbers": numbers]]])
            }
            let user = try await server.phoneSession()
            #expect(try await set([TestServer.testNumber: "111111"]).status == 200)
            #expect(try await server.phoneSession(TestServer.testNumber, "111111").localID == user.localID)
            #expect(try await set([:]).status == 200)
            let refused = try await set([TestServer.testNumber: "111111", "+16505550102": "222222"])
            #expect(refused.errorMessage == "INVALID_TESTING_PHONE_NUMBER : A user has this number.")
            #expect(try await set(["+16505550102": "222222"]).status == 200)
            // A tenant has its own users.
            let tenant = try await server.admin("POST", "/tenants", ["displayName": "abcd"])
            let id = try #require(tenant["name"]?.string?.split(separator: "/").last)
            let added = try await server.admin(
                "PATCH",
                "/tenants/\(id)?updateMask=testPhoneNumbers",
                ["testPhoneNumbers": [TestServer.testNumber: "111111"]]
            )
            #expect(added.status == 200, "\(added.errorMessage ?? "")")
        }
        let server = try await TestServer.start(mode: .development)
        let sent = try await server.sendCode("+15555550100")
        let shown = try await server.client.get("/emulator/v1/projects/demo-test/verificationCodes")
        let code = try #require(shown["verificationCodes"]?[0]?["code"]?.string)
        #expect(try await server.signInWithPhone(sent["sessionInfo"], code).status == 200)
        let answer = try await server.admin(
            "PATCH",
            "/config?updateMask=signIn.phoneNumber.testPhoneNumbers",
            ["signIn": ["phoneNumber": ["testPhoneNumbers": ["+15555550100": "123456"]]]]
        )
        #expect(answer.status == 200)
    }
}
