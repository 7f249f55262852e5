import Accounts
import Foundation
import HTTPAPI
import Project
import Settings
import Storage
import TestKit
import Testing

@testable import Server

@Suite("Signing in with a phone number", .teardown, .timeLimit(.minutes(15)))
struct PhoneSignInTests {
    private func start(
        on engine: Engine = .sqlite,
        _ environment: [String: String] = [:],
        more: String = ""
    ) async throws -> TestServer {
        try await TestServer.start(environment: environment, project: TestServer.phoneProject(more), on: engine)
    }

    @Test("makes an account, then finds it; a session is used once", arguments: Engine.allCases)
    func signIn(engine: Engine) async throws {
        let server = try await start(on: engine)
        let sent = try await server.sendCode(TestServer.testNumber)
        #expect(sent.json.object?.keys.sorted() == ["sessionInfo"])
        let info = try #require(sent["sessionInfo"]?.string)
        #expect(info.count == 226)
        #expect(info.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil)
        let first = try await server.signInWithPhone(sent["sessionInfo"], TestServer.testNumberCode)
        let session = try server.session(first)
        #expect(first["isNewUser"] == true)
        #expect(first["phoneNumber"]?.string == TestServer.testNumber)
        #expect(first["kind"] == nil)
        #expect(first["temporaryProof"] == nil)
        #expect(try payload(session)["firebase"]?["sign_in_provider"] == "phone")
        #expect(try payload(session)["phone_number"]?.string == TestServer.testNumber)
        let again = try await server.signInWithPhone(sent["sessionInfo"], TestServer.testNumberCode)
        #expect(again.errorMessage == "INVALID_SESSION_INFO")
        let second = try await server.phoneSession()
        #expect(second.localID == session.localID)
        #expect(try await server.account(second)["providerUserInfo"]?[0]?["providerId"] == "phone")
    }

    @Test("rows of sendVerificationCode in their order")
    func sendRows() async throws {
        do {
            let server = try await start()
            func message(_ body: JSONValue) async throws -> String? {
                try await server.call("sendVerificationCode", body).errorMessage
            }
            #expect(try await message(["tenantId": "acme"]) == "UNSUPPORTED_TENANT_OPERATION")
            let bad: [JSONValue] = [
                .null, "", "16505551234", "+", "+1650555", "+1 650 555 12345", "+0016505551234", "+16505551234x5",
                "+٠١٢٣٤٥٦٧٨٩", "+999123456789", "+80012345678", "+1234567890123456", "tel:+16505551234", "+4407700900123",
            ]
            for number in bad {
                #expect(try await message(["phoneNumber": number]) == "INVALID_PHONE_NUMBER : Invalid format.", "\(number)")
            }
            #expect(try await message(["phoneNumber": "+1 (650) 555-1234"]) == "MISSING_APP_CREDENTIAL")
            #expect(try await message(["phoneNumber": .string(TestServer.testNumber)]) == nil)
            for proof: JSONValue in [
                ["recaptchaToken": "mock"], ["recaptchaToken": "postern.mock"], ["playIntegrityToken": "x"],
                ["safetyNetToken": "x"],
            ] {
                let answer = try await server.sendCode("+16505551234", proof)
                #expect(answer.errorMessage == "INVALID_APP_CREDENTIAL", "\(proof)")
            }
            let receipt: JSONValue = ["iosReceipt": "r", "iosSecret": "s"]
            #expect(try await server.sendCode("+16505551234", receipt).errorMessage == "MISSING_CLIENT_IDENTIFIER")
            let bundle = [("X-Ios-Bundle-Identifier", "com.example.app")]
            let unknown = try await server.sendCode("+16505551234", receipt, headers: bundle)
            #expect(unknown.errorMessage == "INVALID_APP_CREDENTIAL")
            let silent = try await server.sendCode("+16505551234", try await server.appProof())
            #expect(silent.errorMessage?.hasPrefix("OPERATION_NOT_ALLOWED : ") == true)
        }
        let server = try await TestServer.start()
        #expect(try await server.sendCode("nonsense").errorMessage == "OPERATION_NOT_ALLOWED")
    }

