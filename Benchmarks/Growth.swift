import Logging
import Project
import Storage
import TestKit

/// What a request costs when the store is large, against what it cost when it was small.
struct Growth: Sendable {
    let load: Load
    let rounds: Int
    let accounts: Int

    /// Rates of the small and the large store, and how the server did on the large one.
    struct Figures: Sendable {
        let accounts: Int
        let signIn: (small: Double, large: Double)
        let lookup: (small: Double, large: Double)
        let startTime: Duration
        let residentBytes: Int
    }

    // One transaction each, so that the log of writes stays small.
    private static let batch = 5_000

    /// Measures the store as it is, fills it, and measures again.
    func measure(_ subject: Subject, _ requests: Subject.Requests) async throws -> Figures {
        let small = try await rates(subject, requests)
        Report.line("Filling the store up to \(accounts) accounts…")
        try await fill(subject.storePath)
        let large = try await rates(subject, requests)
        return Figures(
            accounts: accounts,
            signIn: (small.signIn, large.signIn),
            lookup: (small.lookup, large.lookup),
            startTime: large.startTime,
            residentBytes: large.residentBytes
        )
    }

    private func rates(
        _ subject: Subject,
        _ requests: Subject.Requests
    ) async throws -> (signIn: Double, lookup: Double, startTime: Duration, residentBytes: Int) {
        let server = try await subject.start()
        var signIn: [Double] = []
        var lookup: [Double] = []
        for _ in 0..<rounds {
            signIn.append(try await load.run(server.base, requests.signIn).rate)
            lookup.append(try await load.run(server.base, requests.lookup).rate)
        }
        let residentBytes = server.process.residentBytes
        await server.stop()
        return (signIn.median, lookup.median, server.startTime, residentBytes)
    }

    private func fill(_ path: String) async throws {
        let database = try SQLiteDatabase(.file(path), readers: 1, logger: Logger(label: "bench"))
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        for start in stride(from: 0, to: accounts, by: Self.batch) {
            let numbers = start..<min(start + Self.batch, accounts)
            try await database.write { transaction in
                for number in numbers {
                    var account = AccountRecord(localID: "filler-\(number)", createdAt: now)
                    account.email = "filler-\(number)@example.com"
                    try transaction.insertAccount(Subject.project, account)
                    let identity = IdentityRecord(providerID: "google.com", rawID: "filler-\(number)", email: account.email)
                    try transaction.upsertIdentity(Subject.project, localID: account.localID, identity, at: now)
                }
            }
        }
        try await database.close()
    }
}

extension Growth.Figures {
    /// Prints the figures with their targets.
    func report() {
        Report.heading("Growth to \(accounts) accounts")
        for (name, rates) in [("signInWithIdp", signIn), ("lookup", lookup)] {
            let cost = rates.small / rates.large
            let remark = "cost × \(rounded(cost)), \(Report.bound(cost <= 1.3, "≤ 1.3")); \(Report.rate(rates.small)) when small"
            Report.figure(name, Report.rate(rates.large), remark)
        }
        Report.figure(
            "start to first answer",
            "\(rounded(startTime / .seconds(1))) s",
            Report.bound(startTime < .seconds(1), "< 1 s")
        )
        Report.figure("resident memory", "\(residentBytes >> 20) MB", Report.bound(residentBytes < 120 << 20, "< 120 MB"))
    }

    private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
