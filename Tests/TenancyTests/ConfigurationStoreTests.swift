import Federation
import Project
import Storage
import Tenancy
import TestKit
import Testing
import Tokens

@Suite("Configuration", .timeLimit(.minutes(15)))
struct ConfigurationStoreTests {
    private static func store(_ database: any Database, _ clock: TestClock) throws -> ConfigurationStore {
        let sealer = TokenSealer(masterKey: try MasterKey(bytes: Array(1...32)), environment: clock.environment())
        return ConfigurationStore(database: database, environment: clock.environment(), sealer: sealer, mode: .production)
    }

    @Test("that one node changes is in force on another within two seconds")
    func otherNode() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(database, now: 0)
        let clock = TestClock()
        let scope = Scope(projectID: "p")
        let node = try Self.store(database, clock)
        #expect(try await node.configuration(of: scope).policy.allowsAnonymous == false)
        let changed = ResourceRecord(
            kind: .config,
            resourceID: "",
            document: ["signIn": ["anonymous": ["enabled": true]]]
        )
        try await database.write { try $0.putResource(scope, changed, at: clock.now) }
        clock.advance(by: .milliseconds(1999))
        #expect(try await node.configuration(of: scope).policy.allowsAnonymous)
        try await database.close()
    }

    private static func saml(_ database: any Database, _ clock: TestClock) throws -> SAMLAdministration {
        let environment = clock.environment()
        let key = try MasterKey(bytes: Array(repeating: 7, count: 32))
        let sealer = TokenSealer(masterKey: key, environment: environment)
        let keys = ServiceProviderKeys(database: database, sealer: sealer, environment: environment)
        let tools = SAMLTools(verifier: SAMLVerification(threads: 1), storedKeys: { [] }, signingKey: { nil })
        return SAMLAdministration(
            keys: keys,
            metadata: IdentityProviderMetadataReader(environment: environment, saml: tools),
            callback: { "" }
        )
    }

    @Test("that a node has changed itself is in force on it at once")
    func sameNode() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(database, now: 0)
        let clock = TestClock()
        let scope = Scope(projectID: "p")
        let node = try Self.store(database, clock)
        let administration = ConfigurationAdministration(
            configurations: node,
            network: NetworkGuard(allowPrivateNetworks: false),
            facts: .init(apiKey: nil) { [] },
            saml: try Self.saml(database, clock),
            logger: LogCapture().logger()
        )
        #expect(try await node.configuration(of: scope).policy.allowsAnonymous == false)
        let context = CallContext(scope: scope, isPrivileged: true)
        let body: JSONValue = ["signIn": ["anonymous": ["enabled": true]]]
        _ = try await administration.project.update(body, mask: nil, context: context)
        #expect(try await node.configuration(of: scope).policy.allowsAnonymous)
        try await database.close()
    }

    /// A store whose reads wait until they are let through, and are counted.
    private struct HeldDatabase: Database {
        let database: any Database
        let gate: AsyncStream<Void>
        let reads: LockedState<Int>

        func read<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            reads.withLock { $0 += 1 }
            for await _ in gate { break }
            return try await database.read(body)
        }

        func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
            try await database.write(body)
        }

        func ping() async throws { try await database.ping() }
        func close() async throws { try await database.close() }
    }

    @Test("is read once for all calls that wait for it (RES-03)")
    func sharedReading() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(database, now: 0)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let reads = LockedState(0)
        let node = try Self.store(HeldDatabase(database: database, gate: gate, reads: reads), TestClock())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let configuration = try await node.configuration(of: Scope(projectID: "p"))
                    #expect(!configuration.policy.allowsAnonymous)
                }
            }
            while reads.withLock({ $0 }) == 0 { await Task.yield() }
            for _ in 0..<1000 { await Task.yield() }
            #expect(reads.withLock { $0 } == 1)
            opener.finish()
            try await group.waitForAll()
        }
        try await database.close()
    }

    @Test("takes no more providers than every call can work with", arguments: [(1000, 10), (10, 450_000)])
    func room(count: Int, bytes: Int) async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(database, now: 0)
        let clock = TestClock()
        let scope = Scope(projectID: "p")
        let administration = ConfigurationAdministration(
            configurations: try Self.store(database, clock),
            network: NetworkGuard(allowPrivateNetworks: false),
            facts: .init(apiKey: nil) { [] },
            saml: try Self.saml(database, clock),
            logger: LogCapture().logger()
        )
        let filler = JSONValue.string(String(repeating: "x", count: bytes))
        try await database.write { transaction in
            for number in 0..<count {
                let record = ResourceRecord(
                    kind: .defaultSupportedIdpConfig,
                    resourceID: "p\(number).com",
                    document: ["name": filler]
                )
                try transaction.putResource(scope, record, at: clock.now)
            }
        }
        let context = CallContext(scope: scope, isPrivileged: true)
        let body: JSONValue = ["clientId": "client", "clientSecret": "secret"]
        let refusal = await #expect(throws: APIError.self) {
            try await administration.providers.create(.defaultSupportedIdpConfigs, id: "github.com", body: body, context: context)
        }
        #expect(refusal?.message.contains("1000 providers") == true, "\(refusal?.message ?? "")")
        try await database.write { _ = try $0.deleteResource(scope, kind: .defaultSupportedIdpConfig, resourceID: "p0.com") }
        _ = try await administration.providers.create(
            .defaultSupportedIdpConfigs,
            id: "github.com",
            body: body,
            context: context
        )
        try await database.close()
    }

    @Test("with a password policy that cannot be read lets nobody in rather than anybody")
    func damagedPolicy() async throws {
        let database = try SQLiteDatabase(.memory, readers: 1, logger: LogCapture().logger())
        try await Migrator.sqlite.migrate(database, now: 0)
        let clock = TestClock()
        let scope = Scope(projectID: "p")
        let document: JSONValue = ["passwordPolicyConfig": ["passwordPolicyEnforcementState": "ENFORCE"]]
        let damaged = ResourceRecord(kind: .config, resourceID: "", document: document)
        try await database.write { try $0.putResource(scope, damaged, at: clock.now) }
        let node = try Self.store(database, clock)
        await #expect(throws: APIError.self) { try await node.configuration(of: scope) }
        try await database.close()
    }
}