    @Test("rows of signInWithPhoneNumber up to the code")
    func codeRows() async throws {
        let server = try await start()
        func message(_ body: JSONValue) async throws -> String? {
            try await server.call("signInWithPhoneNumber", body).errorMessage
        }
        let sent = try await server.sendCode(TestServer.testNumber)
        let info = try #require(sent["sessionInfo"])
        #expect(try await message(["tenantId": "acme"]) == "UNSUPPORTED_TENANT_OPERATION")
        #expect(try await message(["temporaryProof": "x"]) == "MISSING_PHONE_NUMBER")
        let proof: JSONValue = ["temporaryProof": "x", "phoneNumber": .string(TestServer.testNumber)]
        #expect(try await message(proof) == "INVALID_TEMPORARY_PROOF")
        #expect(try await message([:]) == "MISSING_SESSION_INFO")
        #expect(try await message(["sessionInfo": info]) == "MISSING_CODE")
        #expect(try await message(["sessionInfo": "x", "code": "123456"]) == "INVALID_SESSION_INFO")
        for _ in 1...5 { #expect(try await message(["sessionInfo": info, "code": "000000"]) == "INVALID_CODE") }
        #expect(try await message(["sessionInfo": info, "code": "123456"]) == "SESSION_EXPIRED")
        let late = try await server.sendCode(TestServer.testNumber)
        server.clock.advance(by: .seconds(600))
        #expect(try await server.signInWithPhone(late["sessionInfo"], "123456").errorMessage == "SESSION_EXPIRED")
        let bad = try await server.sendCode(TestServer.testNumber)
        let withToken: JSONValue = ["idToken": "nonsense"]
        let refused = try await server.signInWithPhone(bad["sessionInfo"], "123456", withToken)
        #expect(refused.errorMessage == "INVALID_ID_TOKEN")
        // The session was used up nevertheless.
        let again = try await server.signInWithPhone(bad["sessionInfo"], "123456")
        #expect(again.errorMessage == "INVALID_SESSION_INFO")
        let reauth = try await server.sendCode(TestServer.testNumber)
        let nobody = try await server.signInWithPhone(reauth["sessionInfo"], "123456", ["operation": "REAUTH"])
        #expect(nobody.errorMessage == "USER_NOT_FOUND")
        _ = try await server.phoneSession()
        let known = try await server.sendCode(TestServer.testNumber)
        #expect(try await server.signInWithPhone(known["sessionInfo"], "123456", ["operation": 2]).status == 200)
        let wrong = try await server.signInWithPhone(info, "123456", ["operation": "NONSENSE"])
        #expect(wrong.errorMessage?.hasPrefix("Invalid JSON payload received. /operation") == true)
    }

    @Test("links and changes numbers; a collision leaves a proof that signs the owner in once")
    func linking() async throws {
        let server = try await start()
        let owner = try await server.phoneSession()
        let other = try server.session(try await server.call("signUp", [:]))
        let sent = try await server.sendCode(TestServer.testNumber)
        let collision = try await server.signInWithPhone(sent["sessionInfo"], "123456", other.token)
        #expect(collision.status == 200)
        #expect(collision.json.object?.keys.sorted() == ["phoneNumber", "temporaryProof", "temporaryProofExpiresIn"])
        #expect(collision["temporaryProofExpiresIn"] == "3600")
        let proof = try #require(collision["temporaryProof"])
        #expect(proof.string?.count == 119)
        func show(_ number: String, _ extra: JSONValue = [:]) async throws -> TestClient.Answer {
            let body: JSONValue = ["temporaryProof": proof, "phoneNumber": .string(number)]
            return try await server.call("signInWithPhoneNumber", body.merging(extra))
        }
        #expect(try await show("+16505550102").errorMessage == "INVALID_TEMPORARY_PROOF")
        #expect(try await show(TestServer.testNumber, other.token).errorMessage == "PHONE_NUMBER_EXISTS")
        let signedIn = try await show(TestServer.testNumber)
        #expect(try server.session(signedIn).localID == owner.localID)
        #expect(try await show(TestServer.testNumber).errorMessage == "INVALID_TEMPORARY_PROOF")

        let link = try await server.sendCode("+16505550102")
        let linked = try await server.signInWithPhone(link["sessionInfo"], "654321", other.token)
        #expect(try server.session(linked).localID == other.localID)
        #expect(linked["isNewUser"] == false)
        #expect(try await server.account(other)["phoneNumber"] == "+16505550102")

        let once = try await server.sendCode(TestServer.testNumber)
        let stale = try await server.signInWithPhone(once["sessionInfo"], "123456", other.token)
        server.clock.advance(by: .seconds(3600))
        let late: JSONValue = [
            "temporaryProof": try #require(stale["temporaryProof"]), "phoneNumber": .string(TestServer.testNumber),
        ]
        #expect(try await server.call("signInWithPhoneNumber", late).errorMessage == "INVALID_TEMPORARY_PROOF")
    }

    @Test("refuses disabled accounts, accounts with second factors, and new ones where there may be none")
    func refusals() async throws {
        do {
            let server = try await start()
            let session = try await server.phoneSession()
            let waiting = try await server.sendCode(TestServer.testNumber)
            let scope = Scope(projectID: "demo-test")
            try await server.core.database.write { transaction in
                var account = try #require(try transaction.account(scope, localID: session.localID))
                account.secondFactors = [
                    SecondFactor(
                        enrollmentID: "e",
                        displayName: nil,
                        enrolledAt: account.createdAt,
                        kind: .phone(number: "+16505550199")
                    )
                ]
                try transaction.updateAccount(scope, account)
            }
            let message =
                "UNSUPPORTED_FIRST_FACTOR : A phone number cannot be set as a first factor on an SMS based MFA user."
            #expect(try await server.sendCode(TestServer.testNumber).errorMessage == message)
            #expect(try await server.signInWithPhone(waiting["sessionInfo"], "123456").errorMessage == message)
            let other = try await server.phoneSession("+16505550102", "654321")
            let disabled: JSONValue = ["localId": .string(other.localID), "disableUser": true]
            #expect(try await server.callAsAdmin("update", disabled).status == 200)
            let sent = try await server.sendCode("+16505550102")
            #expect(try await server.signInWithPhone(sent["sessionInfo"], "654321").errorMessage == "USER_DISABLED")
        }
        let server = try await start(more: "client: {permissions: {disabledUserSignup: true}}")
        let sent = try await server.sendCode(TestServer.testNumber)
        let refused = try await server.signInWithPhone(sent["sessionInfo"], TestServer.testNumberCode)
        #expect(refused.errorMessage == "ADMIN_ONLY_OPERATION")
    }

    @Test("of twenty at once with one code exactly one gets in", arguments: Engine.allCases)
    func race(engine: Engine) async throws {
        let server = try await start(on: engine)
        let sent = try await server.sendCode(TestServer.testNumber)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { try await server.signInWithPhone(sent["sessionInfo"], "123456").status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1)
    }

    @Test("a code of another node, made before a restart, is good here")
    func nodes() async throws {
        let server = try await start()
        let sent = try await server.sendCode(TestServer.testNumber)
        let node = try await Core(
            server.core.settings,
            variables: [:],
            patience: TestServer.patience,
            logger: server.log.logger()
        ) {
            server.clock.environment(http: $0)
        }
        let number = try await node.useCases.codes.sms.redeem(
            sessionInfo: try #require(sent["sessionInfo"]?.string),
            code: TestServer.testNumberCode,
            for: .signIn,
            context: .init(scope: Scope(projectID: "demo-test"))
        )
        #expect(number == TestServer.testNumber)
        await node.shutdown()
        let used = try await server.signInWithPhone(sent["sessionInfo"], TestServer.testNumberCode)
        #expect(used.errorMessage == "INVALID_SESSION_INFO")
    }
}
