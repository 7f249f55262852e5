import Project
import Storage
import Testing

@Suite("Authorization flows in the store", .teardown, .timeLimit(.minutes(15)))
struct AuthorizationFlowTests {
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)

    private static func flow(_ number: UInt8, tenant: String? = "t", lifetime: Duration = .seconds(600))
        -> AuthorizationFlowRecord
    {
        AuthorizationFlowRecord(
            stateHash: [number, 0, 255],
            scope: Scope(projectID: "p", tenantID: tenant),
            providerID: "oidc.test",
            clientID: "client",
            redirectURI: "https://app.example.com/",
            sessionHash: [0, 255, number],
            secrets: "sealed",
            createdAt: time,
            expiresAt: time.advanced(by: lifetime)
        )
    }

    @Test("a flow is read as it was written, in its project, whatever its tenant", arguments: TestBackend.available)
    func roundTrip(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            var full = Self.flow(1)
            full.handlerData = #"{"eventId":"1"}"#
            full.answer = "sealed answer"
            let bare = Self.flow(2, tenant: nil)
            try transaction.insertAuthorizationFlow(full)
            try transaction.insertAuthorizationFlow(bare)
            #expect(try transaction.authorizationFlow(projectID: "p", stateHash: full.stateHash) == full)
            #expect(try transaction.authorizationFlow(projectID: "p", stateHash: bare.stateHash) == bare)
            #expect(try transaction.authorizationFlow(projectID: "other", stateHash: full.stateHash) == nil)
            #expect(try transaction.authorizationFlow(projectID: "p", stateHash: [9]) == nil)
        }
    }

    @Test("the first answer stays; a flow is completed once", arguments: TestBackend.available)
    func singleUse(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            let hash = Self.flow(1).stateHash
            try transaction.insertAuthorizationFlow(Self.flow(1))
            #expect(try !transaction.keepAuthorizationAnswer(projectID: "other", stateHash: hash, answer: "x"))
            #expect(try transaction.keepAuthorizationAnswer(projectID: "p", stateHash: hash, answer: "first"))
            #expect(try !transaction.keepAuthorizationAnswer(projectID: "p", stateHash: hash, answer: "second"))
            #expect(try transaction.authorizationFlow(projectID: "p", stateHash: hash)?.answer == "first")
            #expect(try !transaction.deleteAuthorizationFlow(projectID: "other", stateHash: hash))
            #expect(try transaction.deleteAuthorizationFlow(projectID: "p", stateHash: hash))
            #expect(try !transaction.deleteAuthorizationFlow(projectID: "p", stateHash: hash))
            #expect(try !transaction.keepAuthorizationAnswer(projectID: "p", stateHash: hash, answer: "third"))
        }
    }

    @Test("two flows never share a state", arguments: TestBackend.available)
    func unique(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { try $0.insertAuthorizationFlow(Self.flow(1)) }
        await #expect(throws: StorageError.self) {
            try await database.write { try $0.insertAuthorizationFlow(Self.flow(1, tenant: nil)) }
        }
    }

    @Test("of many nodes, one completes a flow", arguments: TestBackend.concurrent)
    func race(backend: TestBackend) async throws {
        let nodes = try await backend.makeNodes(2)
        _ = try await backend.migrator.migrate(nodes[0], now: 0)
        try await nodes[0].write { try $0.insertAuthorizationFlow(Self.flow(1)) }
        let hash = Self.flow(1).stateHash
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<16 {
                let node = nodes[number % 2]
                group.addTask {
                    try await node.write { try $0.deleteAuthorizationFlow(projectID: "p", stateHash: hash) }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
    }

    @Test("flows that nobody completed are forgotten in batches", arguments: TestBackend.available)
    func expiry(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for number in UInt8(0)..<5 {
                try transaction.insertAuthorizationFlow(Self.flow(number, lifetime: .seconds(Int(number))))
            }
            let limit = Self.time.advanced(by: .seconds(3))
            #expect(try transaction.deleteExpired(.authorizationFlows, before: limit, limit: 2) == 2)
            #expect(try transaction.deleteExpired(.authorizationFlows, before: limit, limit: 2) == 1)
            #expect(try transaction.deleteExpired(.authorizationFlows, before: limit, limit: 2) == 0)
        }
        #expect(try await database.count("authorization_flows") == 2)
    }
}
