import ArgumentParser
import Foundation
import TestKit

/// Measures a release server against the bare costs of the machine.
///
/// Figures of different machines and days cannot be compared. The ratio of a request's processor time to the bare cost of the same
/// work can better: other programs take turns with the server, and their time is not in its account. They still make its work dearer,
/// by a share of the cores and caches, but hardly ever cheaper. So bare costs and server are measured in turn, round after round, and
/// the least of each counts.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postern-bench",
        abstract: "Measures a release server against the bare costs of this machine.",
        subcommands: [Run.self, Bare.self],
        defaultSubcommand: Run.self
    )
}

/// What a run can measure.
enum Section: String, CaseIterable, ExpressibleByArgument {
    case production, development, allocations, passwords, latency, growth, busy, nodes, writes, telemetry, console, saml
}

/// The benchmark itself.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run the benchmark.")

    @Option(help: "The binary to measure; by default the one of the same build.") var server = ServerProcess.path(of: "postern")
    @Option(parsing: .upToNextOption, help: "What to measure; by default everything.") var only: [Section] = []
    @Flag(help: "Two rounds of everything but growth, busy and console, for work in progress.") var quick = false
    @Option(help: "Rounds; the least cost counts. 5, or 2 if quick.") var rounds: Int?
    @Option(help: "Seconds of load for each figure of a round.") var seconds = 2
    @Option(help: "Connections of the load generator in production mode.") var connections = 64
    @Option(help: "Users that sign in, and as many that refresh and look up. 1000, or 300 if quick.") var users: Int?
    @Option(help: "Accounts of the large store.") var accounts = 1_000_000
    @Option(help: "Distinct accounts of a busy server.") var visitors = 100_000

    func validate() throws {
        guard [rounds ?? 1, seconds, users ?? 1, accounts, visitors].allSatisfy({ $0 > 0 }), connections > 1 else {
            throw ValidationError("Every option is a positive number.")
        }
    }

    func run() async throws {
        var report = Report()
        try await Teardown.scope {
            let directory = try await makeTemporaryDirectory()
            let provider = try await FakeIDP.start()
            let bench = BenchmarkSetup(
                directory: directory,
                provider: provider,
                executable: URL(filePath: server).path,
                rounds: rounds ?? (quick ? 2 : 5),
                load: Load(directory: directory, seconds: seconds, connections: connections),
                users: users ?? (quick ? 300 : 1000)
            )
            for section in Section.allCases where isWanted(section) {
                Report.progress("Measuring \(section.rawValue)…")
                report.add(try await bench.measure(section, accounts: accounts, visitors: visitors))
            }
        }
        try report.compare()
    }

    private func isWanted(_ section: Section) -> Bool {
        only.isEmpty ? !(quick && [.growth, .busy, .console].contains(section)) : only.contains(section)
    }
}

/// What every section needs.
struct BenchmarkSetup: Sendable {
    let directory: String
    let provider: FakeIDP
    /// The binary that is measured.
    let executable: String
    let rounds: Int
    let load: Load
    let users: Int

    /// Measures a section.
    func measure(_ section: Section, accounts: Int, visitors: Int) async throws -> [Report.Line] {
        switch section {
        case .production: try await Production(bench: self).measure()
        case .development: try await Development(bench: self).measure()
        case .allocations: try await Allocations(bench: self).measure()
        case .passwords: try await PasswordLoad(bench: self).measure()
        case .latency: try await Latency(bench: self).measure()
        case .growth: try await Growth(bench: self, accounts: accounts).measure()
        case .busy: try await Busy(bench: self, accounts: visitors).measure()
        case .console: try await ConsolePages(bench: self, accounts: accounts).measure()
        case .nodes: try await Nodes(bench: self).measure()
        case .telemetry: try await TelemetryCost(bench: self).measure()
        case .saml: try await SAMLVerification(rounds: rounds, seconds: load.seconds).measure()
        case .writes: try await DurableWrites(directory: directory, seconds: load.seconds).measure()
        }
    }

    /// The server in production mode with a store of its own, an SQLite file unless told otherwise.
    func production(_ name: String, store: String? = nil) -> Subject {
        Subject(directory: directory, provider: provider, executable: executable, mode: .production, name: name, store: store)
    }

    /// The server in development mode, in memory.
    func development(_ name: String) -> Subject {
        Subject(directory: directory, provider: provider, executable: executable, mode: .development, name: name, store: nil)
    }
}
