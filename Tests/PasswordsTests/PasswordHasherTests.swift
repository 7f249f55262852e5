import Project
import TestKit
import Testing

@testable import Passwords

@Suite("Password hasher", .timeLimit(.minutes(15)))
struct PasswordHasherTests {
    // The cheapest parameters, because these tests are not about the cost.
    private static let cheap = Argon2Parameters(memoryKiB: 8, iterations: 1, parallelism: 1)!

    private static func hasher(_ parameters: Argon2Parameters = cheap, workers: Int = 2, queueLimit: Int = 100) -> PasswordHasher
    {
        PasswordHasher(
            defaultAlgorithm: parameters,
            workers: workers,
            queueLimit: queueLimit,
            environment: TestClock().environment()
        )
    }

    @Test(
        "knows its own hashes again, byte for byte",
        arguments: ["password", "", " password", "password ", "pass\0word", "\0", "пароль😀", String(repeating: "x", count: 4096)]
    )
    func own(password: String) async throws {
        let hasher = Self.hasher()
        let stored = try await hasher.hash(password, for: nil)
        #expect(try await hasher.verify(password, against: stored, for: nil) == .right(needsRehash: false))
        for wrong in ["x" + password.dropLast(), "y" + password.dropLast(), password + "\0"] where wrong != password {
            #expect(try await hasher.verify(wrong, against: stored, for: nil) == .wrong)
        }
        #expect(StoredPassword(text: stored.text) == stored)
        await hasher.close()
    }

    @Test("does not normalize: composed and decomposed letters are two passwords")
    func normalization() async throws {
        let hasher = Self.hasher()
        let stored = try await hasher.hash("caf\u{e9}", for: nil)
        #expect(try await hasher.verify("cafe\u{301}", against: stored, for: nil) == .wrong)
        await hasher.close()
    }

    @Test("draws a new salt for each hash")
    func salts() async throws {
        let hasher = Self.hasher()
        var salts: Set<[UInt8]> = []
        for _ in 0..<20 { salts.insert(try await hasher.hash("password", for: nil).salt) }
        #expect(salts.count == 20)
        #expect(salts.allSatisfy { $0.count == 16 })
        await hasher.close()
    }

    @Test("asks for a new hash where the stored one is of another algorithm or setting")
    func rehash() async throws {
        let hasher = Self.hasher()
        let digest = "b20ab74aa2549f7e13a0e886cb4471cc2e70fcd2ce8075c0ee6483abba6132f3"
        let foreign = try stored(["hashAlgorithm": "SHA256", "rounds": 1], salt: "NaCl", hash: digest)
        #expect(try await hasher.verify("password", against: foreign, for: nil) == .right(needsRehash: true))
        #expect(try await hasher.verify("passwort", against: foreign, for: nil) == .wrong)
        let former = Self.hasher(try #require(Argon2Parameters(memoryKiB: 16, iterations: 1, parallelism: 1)))
        let old = try await former.hash("password", for: nil)
        #expect(try await hasher.verify("password", against: old, for: nil) == .right(needsRehash: true))
        let new = try await hasher.hash("password", for: nil)
        #expect(try await hasher.verify("password", against: new, for: nil) == .right(needsRehash: false))
        await hasher.close()
        await former.close()
    }

    @Test("tells long passwords of a truncating import apart once they are hashed anew")
    func truncation() async throws {
        let hasher = Self.hasher()
        let start = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        let text = "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
        let bcrypt = try #require(StoredPassword(algorithm: .bcrypt, salt: [], hash: Array(text.utf8)))
        #expect(try await hasher.verify(start + "a", against: bcrypt, for: nil) == .right(needsRehash: true))
        let upgraded = try await hasher.hash(start + "a", for: nil)
        #expect(try await hasher.verify(start + "b", against: upgraded, for: nil) == .wrong)
        await hasher.close()
    }

    @Test("refuses passwords beyond 4096 bytes without hashing them")
    func tooLong() async throws {
        let hasher = Self.hasher()
        let stored = try await hasher.hash("password", for: nil)
        let before = hasher.load.defaultHashes
        for long in [String(repeating: "x", count: 4097), String(repeating: "é", count: 2049)] {
            #expect(try await hasher.verify(long, against: stored, for: nil) == .wrong)
            #expect(try await hasher.verify(long, against: nil, for: nil) == .wrong)
            let error = await #expect(throws: APIError.self) { try await hasher.hash(long, for: nil) }
            #expect(error?.code == .passwordDoesNotMeetRequirements)
        }
        #expect(hasher.load.defaultHashes == before)
        await hasher.close()
    }

    @Test("computes as much for an unknown e-mail as for a wrong password, and no less for an imported hash")
    func equalWork() async throws {
        let hasher = Self.hasher()
        let own = try await hasher.hash("password", for: nil)
        let digest = "b20ab74aa2549f7e13a0e886cb4471cc2e70fcd2ce8075c0ee6483abba6132f3"
        let foreign = try stored(["hashAlgorithm": "SHA256", "rounds": 1], salt: "NaCl", hash: digest)
        func work(_ body: () async throws -> Void) async throws -> Int {
            let before = hasher.load.defaultHashes
            try await body()
            return hasher.load.defaultHashes - before
        }
        #expect(try await work { _ = try await hasher.verify("password", against: nil, for: nil) } == 1)
        #expect(try await work { _ = try await hasher.verify("wrong", against: own, for: nil) } == 1)
        #expect(try await work { _ = try await hasher.verify("password", against: own, for: nil) } == 1)
        #expect(try await work { _ = try await hasher.verify("wrong", against: foreign, for: nil) } == 1)
        // The caller hashes the right password again.
        #expect(try await work { _ = try await hasher.verify("password", against: foreign, for: nil) } == 0)
        await hasher.close()
    }

    @Test("refuses what is beyond its queue, and answers all others, under load")
    func load() async throws {
        let hasher = Self.hasher(.owasp, workers: 1, queueLimit: 4)
        let outcomes = await withTaskGroup(of: ErrorCode?.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    do {
                        _ = try await hasher.verify("password", against: nil, for: nil)
                        return nil
                    } catch {
                        return (error as? APIError)?.code ?? .invalidConfig
                    }
                }
            }
            return await group.reduce(into: [ErrorCode?]()) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0 == nil || $0 == .tooManyAttemptsTryLater })
        #expect(outcomes.filter { $0 == nil }.count == hasher.load.defaultHashes)
        #expect(outcomes.contains(nil))
        #expect(hasher.load == PasswordHasher.Load(running: 0, waiting: 0, defaultHashes: hasher.load.defaultHashes))
        await hasher.close()
    }

    @Test("takes nothing after it was closed")
    func closed() async throws {
        let hasher = Self.hasher()
        await hasher.close()
        let error = await #expect(throws: APIError.self) { try await hasher.hash("password", for: nil) }
        #expect(error?.code == .tooManyAttemptsTryLater)
        #expect(error?.isOverload == true && error?.retryAfterSeconds == 1)
    }
}
