import Accounts
import Foundation
import Project
import Storage
import TestKit
import Testing

@testable import Passwords
@testable import Server

@Suite("Accounts with imported passwords cannot be told from others by time (ENU-06)", .teardown, .timeLimit(.minutes(15)))
struct ImportedPasswordTests {
    /// The work of the hasher for one try.
    private struct Asked: Hashable {
        let defaultHashes: Int
        let others: [PasswordWork: Int]
        let answer: String
    }

    private func start(on engine: Engine = .sqlite) async throws -> TestServer {
        return try await TestServer.start(project: TestServer.emailProject(hidesAccounts: true), on: engine)
    }

    private func tries(
        _ server: TestServer,
        _ emails: [String],
        password: String = "wrong",
        tenant: String? = nil
    ) async throws -> Set<Asked> {
        let hasher = server.core.assembly.hasher
        var all: Set<Asked> = []
        for email in emails {
            let (hashes, others) = (hasher.load.defaultHashes, hasher.otherWork)
            let credentials: JSONValue = [
                "email": .string("\(email)@example.com"), "password": .string(password), "returnSecureToken": true,
            ]
            let place: JSONValue = tenant.map { ["tenantId": .string($0)] } ?? [:]
            let answer = try await server.call("signInWithPassword", credentials.merging(place))
            let changed = hasher.otherWork.map { ($0.key, $0.value - (others[$0.key] ?? 0)) }.filter { $0.1 != 0 }
            all.insert(
                Asked(
                    defaultHashes: hasher.load.defaultHashes - hashes,
                    others: Dictionary(changed) { $1 },
                    answer: TestServer.outcome(answer)
                )
            )
        }
        return all
    }

    private func upload(_ server: TestServer, _ parameters: JSONValue, _ name: String, hash: [UInt8]) async throws {
        let user: JSONValue = [
            "localId": .string(name), "email": .string("\(name)@example.com"), "salt": "TmFDbA==",
            "passwordHash": .string(Data(hash).base64EncodedString()),
        ]
        let answer = try await server.admin("accounts:batchCreate", parameters.merging(["users": [user]]))
        #expect(answer["error"] == nil && answer["warning"] == nil, "\(answer.json)")
    }

    private static let scrypt: JSONValue = [
        "hashAlgorithm": "SCRYPT", "signerKey": "c2VjcmV0LWtleQ==", "rounds": 8, "memoryCost": 4,
    ]
    private static let standard: JSONValue = [
        "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 16, "blockSize": 8, "parallelization": 1, "dkLen": 64,
    ]
    private static let bcrypt = "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
    // The password of ``bcrypt``.
    private static let bcryptPassword =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789a"

    @Test(
        "unknown, native, imported of several kinds, disabled and without password: the same is computed and said",
        arguments: Engine.allCases
    )
    func sameWork(engine: Engine) async throws {
        let server = try await start(on: engine)
        _ = try await server.signUp("native@example.com")
        #expect(try await server.admin("accounts", ["email": "without@example.com"]).status == 200)
        #expect(try await tries(server, ["unknown", "native", "without"]).count == 1)
        try await upload(server, Self.scrypt, "scrypt", hash: [UInt8](repeating: 0, count: 10))
        try await upload(server, Self.standard, "standard", hash: [UInt8](repeating: 0, count: 64))
        try await upload(server, ["hashAlgorithm": "BCRYPT"], "bcrypt", hash: Array(Self.bcrypt.utf8))
        try await upload(server, Self.scrypt, "disabled", hash: [UInt8](repeating: 0, count: 10))
        #expect(try await server.callAsAdmin("update", ["localId": "disabled", "disableUser": true]).status == 200)
        let emails = ["unknown", "native", "without", "scrypt", "standard", "bcrypt", "disabled"]
        let asked = try await tries(server, emails)
        #expect(asked.count == 1, "\(asked)")
        #expect(asked.first?.defaultHashes == 1 && asked.first?.others.values.sorted() == [1, 1, 1])
        // The sign-in that hashes the password again leaves the work of the others unchanged.
        let signedIn = try await server.signIn("bcrypt@example.com", password: Self.bcryptPassword)
        #expect(signedIn.status == 200, "\(signedIn.json)")
        #expect(try await tries(server, emails) == asked)
    }

