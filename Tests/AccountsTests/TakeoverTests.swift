import Project
import Storage
import TestKit
import Testing

@testable import Accounts

@Suite("A takeover", .timeLimit(.minutes(15)))
struct TakeoverTests {
    private static let scope = Scope(projectID: "p")

    // Everything else that is stored with an account lets somebody sign in, or leads back to what did.
    private static let kept: Set<String> = [
        "localID", "email", "emailVerified", "emailProvenAt", "displayName", "photoURL", "screenName", "language",
        "dateOfBirth", "timeZone", "isDisabled", "validSince", "proofGeneration", "customAttributes", "createdAt",
        "lastLoginAt", "lastRefreshAt", "showsNoSecondFactors", "showsEnabled", "showsNoProviders",
    ]

    /// An account in which everything is set that can be set.
    private static func full(at time: Timestamp) -> AccountRecord {
        var account = AccountRecord(localID: "planted", createdAt: time)
        account.email = "victim@example.com"
        account.emailVerified = false
        account.emailProvenAt = time
        account.initialEmail = "attacker@evil.example"
        account.phoneNumber = "+16505550101"
        account.phoneAddedAt = time
        account.passwordHash = "hash"
        account.passwordUpdatedAt = time
        account.passwordGeneration = 1
        account.displayName = "name"
        account.photoURL = "https://example.com/"
        account.screenName = "name"
        account.language = "en"
        account.dateOfBirth = "2000-01-01"
        account.timeZone = "UTC"
        account.isDisabled = true
        account.validSince = 1
        account.customAttributes = "{}"
        account.hasCustomAuth = true
        account.hasEmailLinkSignIn = true
        account.lastLoginAt = time
        account.lastRefreshAt = time
        account.secondFactors = [
            SecondFactor(enrollmentID: "f", displayName: nil, enrolledAt: time, kind: .phone(number: "+16505550101"))
        ]
        account.showsNoSecondFactors = true
        account.showsEnabled = true
        account.showsNoProviders = true
        return account
    }

    private static func fields(_ account: AccountRecord) -> [String: String] {
        Dictionary(uniqueKeysWithValues: Mirror(reflecting: account).children.map { ($0.label ?? "", "\($0.value)") })
    }

    @Test("ends every way in that is stored with the account but custom tokens, and an account with those is none to take over")
    func waysIn() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        _ = try await Migrator.sqlite.migrate(database, now: 0)
        let time = Timestamp(seconds: 1_000_000)
        let blank = Self.fields(AccountRecord(localID: "", createdAt: Timestamp(seconds: 1)))
        let full = Self.full(at: time)
        // A field that is new must be set above, so that this test decides about it.
        for (name, value) in Self.fields(full) { #expect(value != blank[name], "\(name)") }
        try await database.write { try $0.insertAccount(Self.scope, full) }
        func left(of planted: AccountRecord) async throws -> Set<String> {
            let taken = try await database.write { transaction in
                var account = planted
                try OwnershipProof(kind: .takeover, scope: Self.scope, time: time).apply(to: &account, in: transaction)
                return account
            }
            return Set(Self.fields(taken).filter { $0.value != blank[$0.key] }.map(\.key)).subtracting(Self.kept)
        }
        var neverProven = full
        neverProven.emailProvenAt = nil
        #expect(try await left(of: neverProven) == ["hasCustomAuth"])
        // A mailbox does not defeat the second factors of an account that once had a proven address.
        #expect(try await left(of: full) == ["hasCustomAuth", "secondFactors"])
        var unverified = full
        unverified.vouch(forAddress: false, at: time)
        #expect(unverified.emailProvenAt == nil)
        #expect(try await left(of: unverified) == ["hasCustomAuth", "secondFactors"])
        var planted = full
        planted.isDisabled = false
        #expect(planted.outlivesTakeover)
        planted.hasCustomAuth = false
        #expect(!planted.outlivesTakeover)
        planted.isDisabled = true
        #expect(planted.outlivesTakeover)
        planted.emailVerified = true
        #expect(!planted.outlivesTakeover)
        try await database.close()
    }
}
