import Foundation
import Project
import TestKit
import Testing

@testable import Accounts
@testable import Server
@testable import Storage

/// `OwnedRows` lists every table with rows of an account, `AccountBucket.Kind` every count and mark of one.
@Suite("Every row that belongs to an account is known to the proof of who owns it", .teardown, .timeLimit(.minutes(15)))
struct OwnedRowsTests {
    private static let scope = Scope(projectID: "demo-test")
    private static let email = "owner@example.com"

    private func start(on engine: Engine) async throws -> TestServer {
        let environment = PlantingTests.environment.merging(
            ["POSTERN_LIMITS_SESSIONS_PER_USER": "2", "POSTERN_SERVER_TRUSTED_PROXIES": "127.0.0.1"]
        ) { $1 }
        return try await TestServer.start(environment: environment, project: PlantingTests.project, on: engine)
    }

    @Test("a table that names accounts is in the list", arguments: Engine.allCases)
    func schema(engine: Engine) async throws {
        let server = try await start(on: engine)
        let named: SQL =
            engine == .sqlite
            ? """
            SELECT m.name AS name FROM sqlite_master m, pragma_table_info(m.name) c
            WHERE m.type = 'table' AND c.name = 'local_id'
            """
            : """
            SELECT table_name AS name FROM information_schema.columns
            WHERE table_schema = 'public' AND column_name = 'local_id'
            """
        let tables = try await server.core.database.read { try $0.query(named).map { try $0.text("name") } }
        #expect(!tables.isEmpty)
        #expect(Set(tables).isSubset(of: OwnedRows.allCases.map(\.rawValue)))
    }

    /// Does everything with an account that leaves a row.
    private func use(_ server: TestServer) async throws -> String {
        let user = try await server.verifiedUser(Self.email)
        let ground = PlantingGround(server: server, account: user, email: Self.email)
        #expect(try await server.call("update", user.token.merging(["displayName": "Owner"])).status == 200)
        #expect(try await server.call("update", user.token.merging(["deleteAttribute": ["DISPLAY_NAME"]])).status == 200)
        _ = try await ground.linkProvider()
        #expect(try await ground.register(SoftwareAuthenticator(), ground.passkeyChallenge()).status == 200)
        _ = try await server.begin("oidc.other")
        // A right code forgets the wrong ones before it.
        let enrolled = try await server.enrollApp(try server.session(try await server.signIn(Self.email)))
        let pending = try await server.signIn(Self.email)
        #expect(try await server.show(enrolled, pending, code: "wrong").errorMessage == "INVALID_CODE")
        let shown = try await server.show(enrolled, pending)
        #expect(shown.status == 200, "\(shown.json)")
        #expect(try await server.show(enrolled, try await server.signIn(Self.email), code: "wrong").status == 400)
        let start: JSONValue = [
            "idToken": shown["idToken"] ?? .null, "phoneEnrollmentInfo": ["phoneNumber": .string(TestServer.testNumber)],
        ]
        #expect(try await server.callV2("mfaEnrollment:start", start).status == 200)
        for type in ["PASSWORD_RESET", "VERIFY_EMAIL", "EMAIL_SIGNIN"] {
            _ = try await server.code(type, ["email": .string(Self.email), "continueUrl": "http://localhost"])
        }
        return user.localID
    }

    @Test(
        "what was done with an account left rows in the listed tables only, and each count says whose it is",
        arguments: Engine.allCases
    )
    func traces(engine: Engine) async throws {
        let server = try await start(on: engine)
        let localID = try await use(server)
        let (tables, counts) = try await server.core.database.read { transaction in
            let tables = try StoreTable.all.filter { table in
                try table.page(after: nil, limit: 10_000, in: transaction).contains { "\($0)".contains(localID) }
            }
            let counts = try transaction.query("SELECT bucket, local_id FROM throttles").map {
                (name: try $0.text("bucket"), localID: try $0.textIfPresent("local_id"))
            }
            return (Set(tables.map(\.name)), counts)
        }
        // No import has brought the account.
        let listed = Set(OwnedRows.allCases.map(\.rawValue))
        #expect(tables.isSubset(of: listed) && listed.subtracting(tables).isSubset(of: ["import_digests"]))
        var kinds: Set<String> = []
        for count in counts where count.name.contains(localID) || count.localID != nil {
            #expect(count.localID == localID, "\(count.name)")
            let kind = AccountBucket.Kind.allCases.first { count.name.hasPrefix($0.rawValue + localID) }
            if let kind { kinds.insert(kind.rawValue) } else { Issue.record("\(count.name) is of no kind") }
        }
        #expect(kinds == Set(AccountBucket.Kind.allCases.map(\.rawValue)))
        // They go with the account.
        #expect(try await server.admin("accounts:delete", ["localId": .string(localID)]).status == 200)
        let left = try await server.core.database.read {
            try $0.query("SELECT bucket FROM throttles WHERE local_id IS NOT NULL")
        }
        #expect(left.isEmpty)
    }

