import TestKit

/// The processor time of the same sign-ins on SQLite and on PostgreSQL, and their rate on two nodes.
///
/// Nodes on one machine share its cores, and signing needs most of them. The figures show the cost of a shared database, but not
/// the gain of a second machine.
struct Nodes: Sendable {
    let bench: BenchmarkSetup

    /// Measures the stores in turn, starting from an empty one.
    func measure() async throws -> [Report.Line] {
        let postgreSQL = try await ThrowawayPostgreSQL.own()
        let (sqlite, oneNode) = try await postgreSQL.withDatabase { uri in
            try await compare(bench.production("nodes"), bench.production("node", store: uri))
        }
        let rate = try await postgreSQL.withDatabase { try await twoNodes(bench.production("nodes", store: $0)) }
        let ratio = oneNode.ratio(to: sqlite.cost.total)
        return [
            .cost("signInWithIdp, SQLite", sqlite, ratio: nil),
            .cost("signInWithIdp, PostgreSQL", oneNode, ratio: ratio, target: .atMost(1.4, ratio)),
            Report.Line(
                name: "signInWithIdp, two PostgreSQL nodes",
                value: String(Int(rate)),
                unit: "/s",
                note: "the cores are shared"
            ),
        ]
    }

    private func compare(_ first: Subject, _ second: Subject) async throws -> ([Load.Outcome], [Load.Outcome]) {
        let servers = [try await first.start(), try await second.start()]
        let requests = [
            try await first.seed(servers[0], users: bench.users).signIn,
            try await second.seed(servers[1], users: bench.users).signIn,
        ]
        for (server, requests) in zip(servers, requests) { try await bench.load.warmUp(server, requests) }
        var runs: ([Load.Outcome], [Load.Outcome]) = ([], [])
        for _ in 0..<bench.rounds {
            runs.0.append(try await bench.load.run(servers[0], requests[0]))
            runs.1.append(try await bench.load.run(servers[1], requests[1]))
        }
        for server in servers { await server.stop() }
        return runs
    }

    private func twoNodes(_ subject: Subject) async throws -> Double {
        let servers = [try await subject.start(), try await subject.start()]
        let requests = try await subject.seed(servers[0], users: bench.users).signIn
        var share = bench.load
        share.connections /= 2
        // Each node has its own half of the users: the same user in two places at once is not what more nodes are for.
        let half = requests.bodies.count / 2
        let rate = try await withThrowingTaskGroup(of: Double.self) { [share] group in
            for (server, bodies) in zip(servers, [requests.bodies.prefix(half), requests.bodies.suffix(half)]) {
                let own = Load.Requests(path: requests.path, contentType: requests.contentType, bodies: Array(bodies))
                group.addTask {
                    try await share.warmUp(server, own)
                    return try await share.run(server, own).rate
                }
            }
            return try await group.reduce(0, +)
        }
        for server in servers { await server.stop() }
        return rate
    }
}
