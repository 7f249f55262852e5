import Foundation
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Accounts

@Suite("The search of operators")
struct AccountFinderTests {
    private static let scope = Scope(projectID: "p")
    private static let tenant = Scope(projectID: "p", tenantID: "t")

    /// A finder over a store in memory, and what seals its tokens.
    private struct Place {
        let finder: AccountFinder
        let store: SQLiteDatabase
        let sealer: TokenSealer

        func insert(_ accounts: [AccountRecord], in scope: Scope = AccountFinderTests.scope) async throws {
            try await store.write { transaction in
                for account in accounts { try transaction.insertAccount(scope, account) }
            }
        }

        func ids(_ change: (inout AccountQuery) -> Void, size: Int = 2, in scope: Scope = AccountFinderTests.scope) async throws
            -> [String]
        {
            var query = AccountQuery()
            change(&query)
            var (ids, token): ([String], String?) = ([], "")
            while let next = token {
                let page = try await finder.page(query, size: size, token: next, in: scope)
                #expect(page.accounts.count <= size)
                ids += page.accounts.map(\.account.localID)
                token = page.nextToken
            }
            return ids
        }
    }

    private func withPlace(_ body: (Place) async throws -> Void) async throws {
        let clock = TestClock()
        let store = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(store, now: 0)
        let environment = clock.environment()
        let sealer = TokenSealer(masterKey: try MasterKey(bytes: Array(1...32)), environment: environment)
        let runtime = Runtime(database: store, environment: environment, sealer: sealer, mode: .development)
        try await body(Place(finder: AccountFinder(runtime: runtime, sealer: sealer), store: store, sealer: sealer))
        try await store.close()
    }

    private func account(_ id: String, _ time: Int64 = 0, _ change: (inout AccountRecord) -> Void = { _ in }) -> AccountRecord {
        var account = AccountRecord(localID: id, createdAt: Timestamp(seconds: time))
        change(&account)
        return account
    }

