import Foundation
import Project
import TestKit
import Testing

@Suite("Imports of other forms and sizes", .teardown, .timeLimit(.minutes(15)))
struct AdminImportFormsTests {
    @Test("by its old name, which may name the project; in development also what the emulator exports")
    func otherNames() async throws {
        let server = try await TestServer.start(mode: .development)
        let path = "/www.googleapis.com/identitytoolkit/v3/relyingparty/"
        let owner = [("Authorization", "Bearer owner")]
        let users: JSONValue = [
            ["localId": "e", "email": "e@b.c", "salt": "beach", "passwordHash": "fakeHash:salt=beach:password=hawaii"],
            ["localId": "o", "passwordHash": "YWJjZGVmZ2g=", "salt": "NaCl"],
        ]
        let body: JSONValue = ["targetProjectId": "demo-test", "users": users]
        #expect(try await server.client.post(path + "uploadAccount", body, headers: owner)["error"] == nil)
        #expect(try await server.signIn("e@b.c", password: "hawaii").status == 200)
        let list: JSONValue = ["targetProjectId": "demo-test", "maxResults": "1"]
        let page = try await server.client.post(path + "downloadAccount", list, headers: owner)
        #expect(page["nextPageToken"] == "e" && page["users"]?.array?.count == 1)
        #expect(!String(decoding: page.bytes, as: UTF8.self).contains("hawaii"))
        let next = list.merging(["nextPageToken": "e"])
        #expect(try await server.client.post(path + "downloadAccount", next, headers: owner)["users"]?[0]?["localId"] == "o")
        #expect(try await server.client.post(path + "downloadAccount", [:], headers: owner)["users"]?.array?.count == 2)
        let keyed = try await server.client.post(path + "downloadAccount?key=k", [:])
        #expect(keyed.errorMessage == "INSUFFICIENT_PERMISSION")
    }

    @Test("with identities by provider and id, or in production by what stands for both")
    func federatedIdentities() async throws {
        let forms: [JSONValue] = [
            ["federatedId": "https://accounts.google.com/g-1"],
            ["providerId": "google.com", "federatedId": "https://accounts.google.com/g-2"],
            ["providerId": "google.com", "federatedId": "g-3"],
            ["providerId": "saml.corp", "federatedId": "https://accounts.google.com/x"],
        ]
        let users = forms.enumerated().map { index, form -> JSONValue in
            ["localId": .string("u\(index)"), "providerUserInfo": [form]]
        }
        let odd: [JSONValue] = [["federatedId": "https://accounts.google.com/"], ["federatedId": "g-9"]]
        let server = try await TestServer.start()
        #expect(try await server.admin("accounts:batchCreate", ["users": .array(users)])["error"] == nil)
        for (index, rawID) in ["g-1", "g-2", "g-3", "https://accounts.google.com/x"].enumerated() {
            let identity = try await server.user("u\(index)")?["providerUserInfo"]?[0]
            #expect(identity?["rawId"] == .string(rawID))
            #expect(identity?["providerId"] == (index == 3 ? "saml.corp" : "google.com"))
        }
        for form in odd {
            let row: JSONValue = ["localId": "odd", "providerUserInfo": [form]]
            let answer = try await server.admin("accounts:batchCreate", ["users": [row]])
            #expect(answer["error"]?[0]?["message"] == "federatedId or (providerId & rawId) is required")
        }
    }

    @Test("thousands at once, larger than any other body, while others sign up", arguments: Engine.allCases)
    func many(engine: Engine) async throws {
        let variables = ["POSTERN_SERVER_MAX_BODY_BYTES": "65536", "POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "1000"]
        let server = try await TestServer.start(environment: variables, project: TestServer.emailProject(), on: engine)
        let count = 2000
        let users = (0..<count).map { index -> JSONValue in
            ["localId": .string("user-\(index)"), "email": .string("user-\(index)@b.c")]
        }
        try await withThrowingTaskGroup(of: Int.self) { tasks async throws in
            tasks.addTask {
                try await server.admin("accounts:batchCreate", ["users": .array(users)])["error"]?.array?.count ?? 0
            }
            for index in stride(from: 0, to: count, by: 100) {
                tasks.addTask {
                    let answer = try await server.call("signUp", ["email": .string("user-\(index)@b.c"), "password": "secret-1"])
                    #expect([nil, "EMAIL_EXISTS"].contains(answer.errorMessage))
                    return answer.status == 200 ? -1 : 0
                }
            }
            // Each address has one account: a row was left out exactly when a sign-up was first.
            #expect(try await tasks.reduce(0, +) == 0)
        }
        let total = try await server.admin("accounts:query", ["returnUserInfo": false])
        #expect(total["recordsCount"] == .string(String(count)))
    }
}
