import Logging
import Project
import Storage
import TestKit

/// Compares the cost of requests on a large store with that on a small one.
struct Growth: Sendable {
    let load: Load
    let rounds: Int
    /// Numbers of accounts, ascending.
    let sizes: [Int]

    /// The figures of a store of one size.
    struct Size: Sendable {
        let accounts: Int
        let signIn: Double
        let lookup: Double
        let startTime: Duration
        let residentBytes: Int
    }

    /// The small store, and the larger ones.
    struct Figures: Sendable {
        let small: Size
        let large: [Size]
    }

    // Each batch is one transaction, so that the write-ahead log stays small.
    private static let batch = 5_000

    /// Measures the store as it is, fills it up to each size, and measures again.
    func measure(_ subject: Subject, _ requests: Subject.Requests) async throws -> Figures {
        let small = try await size(0, subject, requests)
        var large: [Size] = []
        for accounts in sizes {
            Report.line("Filling the store up to \(accounts) accounts…")
            try await fill(subject.storePath, from: large.last?.accounts ?? 0, to: accounts)
            large.append(try await size(accounts, subject, requests))
        }
        return Figures(small: small, large: large)
    }

    private func size(_ accounts: Int, _ subject: Subject, _ requests: Subject.Requests) async throws -> Size {
        let server = try await subject.start()
        var signIn: [Double] = []
        var lookup: [Double] = []
        for _ in 0..<rounds {
            signIn.append(try await load.run(server.base, requests.signIn).rate)
            lookup.append(try await load.run(server.base, requests.lookup).rate)
        }
        let residentBytes = server.process.residentBytes
        await server.stop()
        return Size(
            accounts: accounts,
            signIn: signIn.median,
            lookup: lookup.median,
            startTime: server.startTime,
            residentBytes: residentBytes
        )
    }

    private func fill(_ path: String, from first: Int, to accounts: Int) async throws {
        let database = try SQLiteDatabase(.file(path), readers: 1, logger: Logger(label: "bench"))
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        for start in stride(from: first, to: accounts, by: Self.batch) {
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
    /// Prints the figures and whether the targets are met.
    func report() {
        for size in large {
            Report.heading("Growth to \(size.accounts) accounts")
            show("signInWithIdp", size.signIn, small.signIn)
            show("lookup", size.lookup, small.lookup)
            let start = "\(rounded(size.startTime / .seconds(1))) s"
            Report.figure("start to first answer", start, Report.bound(size.startTime < .seconds(1), "< 1 s"))
            let memory = "\(size.residentBytes >> 20) MB"
            Report.figure("resident memory", memory, Report.bound(size.residentBytes < 120 << 20, "< 120 MB"))
        }
    }

    private func show(_ name: String, _ rate: Double, _ smallRate: Double) {
        let cost = smallRate / rate
        let bound = Report.bound(cost <= 1.3, "≤ 1.3")
        Report.figure(name, Report.rate(rate), "cost × \(rounded(cost)), \(bound); \(Report.rate(smallRate)) when small")
    }

    private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
