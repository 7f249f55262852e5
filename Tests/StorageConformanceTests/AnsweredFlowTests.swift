import Project
import Storage
import Testing

@Suite("Flows whose answer has been taken, in the store", .teardown, .timeLimit(.minutes(15)))
struct AnsweredFlowTests {
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)

    private static func flow(_ number: UInt8, tenant: String? = "t", lifetime: Duration = .seconds(60)) -> AnsweredFlowRecord {
        let flow = AuthorizationFlowRecord(
            stateHash: [number, 0, 255],
            scope: Scope(projectID: "p", tenantID: tenant),
            providerID: "oidc.test",
            clientID: "client",
            redirectURI: "https://app.example.com/",
            sessionHash: [0, 255, number],
            secrets: "sealed",
            createdAt: time,
            expiresAt: time
        )
        return AnsweredFlowRecord(of: flow, answerHash: [7, number], expiresAt: time.advanced(by: lifetime))
    }

    @Test(
        "a flow is read as it was written, in its project; its proof is kept once and taken once",
        arguments: TestBackend.available
    )
    func roundTrip(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            let (flow, bare) = (Self.flow(1), Self.flow(2, tenant: nil))
            let hash = flow.stateHash
            try transaction.insertAnsweredFlow(flow)
            try transaction.insertAnsweredFlow(bare)
            #expect(try transaction.answeredFlow(projectID: "p", stateHash: hash) == flow)
            #expect(try transaction.answeredFlow(projectID: "p", stateHash: bare.stateHash) == bare)
            #expect(try transaction.answeredFlow(projectID: "other", stateHash: hash) == nil)
            let end = Self.time.advanced(by: .seconds(90))
            #expect(try !transaction.keepProof("x", projectID: "other", stateHash: hash, expiresAt: end))
            #expect(try transaction.keepProof("sealed", projectID: "p", stateHash: hash, expiresAt: end))
            #expect(try !transaction.keepProof("second", projectID: "p", stateHash: hash, expiresAt: end))
            var kept = flow
            (kept.proof, kept.expiresAt) = ("sealed", end)
            #expect(try transaction.answeredFlow(projectID: "p", stateHash: hash) == kept)
            #expect(try !transaction.deleteAnsweredFlow(projectID: "other", stateHash: hash))
            #expect(try transaction.deleteAnsweredFlow(projectID: "p", stateHash: hash))
            #expect(try !transaction.deleteAnsweredFlow(projectID: "p", stateHash: hash))
            #expect(try !transaction.keepProof("third", projectID: "p", stateHash: hash, expiresAt: end))
        }
    }

    @Test("flows whose client did not come again are forgotten in batches", arguments: TestBackend.available)
    func expiry(backend: TestBackend) async throws {
        let database = try await backend.makeSchema()
        try await database.write { transaction throws in
            for number in UInt8(0)..<5 {
                try transaction.insertAnsweredFlow(Self.flow(number, lifetime: .seconds(Int(number))))
            }
            let limit = Self.time.advanced(by: .seconds(3))
            #expect(try transaction.deleteExpired(.answeredFlows, before: limit, limit: 2) == 2)
            #expect(try transaction.deleteExpired(.answeredFlows, before: limit, limit: 2) == 1)
            #expect(try transaction.deleteExpired(.answeredFlows, before: limit, limit: 2) == 0)
        }
        #expect(try await database.count("answered_flows") == 2)
    }
}