    @Test(
        "a walk finds what earlier versions and other settings left, and forgets after a day what nobody has any more",
        arguments: Engine.allCases
    )
    func survey(engine: Engine) async throws {
        let server = try await start(on: engine)
        let core = server.core
        let works = PasswordWorks(database: core.database, environment: core.environment, hasher: core.assembly.hasher)
        _ = try await server.signUp("native@example.com")
        // More accounts than a page has.
        let users = (0..<600).map { JSONValue.object(["localId": .string("user-\($0)")]) }
        #expect(try await server.admin("accounts:batchCreate", ["users": .array(users)]).status == 200)
        try await upload(server, Self.scrypt, "scrypt", hash: [UInt8](repeating: 0, count: 10))
        try await upload(server, ["hashAlgorithm": "BCRYPT"], "zz-bcrypt", hash: Array(Self.bcrypt.utf8))
        _ = try await core.database.write { try $0.execute("DELETE FROM password_work") }
        #expect(try await works.survey { false } == nil)
        let found = try #require(try await works.survey())
        #expect(found.kinds == 3 && !found.isTooMuch)
        let emails = ["unknown", "native", "scrypt", "zz-bcrypt"]
        let asked = try await tries(server, emails)
        #expect(asked.count == 1 && asked.first?.others.count == 2, "\(asked)")

        #expect(try await server.signIn("zz-bcrypt@example.com", password: Self.bcryptPassword).status == 200)
        #expect(try await works.survey()?.kinds == 2)
        #expect(try await tries(server, emails) == asked)
        server.clock.advance(by: .seconds(86_401))
        _ = try await works.survey()
        let fewer = try await tries(server, emails)
        #expect(fewer.count == 1 && fewer.first?.others.count == 1, "\(fewer)")
    }

    @Test("passwords of former settings, which the server hashed itself, cost all tries the same, too")
    func formerSettings() async throws {
        let server = try await start()
        let core = server.core
        for name in ["native", "former"] { _ = try await server.signUp("\(name)@example.com") }
        let parameters = try #require(Argon2Parameters(memoryKiB: 16_384, iterations: 1, parallelism: 1))
        let former = PasswordHasher(defaultAlgorithm: parameters, workers: 1, queueLimit: 1, environment: core.environment)
        let text = try await former.hash("secret-1", for: nil).text
        _ = try await core.database.write {
            try $0.execute("UPDATE accounts SET password_hash = \(text) WHERE email = 'former@example.com'")
        }
        _ = try await PasswordWorks(database: core.database, environment: core.environment, hasher: core.assembly.hasher)
            .survey()
        let asked = try await tries(server, ["unknown", "native", "former"])
        #expect(asked.count == 1 && asked.first?.others.count == 1, "\(asked)")
        await former.close()
    }

    @Test(
        "a tenant's imports make no wrong password of others slow, and its own by little, however many kinds they bring (RES-07)"
    )
    func tenants() async throws {
        let server = try await start()
        let tenant = try await server.admin("POST", "/tenants", ["displayName": "alpha", "allowPasswordSignup": true])
        let name = String(try #require(tenant["name"]?.string?.split(separator: "/").last))
        let before = try await tries(server, ["unknown"])
        var warned = 0
        for (index, lanes) in (1...9).enumerated() {
            let user: JSONValue = [
                "localId": .string("w\(index)"), "email": .string("w\(index)@example.com"), "salt": "TmFDbA==",
                "passwordHash": .string(Data(repeating: 1, count: 64).base64EncodedString()),
            ]
            let parameters: JSONValue = [
                "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 16_384, "blockSize": 8, "dkLen": 64,
                "parallelization": .integer(Int64(lanes)), "users": [user],
            ]
            let answer = try await server.admin("accounts:batchCreate", parameters, tenant: name)
            #expect(answer["error"] == nil, "\(answer.json)")
            if answer["warning"] != nil { warned += 1 }
        }
        #expect(try await tries(server, ["unknown"]) == before)
        let asked = try #require(try await tries(server, ["unknown"], tenant: name).first)
        #expect(asked.defaultHashes == 1 && asked.others.count == 2, "\(asked)")
        #expect(asked.others.keys.reduce(0) { $0 + $1.cost } <= 6)
        #expect(warned == 7)
        let core = server.core
        let works = PasswordWorks(database: core.database, environment: core.environment, hasher: core.assembly.hasher)
        let found = try #require(try await works.survey())
        #expect(found.isTooMuch && found.kinds == 10)
        #expect(try await tries(server, ["unknown"]) == before)
    }
}
