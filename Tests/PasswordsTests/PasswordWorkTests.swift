import Foundation
import Project
import TestKit
import Testing

@testable import Passwords

@Suite("A wrong password costs the same, whatever is stored (ENU-06)", .timeLimit(.minutes(15)))
struct PasswordWorkTests {
    private static let cheap = Argon2Parameters(memoryKiB: 64, iterations: 1, parallelism: 1)!

    private static func hasher(_ parameters: Argon2Parameters = cheap) -> PasswordHasher {
        PasswordHasher(defaultAlgorithm: parameters, workers: 1, queueLimit: 1000, environment: TestClock().environment())
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func stored(_ parameters: JSONValue, _ hash: [UInt8], salt: [UInt8] = Array("beach".utf8)) throws
        -> StoredPassword
    {
        try #require(StoredPassword(algorithm: try PasswordAlgorithm(record: parameters), salt: salt, hash: hash))
    }

    /// One password of each kind that an import may have. No password matches their hashes.
    private static func imported() throws -> [StoredPassword] {
        let text = "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
        let argon2: JSONValue = ["hashType": "ARGON2_ID", "memoryCostKib": 128, "iterations": 1, "parallelism": 1]
        return try [
            stored(
                [
                    "hashAlgorithm": "SCRYPT", "signerKey": "c2VjcmV0LWtleQ==", "saltSeparator": "Bw==", "rounds": 8,
                    "memoryCost": 4,
                ],
                zeros(10)
            ),
            stored(
                [
                    "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 16, "blockSize": 8, "parallelization": 1, "dkLen": 64,
                ],
                zeros(64)
            ),
            stored(["hashAlgorithm": "BCRYPT"], Array(text.utf8)),
            stored(["hashAlgorithm": "PBKDF2_SHA256", "rounds": 10], zeros(32)),
            stored(["hashAlgorithm": "PBKDF2_SHA512", "rounds": 10], zeros(64)),
            stored(["hashAlgorithm": "PBKDF_SHA1", "rounds": 10], zeros(20)),
            stored(["hashAlgorithm": "HMAC_SHA256", "signerKey": "c2VjcmV0LWtleQ=="], zeros(32)),
            stored(["hashAlgorithm": "SHA512", "rounds": 3], zeros(64)),
            stored(["hashAlgorithm": "MD5"], zeros(16)),
            stored(
                ["hashAlgorithm": "ARGON2", "argon2Parameters": argon2.merging(["hashLengthBytes": 32])],
                zeros(32),
                salt: Array("a long salt".utf8)
            ),
        ]
    }

    /// The work of a check: default hashes, and other kinds of work.
    private struct Asked: Hashable {
        let defaultHashes: Int
        let others: [PasswordWork: Int]
    }

    private func asked(of hasher: PasswordHasher, _ body: () async throws -> PasswordHasher.Verdict) async throws -> Asked {
        let (hashes, others) = (hasher.load.defaultHashes, hasher.otherWork)
        #expect(try await body() == .wrong)
        let changed = hasher.otherWork.map { ($0.key, $0.value - (others[$0.key] ?? 0)) }.filter { $0.1 != 0 }
        return Asked(defaultHashes: hasher.load.defaultHashes - hashes, others: Dictionary(changed) { $1 })
    }

    @Test("by what is computed: nothing stored, the server's own, and every algorithm of imports")
    func sameWork() async throws {
        let hasher = Self.hasher()
        let own = try await hasher.hash("password", for: nil)
        let imported = try Self.imported()
        let works = imported.compactMap(\.work)
        #expect(Set(works).count == imported.count)
        let unusable = try #require(StoredPassword.unusable(salt: [1], hash: [1, 2]))
        let all: [StoredPassword?] = [nil, own, unusable] + imported
        for works in [[], works, works + [try #require(hasher.defaultWork)]] {
            var kinds: Set<Asked> = []
            for stored in works.isEmpty ? [nil, own, unusable] : all {
                kinds.insert(
                    try await asked(of: hasher) {
                        try await hasher.verify("wrong", against: stored, among: works, for: nil)
                    }
                )
            }
            #expect(kinds.count == 1, "\(kinds)")
            let known = Set(works).subtracting([try #require(hasher.defaultWork)])
            #expect(kinds.first == Asked(defaultHashes: 1, others: Dictionary(known.map { ($0, 1) }) { $1 }))
        }
        await hasher.close()
    }

    @Test("what differs only in the length of its output is one kind")
    func lengths() throws {
        func kinds(_ parameters: (Int) -> JSONValue, _ lengths: [Int]) throws -> Int {
            let salt = Array("a long salt".utf8)
            return Set(try lengths.map { try Self.stored(parameters($0), Self.zeros($0), salt: salt).work }).count
        }
        let scrypt: JSONValue = ["hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 16, "blockSize": 8, "parallelization": 1]
        #expect(try kinds({ scrypt.merging(["dkLen": .integer(Int64($0))]) }, [4, 32, 64, 1024]) == 1)
        let argon2: JSONValue = ["hashType": "ARGON2_ID", "memoryCostKib": 128, "iterations": 1, "parallelism": 1]
        let hash: (Int) -> JSONValue = {
            ["hashAlgorithm": "ARGON2", "argon2Parameters": argon2.merging(["hashLengthBytes": .integer(Int64($0))])]
        }
        #expect(try kinds(hash, [4, 32, 64, 1024]) == 1)
        // Each block is all rounds again.
        #expect(try kinds({ _ in ["hashAlgorithm": "PBKDF2_SHA256", "rounds": 10] }, [4, 31, 32, 33, 64, 512]) == 3)
    }

    @Test("the kinds that a wrong password costs are together not more than a few default hashes (RES-07)")
    func padding() async throws {
        let hasher = Self.hasher(.owasp)
        func scrypt(_ cost: Int64, _ lanes: Int64) throws -> PasswordWork {
            let parameters: JSONValue = [
                "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": .integer(cost), "blockSize": 8,
                "parallelization": .integer(lanes), "dkLen": 64,
            ]
            return try #require(try Self.stored(parameters, Self.zeros(64)).work)
        }
        func bcrypt(_ cost: String) throws -> PasswordWork {
            let text = "$2a$\(cost)$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
            return try #require(try Self.stored(["hashAlgorithm": "BCRYPT"], Array(text.utf8)).work)
        }
        let firebase: JSONValue = ["hashAlgorithm": "SCRYPT", "signerKey": "c2VjcmV0LWtleQ==", "rounds": 8, "memoryCost": 14]
        let common = [try #require(try Self.stored(firebase, Self.zeros(10)).work), try bcrypt("10")]
        #expect(Set(hasher.padding(common)) == Set(common))
        #expect(hasher.padding([try bcrypt("12")]).count == 1)
        let lanes: [(cost: Int64, most: Int64)] = [(131_072, 2), (65_536, 4), (32_768, 8)]
        let costly = try lanes.flatMap { kind in try (1...kind.most).map { try scrypt(kind.cost, $0) } } + [bcrypt("14")]
        #expect(costly.reduce(0) { $0 + $1.cost } > 100)
        #expect(hasher.padding(costly + common).reduce(0) { $0 + $1.cost } <= 6)
        #expect(Set(hasher.padding(costly + common)).isSuperset(of: common))
        await hasher.close()
    }

    @Test("by processor time, interleaved: unknown, own, scrypt and bcrypt")
    func sameTime() async throws {
        let hasher = Self.hasher()
        let own = try await hasher.hash("password", for: nil)
        let scrypt: JSONValue = ["hashAlgorithm": "SCRYPT", "signerKey": "c2VjcmV0LWtleQ==", "rounds": 8, "memoryCost": 9]
        let text = "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
        let imported = [
            try Self.stored(scrypt, Self.zeros(10)), try Self.stored(["hashAlgorithm": "BCRYPT"], Array(text.utf8)),
        ]
        let works = imported.compactMap(\.work)
        let all: [StoredPassword?] = [nil, own] + imported
        var times = [[Double]](repeating: [], count: all.count)
        for _ in 0..<21 {
            for (index, stored) in all.enumerated() {
                let start = Self.threadTime()
                #expect(try hasher.check(Array("wrong".utf8), against: stored, among: works) == .wrong)
                times[index].append(Self.threadTime() - start)
            }
        }
        let medians = times.map { $0.sorted()[$0.count / 2] }
        // Without the work of the others, the native check took a small part of the imported one's time.
        let (least, most) = (medians.min() ?? 0, medians.max() ?? 0)
        #expect(most < 1.5 * least, "\(medians)")
        await hasher.close()
    }

    // The processor time of this thread only, so that other tests do not count.
    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("and what is kept of the work has no secret and no salt in it, and is read back as it was written")
    func text() throws {
        for stored in try Self.imported() {
            let work = try #require(stored.work)
            #expect(PasswordWork(text: work.text) == work)
            #expect(!work.text.contains("c2VjcmV0LWtleQ") && !work.text.contains("YmVhY2g") && !work.text.contains("Bw"))
            #expect(!work.text.contains("5s2v8"))
        }
        #expect(PasswordWork(text: "{}") == nil)
        let unusable = try #require(StoredPassword.unusable(salt: [1], hash: [1, 2]))
        #expect(unusable.work == nil && StoredPassword(text: unusable.text) == unusable)
    }

    @Test("an unusable hash is opened by nothing, also not by a password that hashes to it under some algorithm (ruling 35)")
    func unusable() async throws {
        let hasher = Self.hasher()
        let own = try await hasher.hash("password", for: nil)
        for hash in [own.hash, Array("password".utf8), []] {
            let stored = try #require(StoredPassword.unusable(salt: own.salt, hash: hash))
            for password in ["password", ""] { #expect(try await hasher.verify(password, against: stored, for: nil) == .wrong) }
        }
        #expect(StoredPassword.unusable(salt: [], hash: Self.zeros(1025)) == nil)
        #expect(throws: APIError.self) { try PasswordAlgorithm(importing: ["hashAlgorithm": "UNUSABLE"]) }
        await hasher.close()
    }

    @Test("a right password costs its own check alone")
    func right() async throws {
        let hasher = Self.hasher()
        let own = try await hasher.hash("password", for: nil)
        let works = try Self.imported().compactMap(\.work)
        let before = hasher.load.defaultHashes
        #expect(try await hasher.verify("password", against: own, among: works, for: nil) == .right(needsRehash: false))
        #expect(hasher.load.defaultHashes == before + 1 && hasher.otherWork.isEmpty)
        await hasher.close()
    }
}
