import Project
import Storage
import Testing

@Suite("Codes by SMS and proven apps", .teardown, .timeLimit(.minutes(15)))
struct PhoneTests {
    private static let scope = Scope(projectID: "p")
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)

    private func code(_ id: String, app: String = "", purpose: String = "signIn", after seconds: Int = 0) -> SMSCodeRecord {
        let created = Self.time.advanced(by: .seconds(seconds))
        return SMSCodeRecord(
            codeID: id,
            purpose: purpose,
            app: app,
            phoneNumber: "+16505551234",
            codeMAC: [0, 255, 7],
            createdAt: created,
            expiresAt: created.advanced(by: .seconds(600)),
            sealedCode: id == "a" ? "sealed" : nil
        )
    }

    @Test("a code is found by name in its scope, counts its tries, and is used once", arguments: TestBackend.available)
    func codes(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let (scope, stored) = (Self.scope, code("a"))
        try await database.write { transaction throws in
            try transaction.insertSMSCode(scope, stored)
            #expect(try transaction.smsCode(scope, codeID: "a") == stored)
            #expect(try transaction.smsCode(Scope(projectID: "p", tenantID: "t"), codeID: "a") == nil)
            try transaction.countSMSCodeTry(codeID: "a")
            #expect(try transaction.smsCode(scope, codeID: "a")?.tries == 1)
            #expect(try transaction.deleteSMSCode(codeID: "a"))
            #expect(try !transaction.deleteSMSCode(codeID: "a"))
        }
    }

    @Test("the newest code of a number, purpose and app is found, and old ones are forgotten", arguments: TestBackend.available)
    func latest(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let scope = Self.scope
        let stored = [code("a"), code("b", after: 1), code("c", app: "x", after: 2), code("d", purpose: "other", after: 3)]
        try await database.write { transaction throws in
            for one in stored { try transaction.insertSMSCode(scope, one) }
            func latest(after seconds: Int) throws -> String? {
                try transaction.latestSMSCode(
                    scope,
                    phoneNumber: "+16505551234",
                    purpose: "signIn",
                    app: "",
                    after: Self.time.advanced(by: .seconds(seconds))
                )?.codeID
            }
            #expect(try latest(after: -1) == "b")
            #expect(try latest(after: 1) == nil)
            #expect(try transaction.smsCodes(scope).map(\.codeID) == ["a", "b", "c", "d"])
            let limit = Self.time.advanced(by: .seconds(602))
            #expect(try transaction.deleteExpired(.smsCodes, before: limit, limit: 1) == 1)
            #expect(try transaction.deleteExpired(.smsCodes, before: limit, limit: 9) == 1)
            #expect(try transaction.smsCodes(scope).map(\.codeID) == ["c", "d"])
        }
    }

    @Test("a proven app is found by its receipt until it is forgotten", arguments: TestBackend.available)
    func credentials(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let scope = Self.scope
        let stored = AppCredentialRecord(receiptHash: [1], secretHash: [2], bundleID: "com.example", expiresAt: Self.time)
        try await database.write { transaction throws in
            try transaction.insertAppCredential(scope, stored)
            #expect(try transaction.appCredential(scope, receiptHash: [1]) == stored)
            #expect(try transaction.appCredential(Scope(projectID: "q"), receiptHash: [1]) == nil)
            #expect(try transaction.deleteExpired(.appCredentials, before: Self.time, limit: 9) == 0)
            let later = Self.time.advanced(by: .seconds(1))
            #expect(try transaction.deleteExpired(.appCredentials, before: later, limit: 9) == 1)
        }
    }

    @Test("text messages wait apart from e-mail", arguments: TestBackend.available)
    func outbox(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let (now, end) = (Self.time, Self.time.advanced(by: .seconds(60)))
        let record = OutboxRecord(messageID: "m", scope: Self.scope, payload: "s", createdAt: now, expiresAt: end)
        try await database.write { transaction throws in
            try transaction.insertOutboxMessage(record, in: .sms)
            #expect(try transaction.claimOutboxMessages(leaseID: "l", now: now, leaseEnd: end, limit: 9).isEmpty)
            let claimed = try transaction.claimOutboxMessages(leaseID: "l", now: now, leaseEnd: end, limit: 9, in: .sms)
            #expect(claimed.map(\.messageID) == ["m"])
            try transaction.finishOutboxMessage("m", leaseID: "l", outcome: .sent, failure: nil, at: now, in: .sms)
            #expect(try transaction.countWaitingOutboxMessages(in: .sms) == 0)
            #expect(try transaction.deleteFinishedOutboxMessages(before: end, limit: 9, in: .sms) == 1)
        }
    }
}
