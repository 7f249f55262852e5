import Project
import TestKit
import Testing

@Suite("Second factors from administrators", .teardown, .timeLimit(.minutes(15)))
struct AdminFactorOrderTests {
    private static let number = "+16505550102"
    private static let factors: JSONValue = [
        ["mfaEnrollmentId": "mfaUid1", "phoneInfo": "+16505550001", "displayName": "Work phone number"],
        ["mfaEnrollmentId": "mfaUid2", "phoneInfo": "+16505550002", "displayName": "Personal phone number"],
    ]
    private static let phone: JSONValue = ["phoneNumber": .string(number)]
    private static let verified: JSONValue = ["emailVerified": true]
    private static let enrolled: JSONValue = ["mfa": ["enrollments": factors]]

    /// The changes after an account was made with an address and without a password. Each list ends in the same account.
    private static let orders: [[JSONValue]] = [
        [phone.merging(verified), enrolled],
        [verified, phone, enrolled],
        [phone, verified.merging(enrolled)],
        [verified, enrolled, phone],
        [verified.merging(enrolled), phone],
        [phone.merging(verified).merging(enrolled)],
    ]

    @Test("go with a verified address and a phone number, without a password, in any order", arguments: Engine.allCases)
    func orders(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        for (index, order) in Self.orders.enumerated() {
            let id: JSONValue = .string("u\(index)")
            let made = try await server.admin("accounts", ["localId": id, "email": .string("u\(index)@b.c")])
            #expect(made.status == 200)
            for change in order {
                let answer = try await server.admin("accounts:update", change.merging(["localId": id]))
                #expect(answer.status == 200, "\(index): \(answer.errorMessage ?? "")")
            }
            try await check(server, "u\(index)")
            _ = try await server.admin("accounts:delete", ["localId": id])
        }
    }

    @Test("go with them in the call that makes the account, and in an import", arguments: Engine.allCases)
    func atOnce(engine: Engine) async throws {
        let account: JSONValue = ["email": "a@b.c", "emailVerified": true, "phoneNumber": .string(Self.number)]
        let row = account.merging(["localId": "u", "mfaInfo": Self.factors])
        let server = try await TestServer.start(on: engine)
        let made = try await server.admin("accounts", row)
        #expect(made.status == 200, "\(made.errorMessage ?? "")")
        try await check(server, "u")
        _ = try await server.admin("accounts:delete", ["localId": "u"])
        #expect(try await server.admin("accounts:batchCreate", ["users": [row]])["error"] == nil)
        try await check(server, "u")
        _ = try await server.admin("accounts:delete", ["localId": "u"])
        _ = try await server.admin("accounts", ["localId": "u"])
        let change = account.merging(["localId": "u"]).merging(Self.enrolled)
        #expect(try await server.admin("accounts:update", change).status == 200)
        try await check(server, "u")
    }

    @Test("are not had by an account that has a phone number and no verified address")
    func withoutAddress() async throws {
        let server = try await TestServer.start()
        _ = try await server.admin("accounts", Self.phone.merging(["localId": "u"]))
        let none = try await server.admin("accounts:update", Self.enrolled.merging(["localId": "u"]))
        #expect(TestServer.outcome(none) == "MISSING_EMAIL")
        _ = try await server.admin("accounts:update", ["localId": "u", "email": "a@b.c"])
        let unverified = try await server.admin("accounts:update", Self.enrolled.merging(["localId": "u"]))
        #expect(TestServer.outcome(unverified) == "UNVERIFIED_EMAIL")
    }

    private func check(_ server: TestServer, _ id: String, _ location: SourceLocation = #_sourceLocation) async throws {
        let user = try #require(try await server.user(id), sourceLocation: location)
        #expect(user["phoneNumber"] == .string(Self.number), sourceLocation: location)
        #expect(user["mfaInfo"]?.array?.count == 2, sourceLocation: location)
        #expect(user["emailVerified"] == true && user["passwordHash"] == nil, sourceLocation: location)
    }
}