    @Test("finds by each condition, and by several at once")
    func conditions() async throws {
        try await withPlace { place in
            try await place.insert([
                account("a", 10) {
                    ($0.email, $0.emailVerified, $0.displayName) = ("ann@example.com", true, "Ann Lee")
                    $0.customAttributes = #"{"role":"editor","level":3}"#
                    $0.lastLoginAt = Timestamp(seconds: 100)
                },
                account("b", 20) {
                    ($0.email, $0.displayName, $0.isDisabled) = ("annika@example.com", "ANN", true)
                    $0.customAttributes = #"{"role":"viewer"}"#
                    ($0.lastLoginAt, $0.lastRefreshAt) = (Timestamp(seconds: 100), Timestamp(seconds: 300))
                },
                account("c", 30) { ($0.phoneNumber, $0.displayName) = ("+15555550100", "Zoé") }, account("d", 40),
                account("e", 50) { $0.passwordHash = "x" },
            ])
            try await place.store.write { transaction in
                let identity = IdentityRecord(providerID: "google.com", rawID: "g1")
                try transaction.upsertIdentity(Self.scope, localID: "b", identity, at: Timestamp(seconds: 1))
            }
            #expect(try await place.ids { _ in } == ["e", "d", "c", "b", "a"])
            #expect(try await place.ids { $0.localID = "c" } == ["c"])
            #expect(try await place.ids { $0.localID = "nobody" } == [])
            #expect(try await place.ids { $0.emailPrefix = "ANN" } == ["a", "b"])
            #expect(try await place.ids { $0.emailPrefix = "ann@" } == ["a"])
            #expect(try await place.ids { $0.phonePrefix = "+1555" } == ["c"])
            #expect(try await place.ids { $0.namePrefix = "ann" } == ["b", "a"])
            #expect(try await place.ids { $0.namePrefix = "zoé" } == ["c"])
            #expect(try await place.ids { $0.namePrefix = "zoÉ" } == [])
            #expect(try await place.ids { $0.identity = .init(providerID: "google.com", rawID: "g1") } == ["b"])
            #expect(try await place.ids { $0.identity = .init(providerID: "google.com", rawID: "g") } == [])
            #expect(try await place.ids { $0.identity = .init(providerID: "google.com") } == ["b"])
            #expect(try await place.ids { $0.identity = .init(providerID: "phone") } == ["c"])
            #expect(try await place.ids { $0.identity = .init(providerID: "password") } == ["e"])
            #expect(try await place.ids { $0.claim = .init(name: "role") } == ["b", "a"])
            #expect(try await place.ids { $0.claim = .init(name: "role", value: "editor") } == ["a"])
            #expect(try await place.ids { $0.claim = .init(name: "level", value: "3") } == ["a"])
            #expect(try await place.ids { $0.isDisabled = true } == ["b"])
            #expect(try await place.ids { $0.isVerified = true } == ["a"])
            #expect(try await place.ids { $0.isAnonymous = true } == ["d"])
            #expect(
                try await place.ids { $0.created = .init(since: Timestamp(seconds: 20), before: Timestamp(seconds: 40)) } == [
                    "c", "b",
                ]
            )
            #expect(try await place.ids { $0.lastSeen.since = Timestamp(seconds: 300) } == ["b"])
            #expect(try await place.ids { $0.lastSeen.before = Timestamp(seconds: 300) } == ["a"])
            #expect(try await place.ids { ($0.emailPrefix, $0.isDisabled) = ("ann", false) } == ["a"])
            #expect(try await place.ids { ($0.localID, $0.isDisabled) = ("a", true) } == [])
            #expect(
                try await place.ids {
                    $0.identity = .init(providerID: "google.com", rawID: "g1"); $0.namePrefix = "z"
                } == []
            )
        }
    }

    @Test("takes no character of a text as a wildcard, and texts that no account can have find nothing")
    func hostileTexts() async throws {
        try await withPlace { place in
            let names = ["100% sure", "100 sure", "a_b", "axb", "\\", "\u{212A}elvin", "Kelvin"]
            try await place.insert(names.enumerated().map { index, name in account("\(index)") { $0.displayName = name } })
            for (prefix, expected) in [
                ("100%", ["0"]), ("%", []), ("_", []), ("a_", ["2"]), ("\\", ["4"]), ("k", ["6"]), ("\u{212A}", ["5"]),
                ("' OR 1=1 --", []),
                ("a\u{0}", []), (String(repeating: "a", count: 100_000), []),
            ] as [(String, [String])] {
                #expect(try await place.ids { $0.namePrefix = prefix } == expected, "\(prefix.prefix(20).debugDescription)")
                #expect(try await place.ids { $0.emailPrefix = prefix } == [])
                #expect(try await place.ids { $0.phonePrefix = prefix } == [])
                #expect(try await place.ids { $0.claim = .init(name: prefix, value: prefix) } == [])
            }
        }
    }

    @Test("examines a bounded number of accounts for a page, tells how many, and goes on where it stopped")
    func bounds() async throws {
        try await withPlace { place in
            let count = AccountFinder.examinedPerPage * 2 + 10
            try await place.insert((0..<count).map { index in account("u\(index)", Int64(index)) { $0.isDisabled = index == 0 } })
            var query = AccountQuery()
            query.isDisabled = true
            let first = try await place.finder.page(query, size: 10, token: "", in: Self.scope)
            #expect(first.accounts.isEmpty)
            #expect(first.examined == Int64(AccountFinder.examinedPerPage))
            let second = try await place.finder.page(query, size: 10, token: try #require(first.nextToken), in: Self.scope)
            #expect(second.examined == Int64(AccountFinder.examinedPerPage * 2))
            let third = try await place.finder.page(query, size: 10, token: try #require(second.nextToken), in: Self.scope)
            #expect(third.accounts.map(\.account.localID) == ["u0"])
            #expect(third.examined == Int64(count))
            #expect(third.nextToken == nil)
            let largest = try await place.finder.page(AccountQuery(), size: .max, token: "", in: Self.scope)
            #expect(largest.accounts.count == AccountFinder.largestPage)
            let least = try await place.finder.page(AccountQuery(), size: -1, token: "", in: Self.scope)
            #expect(least.accounts.count == 1)
        }
    }

    @Test("takes a page token for its own query in its own scope only, and no forged one")
    func tokens() async throws {
        try await withPlace { place in
            let document: JSONValue = ["tenantId": "t", "createdAt": "2026-01-01T00:00:00Z"]
            let resource = ResourceRecord(kind: .tenant, resourceID: "t", document: document)
            try await place.store.write { try $0.putResource(Self.scope, resource, at: Timestamp(seconds: 1)) }
            try await place.insert((0..<5).map { index in account("u\(index)", Int64(index)) })
            try await place.insert((0..<5).map { index in account("t\(index)", Int64(index)) }, in: Self.tenant)
            #expect(try await place.ids({ _ in }, in: Self.tenant) == ["t4", "t3", "t2", "t1", "t0"])
            let page = try await place.finder.page(AccountQuery(), size: 2, token: "", in: Self.scope)
            let token = try #require(page.nextToken)
            let next = try await place.finder.page(AccountQuery(), size: 2, token: token, in: Self.scope)
            #expect(next.accounts.map(\.account.localID) == ["u2", "u1"])
            var other = AccountQuery()
            other.isDisabled = false
            let foreign = try place.sealer.seal(Data("tenants x".utf8), for: .pageToken, scope: Self.scope)
            for (query, token, scope) in [
                (other, token, Self.scope), (AccountQuery(), token, Self.tenant), (AccountQuery(), token + "A", Self.scope),
                (AccountQuery(), "u2", Self.scope), (AccountQuery(), foreign, Self.scope),
                (AccountQuery(), String(repeating: "A", count: 100_000), Self.scope),
            ] {
                let error = await #expect(throws: APIError.self) {
                    try await place.finder.page(query, size: 2, token: token, in: scope)
                }
                #expect(error?.code == .invalidPageSelection)
            }
        }
    }
}
