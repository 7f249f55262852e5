import Foundation
import Project
import Storage
import TestKit
import Testing
import Tokens

@testable import Accounts
@testable import Server

/// Whoever can write to the tables also waits until the server's own work has gone over what he did.
@Suite("A forged audit trail (OPS-06)", .teardown, .timeLimit(.minutes(15)))
struct AuditForgeryTests {
    private static let key = AuditChainKey(scope: Scope(projectID: "demo-test"), recordClass: "administration")

    private static func signer(_ number: UInt8 = 7, previous: UInt8? = nil) throws -> AuditSigner {
        func masterKey(_ number: UInt8) throws -> MasterKey { try MasterKey(bytes: [UInt8](repeating: number, count: 32)) }
        return try AuditSigner(masterKey: masterKey(number), previous: previous.map(masterKey))
    }

    private static func fill(_ server: TestServer, _ count: Int = 5, tenant: String? = nil) async throws {
        for number in 0..<count {
            server.clock.advance(by: .seconds(1))
            let body: JSONValue = ["localId": .string("user-\(number)-\(server.clock.now.seconds)")]
            #expect(try await server.admin("accounts", body, tenant: tenant).status == 200)
        }
    }

    private static func faults(_ server: TestServer, _ signer: AuditSigner? = nil) async throws -> [String] {
        let verification = AuditVerification(database: server.core.database, signer: try signer ?? self.signer())
        return try await verification.verify(projectID: "demo-test").flatMap(\.faults)
    }

    private static func rows(_ server: TestServer, _ key: AuditChainKey = key) async throws -> [AuditRow] {
        try await server.core.database.read { try $0.chainedAuditRows(key, after: AuditRow.beforeAll, limit: 100) }
    }

    /// What the server does by itself in the days after.
    private static func ownWork(_ server: TestServer) async throws {
        try await fill(server, 2)
        _ = try await server.core.auditSequencer.sequence()
        try await server.core.expiredRows.remove()
        server.clock.advance(by: .seconds(86_400))
        _ = try await server.core.auditSequencer.sequence()
        try await server.core.expiredRows.remove()
    }

    /// A change of the tables by somebody who knows how hashes are made. The key of the signatures is not in the store.
    enum Forgery: String, CaseIterable {
        case actor = "UPDATE audit_events SET actor = 'nobody' WHERE chain_seq = 2"
        case detail = "UPDATE audit_events SET detail = '{}' WHERE chain_seq = 2"
        case time = "UPDATE audit_events SET occurred_at = 1 WHERE chain_class IS NOT NULL"
        case removal = "DELETE FROM audit_events WHERE chain_seq = 5"
        case timeAlone = "UPDATE audit_events SET occurred_at = 1 WHERE chain_class = 'administration'"
        case copiedSignature =
            "UPDATE audit_events SET occurred_at = 1, chain_checkpoint = (SELECT head_checkpoint FROM audit_chains)"
        case ends = "DELETE FROM audit_chains"
        case head = "UPDATE audit_chains SET head_seq = 3"
        case signature = "UPDATE audit_chains SET head_checkpoint = ''"
        case cut = "UPDATE audit_chains SET cut_seq = 3, cut_checkpoint = head_checkpoint"
        case stray = "UPDATE audit_events SET chain_seq = -1 WHERE chain_seq = 5"
        case unnamed = "UPDATE audit_events SET chain_class = NULL WHERE chain_seq = 5"

        fileprivate var makesHashesAnew: Bool { makesHeadAnew || [.timeAlone, .copiedSignature].contains(self) }
        /// Whether the ends of the chain are not what was signed.
        fileprivate var changesEnds: Bool { makesHeadAnew || [.ends, .head, .signature, .cut].contains(self) }
        fileprivate var makesHeadAnew: Bool { [.actor, .detail, .time, .removal].contains(self) }
    }

