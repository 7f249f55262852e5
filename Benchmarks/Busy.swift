import Foundation
import Logging
import Project
import Storage
import TestKit

/// Whether a request costs more the more others there were, on both engines, the database's own processes included.
///
/// Distinct accounts do one thing after the other, and the last tenth is compared with the second one: the first fills caches. Then the
/// same requests go to an empty store and to a full one, in turn.
struct Busy: Sendable {
    let bench: BenchmarkSetup
    /// Accounts that sign in, refresh, and ask for codes.
    let accounts: Int

    private static let parts = 10
    private static let atOnce = 32
    // A wrong password costs a hash, which is most of the time.
    private static let failingShare = 10
    private static let bound = 1.1

    func measure() async throws -> [Report.Line] {
        let postgreSQL = try await ThrowawayPostgreSQL.own()
        return try await measure("SQLite", nil) { try await $0(nil) }
            + measure("PostgreSQL", postgreSQL) { body in
                try await postgreSQL.withDatabase { uri in try await body(uri) }
            }
    }

    /// Measures an engine, on stores that are made for it.
    private func measure(
        _ engine: String,
        _ database: ThrowawayPostgreSQL?,
        _ withStore: @escaping ((String?) async throws -> [Report.Line]) async throws -> [Report.Line]
    ) async throws -> [Report.Line] {
        Report.progress("\(accounts) accounts on \(engine)…")
        let walked = try await withStore { uri in
            let subject = bench.production("busy", store: uri)
            let server = try await subject.start(Self.settings)
            return try await Self.using([server]) {
                try await walk(Visitors(subject, server), engine) { Self.usage(of: server, database) }
            }
        }
        Report.progress("Full tables on \(engine)…")
        let filled = try await withStore { empty in
            let lines = try await withStore { full in
                try await compare(
                    bench.production("quiet", store: empty),
                    bench.production("full", store: full),
                    full,
                    engine,
                    database
                )
            }
            return lines
        }
        return walked + filled
    }

    // The load comes from one address, and its mail waits for a server that is away.
    private static let settings = [
        "POSTERN_LIMITS_PASSWORD_FAILURES_PER_ADDRESS_PER_HOUR": "1000000000",
        "POSTERN_LIMITS_EMAIL_PER_ADDRESS_PER_HOUR": "1000000000",
        "POSTERN_PASSWORDS_ARGON2_MEMORY_KIB": "8192", "POSTERN_PASSWORDS_ARGON2_ITERATIONS": "1",
        "POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_FROM": "bench@example.com",
        "POSTERN_EMAIL_SMTP_URL": "smtp://127.0.0.1:1",
    ]

    /// Runs a body, and stops its servers. The reason of a refusal stands in a server's log alone, which goes with its directory.
    private static func using(
        _ servers: [RunningServer],
        _ body: () async throws -> [Report.Line]
    ) async throws -> [Report.Line] {
        do {
            let lines = try await body()
            for server in servers { await server.stop() }
            return lines
        } catch {
            for server in servers { Report.progress(String(server.process.printed.suffix(4_000))) }
            throw error
        }
    }

    /// Milliseconds of processor time of the server, and of the database's processes.
    private static func usage(of server: RunningServer, _ database: ThrowawayPostgreSQL?) -> Double {
        ProcessorTime(of: server.process).total + (database?.processorTime ?? .zero) / .milliseconds(1)
    }

    // MARK: - Many accounts

    private func walk(_ visitors: Visitors, _ engine: String, _ usage: () -> Double) async throws -> [Report.Line] {
        var lines: [Report.Line] = []
        let sessions = LockedState([Int: String]())
        let kinds: [(name: String, count: Int, visit: @Sendable (Int) async throws -> Void)] = [
            ("first signInWithIdp", accounts, { _ = try await visitors.signIn("busy-\($0)") }),
            (
                "signInWithIdp", accounts,
                { number in
                    let token = try await visitors.signIn("busy-\(number)")
                    sessions.withLock { $0[number] = token }
                }
            ),
            ("token", accounts, { number in try await visitors.refresh(sessions.withLock { $0[number] } ?? "") }),
            ("anonymous signUp", accounts, { _ in try await visitors.signUp() }),
            ("wrong password", max(accounts / Self.failingShare, Self.parts), { try await visitors.fail("busy-\($0)") }),
            ("sendOobCode", accounts, { try await visitors.askForCode("busy-\($0)") }),
        ]
        for kind in kinds {
            var costs: [Double] = []
            for part in 0..<Self.parts {
                let numbers = kind.count * part / Self.parts..<kind.count * (part + 1) / Self.parts
                let start = usage()
                try await Self.visit(numbers, kind.visit)
                costs.append((usage() - start) / Double(max(numbers.count, 1)))
            }
            let line = Self.line("\(kind.name), \(kind.count) accounts, \(engine)", costs[1], costs[Self.parts - 1])
            Report.progress("\(line.name): \(line.note)")
            lines.append(line)
        }
        return lines
    }

