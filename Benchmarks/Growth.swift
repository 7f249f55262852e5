import Foundation
import Logging
import Project
import Storage

/// Compares the processor time of requests on a large store with that on a small one, and the memory of the server there.
struct Growth: Sendable {
    let bench: BenchmarkSetup
    /// Accounts of the large store.
    let accounts: Int

    // Each batch is one transaction, so that the write-ahead log stays small.
    private static let batch = 5_000

    /// Fills one of two stores, and measures both in turn.
    func measure() async throws -> [Report.Line] {
        let (small, smallRequests) = try await start(bench.production("small"), accounts: 0)
        let (large, largeRequests) = try await start(bench.production("large"), accounts: accounts)
        var signIns: [(small: Load.Outcome, large: Load.Outcome)] = []
        var lookups: [(small: Load.Outcome, large: Load.Outcome)] = []
        try await bench.load.warmUp(small, smallRequests.signIn)
        try await bench.load.warmUp(small, smallRequests.lookup)
        let peak = try await large.peakBytes {
            try await bench.load.warmUp(large, largeRequests.signIn)
            try await bench.load.warmUp(large, largeRequests.lookup)
            for _ in 0..<bench.rounds {
                signIns.append(try await pair((small, smallRequests.signIn), (large, largeRequests.signIn)))
                lookups.append(try await pair((small, smallRequests.lookup), (large, largeRequests.lookup)))
            }
        }
        await small.stop()
        await large.stop()
        let startTime = large.startTime / .seconds(1)
        return [
            line("signInWithIdp", signIns), line("lookup", lookups),
            Report.Line(
                name: "start with \(accounts) accounts",
                value: String(format: "%.2f", startTime),
                unit: "s",
                target: .below(1, startTime, " s")
            ),
            .memory(
                "resident memory, \(accounts) accounts",
                peak,
                target: .below(120, Double(peak) / 1_048_576, " MB"),
                note: "the most under load"
            ),
        ]
    }

    private typealias Loaded = (server: RunningServer, requests: Load.Requests)

    private func pair(_ small: Loaded, _ large: Loaded) async throws -> (small: Load.Outcome, large: Load.Outcome) {
        (try await bench.load.run(small.server, small.requests), try await bench.load.run(large.server, large.requests))
    }

    private func line(_ name: String, _ runs: [(small: Load.Outcome, large: Load.Outcome)]) -> Report.Line {
        let ratio = runs.map(\.large).ratio(to: runs.map(\.small).cost.total)
        return .cost("\(name), \(accounts) accounts", runs.map(\.large), ratio: ratio, target: .atMost(1.3, ratio))
    }

    // The users of the load come first, and a store is filled while no server has it open.
    private func start(_ subject: Subject, accounts: Int) async throws -> (RunningServer, Subject.Requests) {
        let server = try await subject.start()
        let requests = try await subject.seed(server, users: bench.users)
        guard accounts > 0 else { return (server, requests) }
        await server.stop()
        Report.progress("Filling the store up to \(accounts) accounts…")
        try await fill(subject.storePath)
        return (try await subject.start(), requests)
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
