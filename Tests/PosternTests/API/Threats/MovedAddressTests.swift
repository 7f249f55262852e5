import Foundation
import Project
import TestKit
import Testing

@Suite("An account whose address an administrator changes or takes for unproven", .teardown, .timeLimit(.minutes(15)))
struct MovedAddressTests {
    enum AddressChange: CaseIterable {
        case address, verification

        var fields: JSONValue {
            switch self {
            case .address: ["email": "new@example.com"]
            case .verification: ["emailVerified": false]
            }
        }

        var email: String { self == .address ? "new@example.com" : "owner@example.com" }
    }

    /// How somebody proves the address afterwards.
    enum Proof: CaseIterable {
        case reset, link, provider

        func signIn(_ email: String, on server: TestServer) async throws -> TestClient.Answer {
            switch self {
            case .reset:
                let code = try await server.code("PASSWORD_RESET", ["email": .string(email)])
                let body: JSONValue = ["oobCode": .string(code), "newPassword": "secret-2"]
                #expect(try await server.call("resetPassword", body).status == 200)
                return try await server.signIn(email, password: "secret-2")
            case .link:
                let mail: JSONValue = ["email": .string(email), "continueUrl": "https://app.example.com/"]
                let code = try await server.code("EMAIL_SIGNIN", mail)
                return try await server.call("signInWithEmailLink", ["email": .string(email), "oobCode": .string(code)])
            case .provider:
                return try await server.signIn("oidc.test", server.oidcToken("mail", TestServer.email(email)))
            }
        }
    }

    @Test(
        "keeps its second factor: a mailbox or a provider does not defeat it (LNK-10)",
        arguments: Engine.allCases,
        AddressChange.allCases
    )
    func factors(engine: Engine, change: AddressChange) async throws {
        for proof in Proof.allCases {
            let server = try await TestServer.start(project: TestServer.factorProject, on: engine)
            let owner = try await server.verifiedUser("owner@example.com")
            let enrolled = try await server.enrollApp(owner)
            let body = change.fields.merging(["localId": .string(owner.localID)])
            #expect(try await server.admin("accounts:update", body).status == 200)
            let answer = try await proof.signIn(change.email, on: server)
            #expect(answer["idToken"] == nil, "\(proof): \(answer.json.text)")
            #expect(answer["mfaPendingCredential"] != nil, "\(proof): \(answer.json.text)")
            // The owner comes in with both.
            #expect(try server.session(try await server.show(enrolled, answer)).localID == owner.localID)
        }
    }

    @Test("and then disables lets nothing finish that was begun before", arguments: Engine.allCases)
    func disabled(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.factorProject, on: engine)
        let enrolled = try await server.enrollApp(try await server.verifiedUser("owner@example.com"))
        let pending = try await server.signIn("owner@example.com")
        #expect(pending["mfaPendingCredential"] != nil)
        for isDisabled in [true, false] {
            let body: JSONValue = ["localId": .string(enrolled.session.localID), "disableUser": .bool(isDisabled)]
            #expect(try await server.admin("accounts:update", body).status == 200)
        }
        let late = try await server.show(enrolled, pending)
        #expect(late.errorMessage?.hasPrefix("INVALID_MFA_PENDING_CREDENTIAL") == true, "\(late.json.text)")
        let anew = try await server.signIn("owner@example.com")
        #expect(try await server.show(enrolled, anew).status == 200)
    }

    @Test("is still its user's after an operator signed in as the user", arguments: Engine.allCases)
    func impersonated(engine: Engine) async throws {
        let server = try await TestServer.start(project: TestServer.emailProject(), on: engine)
        let owner = try await server.signUp("owner@example.com")
        let minter = try await CustomTokenTests.Minter(on: server)
        let token = try minter.token(owner.localID, ["claims": ["act": ["sub": "operator:ada@example.com"]]])
        #expect(try await server.call("signInWithCustomToken", ["token": .string(token)]).status == 200)
        _ = try await Proof.reset.signIn("owner@example.com", on: server)
        let found = try await server.admin("accounts:lookup", ["email": ["owner@example.com"]])
        #expect(found["users"]?[0]?["localId"]?.string == owner.localID)
    }
}