    private static func visit(_ numbers: Range<Int>, _ visit: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (offset, number) in numbers.enumerated() {
                if offset >= atOnce { try await group.next() }
                group.addTask { try await visit(number) }
            }
            try await group.waitForAll()
        }
    }

    private static func line(_ name: String, _ first: Double, _ last: Double) -> Report.Line {
        let growth = last / max(first, .leastNonzeroMagnitude)
        return Report.Line(
            name: name,
            value: Report.Line.milliseconds(last),
            unit: "ms/request",
            target: .atMost(bound, growth, " ×"),
            note: String(format: "× %.2f of %.3f ms", growth, first)
        )
    }

    // MARK: - Full tables

    private func compare(
        _ quiet: Subject,
        _ full: Subject,
        _ uri: String?,
        _ engine: String,
        _ database: ThrowawayPostgreSQL?
    ) async throws -> [Report.Line] {
        await (try full.start(Self.settings)).stop()
        try await fill(full, uri)
        let servers = [try await quiet.start(Self.settings), try await full.start(Self.settings)]
        return try await Self.using(servers) {
            try await compare([Visitors(quiet, servers[0]), Visitors(full, servers[1])], engine) {
                Self.usage(of: servers[$0], database)
            }
        }
    }

    /// - Parameter usage: Of the server with this index.
    private func compare(_ visitors: [Visitors], _ engine: String, _ usage: (Int) -> Double) async throws -> [Report.Line] {
        let requests = bench.users
        for one in visitors {
            try await Self.visit(0..<(bench.rounds + 1) * requests) { _ = try await one.signIn("code-\($0)") }
        }
        var lines: [Report.Line] = []
        let kinds: [(name: String, visit: @Sendable (Visitors, String, Int) async throws -> Void)] = [
            ("signInWithIdp, \(accounts / 10) audit rows", { one, _, _ in _ = try await one.signIn("heavy") }),
            ("token, \(accounts * 10) sessions", { one, token, _ in try await one.refresh(token) }),
            ("sendOobCode, \(accounts) waiting messages", { one, _, number in try await one.askForCode("code-\(number)") }),
        ]
        for (name, visit) in kinds {
            var costs = [Double.infinity, .infinity]
            // The number of an account's sessions is bounded: the sign-ins of the kind before have ended the older ones.
            var tokens: [String] = []
            for one in visitors { tokens.append(try await one.signIn("heavy")) }
            for round in 0..<bench.rounds + 1 {
                for index in visitors.indices {
                    let (one, token) = (visitors[index], tokens[index])
                    let start = usage(index)
                    try await Self.visit(round * requests..<(round + 1) * requests) { try await visit(one, token, $0) }
                    // The first round fills caches.
                    guard round > 0 else { continue }
                    costs[index] = min(costs[index], (usage(index) - start) / Double(requests))
                }
            }
            let line = Self.line("\(name), \(engine)", costs[0], costs[1])
            Report.progress("\(line.name): \(line.note)")
            lines.append(line)
        }
        return lines
    }

    private func fill(_ subject: Subject, _ uri: String?) async throws {
        let logger = Logger(label: "bench")
        let database: any Database =
            if let uri {
                try PostgreSQLDatabase(uri: uri, limits: .slow(connections: 1), logger: logger)
            } else {
                try SQLiteDatabase(.file(subject.storePath), readers: 1, logger: logger)
            }
        let bytes = uri == nil ? "CAST(CAST(n AS TEXT) AS BLOB)" : "CAST(CAST(n AS TEXT) AS BYTEA)"
        let now = Int64(Date().timeIntervalSince1970) * 1000
        let project = Subject.project.projectID
        var account = AccountRecord(localID: "heavy", createdAt: Timestamp(milliseconds: now))
        account.email = "heavy@example.com"
        account.emailVerified = true
        let identity = IdentityRecord(providerID: Subject.providerID, rawID: "heavy", email: account.email)
        try await database.write { [account] transaction in
            try transaction.insertAccount(Subject.project, account)
            try transaction.upsertIdentity(Subject.project, localID: "heavy", identity, at: account.createdAt)
        }
        let tables = [
            (
                "sessions (token_hash, project_id, tenant_id, local_id, session_id, sign_in_provider, auth_time, created_at, last_used_at)",
                "\(bytes), '\(project)', '', 'filler-' || n, 's' || n, 'password', 0, \(now), \(now)", accounts * 10
            ),
            (
                "audit_events (event_id, project_id, tenant_id, occurred_at, event, local_id, actor)",
                "'e' || n, '\(project)', '', \(now) - n * 7, 'signIn', 'heavy', 'admin'", accounts / 10
            ),
            (
                "email_outbox (message_id, project_id, tenant_id, payload, created_at, expires_at, due_at, attempts)",
                "'m' || n, '\(project)', '', 'x', \(now), \(now) + 86400000, \(now) + 43200000 + n, 1", accounts
            ),
        ]
        for (table, values, rows) in tables {
            _ = try await database.write { transaction in
                try transaction.execute(
                    """
                    INSERT INTO \(raw: table)
                    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(raw: String(max(rows, 1))))
                    SELECT \(raw: values) FROM numbers
                    """
                )
            }
        }
        try await database.close()
    }
}
