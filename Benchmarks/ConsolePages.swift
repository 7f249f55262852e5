import Foundation
import Logging
import Project
import Storage
import TestKit

/// How long operators wait for pages of the console on a large store: the first and second page of each search, and the overview.
struct ConsolePages: Sendable {
    let bench: BenchmarkSetup
    /// Accounts of the store.
    let accounts: Int

    private static let batch = 50_000
    private static let visits = 40
    private static let tenants = 500
    private static let bound = 50.0

    /// Fills a store of each engine and opens the pages.
    func measure() async throws -> [Report.Line] {
        let sqlite = bench.production("console")
        var lines = try await measure(sqlite, "SQLite") {
            try SQLiteDatabase(.file(sqlite.storePath), readers: 1, logger: Logger(label: "bench"))
        }
        let postgreSQL = try await ThrowawayPostgreSQL.own()
        lines += try await postgreSQL.withDatabase { uri in
            try await measure(bench.production("console", store: uri), "PostgreSQL") {
                try PostgreSQLDatabase(uri: uri, limits: .slow(connections: 1), logger: Logger(label: "bench"))
            }
        }
        return lines
    }

    private func measure(
        _ subject: Subject,
        _ engine: String,
        open: () async throws -> any Database
    ) async throws -> [Report.Line] {
        // The first start makes the tables.
        await (try await subject.start()).stop()
        Report.progress("Filling \(engine) with \(accounts) accounts…")
        let database = try await open()
        try await fill(database)
        try await database.close()
        let server = try await subject.start(["POSTERN_CONSOLE_PUBLIC": "true"])
        let browser = try await ConsoleBrowser.enroll(server)
        var times: [(name: String, milliseconds: [Double])] = []
        for (name, query) in searches {
            times += try await visit("/console/users?\(query)", name, browser)
        }
        times += try await visit("/console?days=90", "overview of 90 days", browser)
        await server.stop()
        return times.map { line($0.name, engine, $0.milliseconds) }
    }

    // One of each kind that has an index, and one that examines as many accounts as a page may.
    private var searches: [(name: String, query: String)] {
        let middle = accounts / 2
        return [
            ("newest", ""), ("e-mail", "q=filler-\(middle / 1000)"),
            ("phone", "q=%2B1\((10_000_000_000 + middle) / 10_000)"),
            ("name", "name=Filler%20\(middle / 1000)"), ("id", "q=filler-id-000\(middle)"),
            ("provider's id", "provider=google.com&providerId=g\(middle)"), ("provider", "provider=google.com"),
            ("created", "createdSince=2023-11-14&createdBefore=2023-11-16"), ("disabled", "state=disabled"),
        ]
    }

    private func visit(
        _ path: String,
        _ name: String,
        _ browser: ConsoleBrowser
    ) async throws -> [(name: String, milliseconds: [Double])] {
        let first = try await browser.page(path)
        var visits = [("\(name), first page", path)]
        if let next = first.html.firstMatch(of: /href="([^"]*[?&;]page=[^"]*)"/) {
            visits.append(("\(name), second page", String(next.1).replacing("&amp;", with: "&")))
        }
        var times: [(name: String, milliseconds: [Double])] = []
        for (name, path) in visits {
            var milliseconds: [Double] = []
            for _ in 0..<Self.visits { milliseconds.append(try await browser.page(path).milliseconds) }
            times.append((name: name, milliseconds: milliseconds.sorted()))
        }
        return times
    }

    private func line(_ name: String, _ engine: String, _ times: [Double]) -> Report.Line {
        let half = times[times.count / 2]
        return Report.Line(
            name: "console, \(name), \(engine)",
            value: Report.Line.milliseconds(half),
            unit: "ms",
            target: .below(Self.bound, half, " ms"),
            note: "\(Report.Line.milliseconds(times[0])) to \(Report.Line.milliseconds(times[times.count - 1]))"
        )
    }