    // Hashes every record of the chain anew, and may write the last hash as the head.
    private static func rehash(_ server: TestServer, withHead: Bool) async throws {
        try await server.core.database.write { transaction throws in
            var ends = try #require(try transaction.auditChain(key))
            (ends.headSeq, ends.headHash) = (0, AuditHash.first)
            for row in try transaction.chainedAuditRows(key, after: AuditRow.beforeAll, limit: 100) {
                ends.headHash = AuditHash.of(row, in: key, seq: row.seq, previous: ends.headHash)
                ends.headSeq = row.seq
                _ = try transaction.execute(
                    "UPDATE audit_events SET chain_hash = \(ends.headHash) WHERE event_id = \(row.event.eventID)"
                )
            }
            if withHead { try transaction.storeAuditChain(ends) }
        }
    }

    @Test("is never signed by the server's own work", arguments: Forgery.allCases, Engine.allCases)
    func forgery(forgery: Forgery, engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        try await Self.fill(server)
        _ = try await server.core.auditSequencer.sequence()
        #expect(try await Self.faults(server).isEmpty)
        #expect(try await server.core.database.write { try $0.execute("\(raw: forgery.rawValue)") } > 0)
        if forgery.makesHashesAnew { try await Self.rehash(server, withHead: forgery.makesHeadAnew) }
        let before = try await Set(Self.rows(server).map(\.event.eventID))
        #expect(try await Self.faults(server).isEmpty == false)
        try await Self.ownWork(server)
        #expect(try await Self.faults(server).isEmpty == false)
        let after = try await Set(Self.rows(server).map(\.event.eventID))
        #expect(after.isSuperset(of: before))
        #expect(after == before || !forgery.changesEnds)
    }

    @Test("stops neither the chains nor the clean-up of others", arguments: Engine.allCases)
    func others(engine: Engine) async throws {
        let server = try await TestServer.start(environment: ["POSTERN_LIMITS_AUDIT_DAYS": "10"], on: engine)
        let tenant = AuditChainKey(scope: Scope(projectID: "demo-test", tenantID: "acme"), recordClass: "administration")
        try await Self.fill(server, 3)
        try await Self.fill(server, 3, tenant: "acme")
        _ = try await server.core.auditSequencer.sequence()
        let forging: SQL = "UPDATE audit_chains SET head_hash = '00' WHERE tenant_id = ''"
        #expect(try await server.core.database.write { try $0.execute(forging) } == 1)
        try await Self.fill(server, 250)
        try await Self.fill(server, 1, tenant: "acme")
        _ = try await server.core.auditSequencer.sequence()
        #expect(try await Self.rows(server).count == 3)
        #expect(try await Self.rows(server, tenant).count == 4)
        server.clock.advance(by: .seconds(86_400 * 11))
        try await server.core.expiredRows.remove()
        #expect(try await Self.rows(server).count == 3)
        #expect(try await Self.rows(server, tenant).isEmpty)
    }

    @Test("is told from one that a replaced master key signed, whose ends get the new signature", arguments: Engine.allCases)
    func replacedKey(engine: Engine) async throws {
        let server = try await TestServer.start(on: engine)
        try await Self.fill(server)
        _ = try await server.core.auditSequencer.sequence()
        let both = try Self.signer(8, previous: 7)
        let (database, environment) = (server.core.database, server.core.environment)
        // A node that has both keys goes on from what either signed.
        server.clock.advance(by: .seconds(130))
        try await Self.fill(server, 1)
        let sequencer = AuditSequencer(database: database, environment: environment, signer: both)
        #expect(try await sequencer.sequence() == 1)
        #expect(try await Self.faults(server, both).isEmpty)
        #expect(try await AuditResealing(database: database, signer: both, now: environment.now).reseal() == 0)
        #expect(try await Self.faults(server, Self.signer(8)).isEmpty)
        // Retention ends on signed records, which are signed anew as well.
        let check = AuditEndsCheck(signer: try Self.signer(8))
        let signed = try await Self.rows(server).filter { check.isSigned($0, in: Self.key) }
        #expect(signed.map(\.seq) == [5, 6])
        let forging: SQL = "UPDATE audit_chains SET head_hash = '00'"
        #expect(try await database.write { try $0.execute(forging) } == 1)
        #expect(try await AuditResealing(database: database, signer: both, now: environment.now).reseal() == 1)
        #expect(try await Self.faults(server, both).isEmpty == false)
    }
}
