import Project
import Storage
import Testing

@Suite("Passkeys in the store", .teardown, .timeLimit(.minutes(15)))
struct PasskeyTests {
    private static let scope = Scope(projectID: "demo")
    private static let tenant = Scope(projectID: "demo", tenantID: "acme")
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)

    private func passkey(_ id: String, of localID: String, key: [UInt8]? = [1, 2, 3]) -> PasskeyRecord {
        PasskeyRecord(credentialID: id, localID: localID, name: "Name \(id)", publicKey: key, signCount: 1, createdAt: Self.time)
    }

    @Test("belong to one account of a scope, count, and go with their account", arguments: TestBackend.available)
    func passkeys(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let (first, second, third) = (passkey("a", of: "one"), passkey("b", of: "one", key: nil), passkey("c", of: "two"))
        let stolen = passkey("a", of: "two")
        try await database.write { (transaction: Transaction) throws in
            for scope in [Self.scope, Self.tenant] {
                for localID in ["one", "two"] {
                    try transaction.insertAccount(scope, AccountRecord(localID: localID, createdAt: Self.time))
                }
            }
            for record in [second, first, third] { #expect(try transaction.insertPasskey(Self.scope, record)) }
            #expect(try transaction.insertPasskey(Self.tenant, stolen))
            #expect(try !transaction.insertPasskey(Self.scope, stolen))
            #expect(try transaction.passkeys(Self.scope, localID: "one") == [first, second])
            #expect(try transaction.passkey(Self.scope, credentialID: "a") == first)
            try transaction.updatePasskey(Self.scope, credentialID: "a", signCount: 4_294_967_295)
            #expect(try transaction.passkey(Self.scope, credentialID: "a")?.signCount == 4_294_967_295)
            #expect(try transaction.passkey(Self.tenant, credentialID: "a")?.signCount == 1)
            try transaction.deletePasskey(Self.scope, localID: "two", credentialID: "a")
            #expect(try transaction.passkey(Self.scope, credentialID: "a") != nil)
            try transaction.deletePasskey(Self.scope, localID: "one", credentialID: "a")
            #expect(try transaction.passkeys(Self.scope, localID: "one") == [second])
            try transaction.deleteAllPasskeys(Self.scope, localID: "one")
            #expect(try transaction.passkeys(Self.scope, localID: "one") == [])
            _ = try transaction.deleteAccount(Self.scope, localID: "two")
            #expect(try transaction.passkey(Self.scope, credentialID: "c") == nil)
        }
        await #expect(throws: StorageError.foreignKeyViolation) {
            let orphan = passkey("d", of: "nobody")
            _ = try await database.write { try $0.insertPasskey(Self.scope, orphan) }
        }
    }

    @Test("a code that removes a second factor names it, and sessions end by the factor", arguments: TestBackend.available)
    func enrollments(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        let code: OOBCodeRecord = {
            var code = OOBCodeRecord(
                hash: [1],
                type: .revertSecondFactorAddition,
                email: "a@b.c",
                createdAt: Self.time,
                expiresAt: Self.time
            )
            code.localID = "one"
            code.enrollmentID = "factor"
            return code
        }()
        let sessions = ["factor", "other"].map { enrollmentID in
            var session = SessionRecord(
                tokenHash: Array(enrollmentID.utf8),
                scope: Self.scope,
                localID: "one",
                sessionID: enrollmentID,
                signInProvider: "password",
                authTime: 1,
                createdAt: Self.time
            )
            session.secondFactor = UsedSecondFactor(kind: "totp", enrollmentID: enrollmentID)
            return session
        }
        try await database.write { (transaction: Transaction) throws in
            try transaction.insertOOBCode(Self.scope, code)
            #expect(try transaction.oobCode(Self.scope, hash: [1]) == code)
            for session in sessions { try transaction.insertSession(session) }
            try transaction.revokeSessions(Self.scope, localID: "one", enrollmentID: "factor", at: Self.time)
            let revoked = try sessions.map { try transaction.session(tokenHash: $0.tokenHash)?.revokedAt }
            #expect(revoked == [Self.time, nil])
        }
    }
}
