import Foundation
import TestKit

/// The rate of the same sign-ins on SQLite, on one node with PostgreSQL, and on two nodes.
///
/// Nodes on one machine share its cores, and signing needs most of them. The figures show the cost of a shared database, but not
/// the gain of a second machine.
struct Nodes: Sendable {
    let load: Load
    let provider: FakeIDP
    let users: Int

    /// Sign-ins per second.
    struct Figures: Sendable {
        let sqlite: Double
        let oneNode: Double
        let twoNodes: Double
    }

    /// Measures each store in turn, starting from an empty one.
    func measure() async throws -> Figures {
        let sqlite = try await rate(nodes: 1, store: "sqlite:\(load.directory)/nodes.sqlite")
        let postgreSQL = try await ThrowawayPostgreSQL.own()
        return Figures(
            sqlite: sqlite,
            oneNode: try await postgreSQL.withDatabase { try await rate(nodes: 1, store: $0) },
            twoNodes: try await postgreSQL.withDatabase { try await rate(nodes: 2, store: $0) }
        )
    }

    private func rate(nodes: Int, store: String) async throws -> Double {
        let subject = Subject(directory: load.directory, provider: provider, store: store)
        var servers: [Subject.Server] = []
        for _ in 0..<nodes { servers.append(try await subject.start()) }
        let requests = try await subject.seed(servers[0], users: users).signIn
        let share = Load(directory: load.directory, seconds: load.seconds, connections: load.connections / nodes)
        let bases = servers.map(\.base)
        let rate = try await withThrowingTaskGroup(of: Double.self) { group in
            for base in bases { group.addTask { try await share.run(base, requests).rate } }
            return try await group.reduce(0, +)
        }
        for server in servers { await server.stop() }
        return rate
    }
}

extension Nodes.Figures {
    /// Prints the figures.
    func report() {
        Report.heading("signInWithIdp by store, all on this machine")
        Report.figure("SQLite", Report.rate(sqlite))
        Report.figure("PostgreSQL, one node", Report.rate(oneNode), "× \(rounded(oneNode / sqlite)) of SQLite")
        Report.figure(
            "PostgreSQL, two nodes",
            Report.rate(twoNodes),
            "× \(rounded(twoNodes / oneNode)) of one node; the cores are shared"
        )
    }

    private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