    // Both engines make the rows themselves.
    private func fill(_ database: any Database) async throws {
        let project = Subject.project.projectID
        for start in stride(from: 0, to: accounts, by: Self.batch) {
            let (first, last) = (start, min(start + Self.batch, accounts) - 1)
            try await database.write { transaction in
                let numbers: SQL = """
                    WITH RECURSIVE n (i) AS (
                        SELECT CAST(\(first) AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < \(last))
                    """
                try transaction.execute(
                    """
                    \(sql: numbers)
                    INSERT INTO accounts (project_id, tenant_id, local_id, email, email_verified, phone_number, display_name,
                        disabled, custom_auth, email_link_sign_in, created_at)
                    SELECT \(project), '', 'filler-id-000' || i, 'filler-' || i || '@example.com', 1, '+1' || (10000000000 + i),
                        'Filler ' || i, CASE WHEN i % 100000 = 0 THEN 1 ELSE 0 END, 0, 0, 1700000000000 + i FROM n
                    """
                )
                try transaction.execute(
                    """
                    \(sql: numbers)
                    INSERT INTO identities (project_id, tenant_id, local_id, provider_id, raw_id, email, linked_at)
                    SELECT \(project), '', 'filler-id-000' || i, 'google.com', 'g' || i, 'filler-' || i || '@example.com',
                        1700000000000 + i FROM n
                    """
                )
            }
        }
        try await fillDays(database)
        try await database.write { _ = try $0.execute("ANALYZE") }
    }

    private func fillDays(_ database: any Database) async throws {
        let today = Int64(Date().timeIntervalSince1970) / 86_400
        let places = ["", DailyCount.Key.everywhere] + (0..<Self.tenants).map { "tenant-\($0)" }
        for day in (today - 89)...today {
            let counts = places.flatMap { place in
                ["signIns", "refusals", "newUsers", "smsSent"].flatMap { metric in
                    (0..<8).map { label in
                        let key = DailyCount.Key(
                            projectID: Subject.project.projectID,
                            tenantKey: place,
                            day: day,
                            metric: metric,
                            label: "kind-\(label)"
                        )
                        return DailyCount(key: key, count: 7)
                    }
                }
            }
            try await database.write { try $0.add(counts) }
        }
    }
}

/// An operator's browser.
private struct ConsoleBrowser {
    let client: TestClient
    let cookie: String

    struct Page {
        let html: String
        let milliseconds: Double
    }

    /// Becomes the first operator by the link that the server printed.
    static func enroll(_ server: RunningServer) async throws -> ConsoleBrowser {
        let code = try await server.process.waitUntilPrinted(/invitation\?code=([\w-]+)/)
        let client = TestClient(server.base)
        let path = "/console/invitation?code=\(code)&email=bench@example.com"
        let page = String(decoding: try await client.get(path).bytes, as: UTF8.self)
        guard let secret = page.firstMatch(of: /<code>([A-Z2-7]{32})<\/code>/).map({ String($0.1) }),
            let offer = page.firstMatch(of: /name="offer" value="([^"]*)"/).map({ String($0.1) }),
            let app = AuthenticatorApp(sharedSecretKey: secret)
        else { throw Load.Failed(description: "No invitation") }
        let now = Timestamp(seconds: Int64(Date().timeIntervalSince1970))
        let fields = [
            ("invitation", code), ("email", "bench@example.com"), ("way", "password"),
            ("password", "correct horse battery staple"), ("offer", offer), ("code", app.code(at: now)),
        ]
        let headers = [
            ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", server.base), ("Sec-Fetch-Site", "same-origin"),
        ]
        let body = Data(TestClient.encode(fields).utf8)
        let answer = try await client.send("POST", "/console/invitation", headers: headers, body: body)
        guard let cookie = answer.header("Set-Cookie")?.prefix(while: { $0 != ";" }) else {
            throw Load.Failed(description: "No operator: status \(answer.status)")
        }
        return ConsoleBrowser(client: client, cookie: String(cookie))
    }

    /// Opens a page.
    func page(_ path: String) async throws -> Page {
        let clock = ContinuousClock()
        let start = clock.now
        let answer = try await client.get(path, headers: [("Cookie", cookie)])
        let time = clock.now - start
        guard answer.status == 200 else { throw Load.Failed(description: "\(path): status \(answer.status)") }
        return Page(html: String(decoding: answer.bytes, as: UTF8.self), milliseconds: time / .milliseconds(1))
    }
}