    private static func counts(of localID: String) -> [AccountBucket] {
        let network = ClientNetwork("192.0.2.1")
        return AccountBucket.Kind.allCases.compactMap { kind in
            switch kind {
            case .usual: .usual(network, of: localID)
            case .usualForSecondFactors: .usualForSecondFactors(network, of: localID)
            case .secondFactors: .secondFactors(of: localID, from: network)
            case .changes: .changes(of: localID)
            case .changesOfSignIn: .changes(of: localID, signedInAt: 1)
            case .removals: .removals(of: localID)
            case .surplusSessions: .surplusSessions(of: localID)
            }
        }
    }

    private static func code(_ email: String, _ time: Timestamp) -> OOBCodeRecord {
        OOBCodeRecord(hash: [1], type: .recoverEmail, email: email, createdAt: time, expiresAt: time)
    }

    @Test("each proof ends the counts and marks that an attacker may have left, and no other", arguments: Engine.allCases)
    func counts(engine: Engine) async throws {
        let server = try await start(on: engine)
        let (database, now) = (server.core.database, server.clock.now)
        let code = Self.code("first@example.com", now)
        let all = Set(AccountBucket.Kind.allCases)
        let lasting: Set<AccountBucket.Kind> = [.surplusSessions]
        let ofFactors: Set<AccountBucket.Kind> = [.secondFactors, .usualForSecondFactors]
        // With a second factor that stays, and without one.
        let cases: [(OwnershipProof.Kind, with: Set<AccountBucket.Kind>, without: Set<AccountBucket.Kind>)] = [
            (.takeover, lasting.union([.secondFactors]), lasting),
            (
                .recovery(by: code, waysSince: now, factorsSince: nil, endsPassword: true), lasting.union([.secondFactors]),
                lasting
            ),
            (.reset, lasting.union(ofFactors), lasting),
            (.revertedFactor, all.subtracting([.usualForSecondFactors]), all.subtracting([.usualForSecondFactors])),
            (.ownAddress, all, all), (.change, all, all),
        ]
        for (number, (kind, with, without)) in cases.enumerated() {
            for (keepsFactor, kept) in [(true, with), (false, without)] {
                var account = AccountRecord(localID: "a\(number)\(keepsFactor)", createdAt: now)
                account.email = "a\(number)\(keepsFactor)@example.com"
                let other = AccountRecord(localID: account.localID + "b", createdAt: now)
                var factor = SecondFactor(enrollmentID: "f", displayName: nil, enrolledAt: now, kind: .phone(number: "+1"))
                factor.outlivesTakeover = true
                if keepsFactor { account.secondFactors = [factor] }
                let (stored, localID) = (account, account.localID)
                let left = try await database.write { transaction in
                    for account in [stored, other] {
                        try transaction.insertAccount(Self.scope, account)
                        for bucket in Self.counts(of: account.localID) {
                            let hour = ThrottleWindow.fixed(.seconds(3600))
                            _ = try transaction.countThrottle(Self.scope, bucket: bucket, at: now, window: hour)
                        }
                    }
                    var account = stored
                    try OwnershipProof(kind: kind, scope: Self.scope, time: now).apply(to: &account, in: transaction)
                    return try [localID, other.localID].map { id in
                        try transaction.query("SELECT bucket FROM throttles WHERE local_id = \(id)").map {
                            try $0.text("bucket")
                        }
                    }
                }
                let names = Self.counts(of: localID).map(\.name)
                let expected = Set(zip(AccountBucket.Kind.allCases, names).filter { kept.contains($0.0) }.map(\.1))
                #expect(Set(left[0]) == expected, "\(kind), \(keepsFactor)")
                #expect(left[1].count == all.count, "\(kind), \(keepsFactor)")
            }
        }
    }
}
