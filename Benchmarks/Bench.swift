import ArgumentParser
import Foundation
import TestKit

/// Measures a release server against the bare limits of the machine.
///
/// Figures of different machines and days cannot be compared, but the ratios of one run can. Limits and server are therefore
/// measured in turn, round after round, and the median round counts.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postern-bench",
        abstract: "Measures a release server against the bare limits of this machine.",
        subcommands: [Run.self, Bare.self],
        defaultSubcommand: Run.self
    )
}

/// The benchmark itself.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run the benchmark.")

    @Option(help: "Rounds; the median counts.") var rounds = 3
    @Option(help: "Seconds of load for each figure of a round.") var seconds = 5
    @Option(help: "Connections of the load generator.") var connections = 64
    @Option(help: "Users that sign in, and as many that refresh and look up.") var users = 1000
    @Option(help: "Accounts of the large stores; none leaves growth out.") var accounts = [100_000, 1_000_000]

    func validate() throws {
        guard rounds > 0, seconds > 0, connections > 1, users > 0, accounts.allSatisfy({ $0 > 0 }) else {
            throw ValidationError("Every option is a positive number.")
        }
    }

    func run() async throws {
        try await withTemporaryDirectory { directory in
            let load = Load(directory: directory, seconds: seconds, connections: connections)
            try await FakeIDP.running { provider in
                let subject = Subject(directory: directory, provider: provider)
                let server = try await subject.start()
                let requests = try await subject.seed(server, users: users)
                let throughput = try await Throughput(load: load, rounds: rounds).measure(server, requests)
                throughput.report()
                try await Latency(load: load).measure(server, requests, throughput).report()
                try await PasswordLoad(load: load).measure(server, requests).report()
                await server.stop()
                if !accounts.isEmpty {
                    let growth = Growth(load: load, rounds: rounds, sizes: accounts.sorted())
                    try await growth.measure(subject, requests).report()
                }
                try await Nodes(load: load, provider: provider, users: users).measure().report()
            }
            try await DurableWrites(directory: directory, seconds: seconds, writers: [1, 8, 64]).measure().report()
        }
    }
}
