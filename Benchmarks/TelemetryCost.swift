import TestKit

/// What telemetry costs a request: a server that records one request in a hundred, and sends traces, metrics and log records to a
/// collector, against one that sends nothing.
struct TelemetryCost: Sendable {
    let bench: BenchmarkSetup

    private static let bound = 1.02

    /// Measures both servers in turn, with every kind of request.
    func measure() async throws -> [Report.Line] {
        try await Teardown.scope {
            let collector = try await LoopbackService.start()
            let telemetry = [
                "POSTERN_TELEMETRY_ENDPOINT": collector.origin, "POSTERN_TELEMETRY_TRACES_SAMPLE_RATIO": "0.01",
                "POSTERN_TELEMETRY_METRICS_INTERVAL_SECONDS": "10",
            ]
            let subjects = [bench.production("silent"), bench.production("watched")]
            let servers = [try await subjects[0].start(), try await subjects[1].start(telemetry)]
            var requests: [[Load.Requests]] = []
            for (subject, server) in zip(subjects, servers) {
                let seeded = try await subject.seed(server, users: bench.users)
                requests.append([seeded.signIn, seeded.refresh, seeded.lookup])
            }
            var lines: [Report.Line] = []
            for (index, name) in ["signInWithIdp", "token", "lookup"].enumerated() {
                var runs: [[Load.Outcome]] = [[], []]
                for node in servers.indices { try await bench.load.warmUp(servers[node], requests[node][index]) }
                for round in 0..<bench.rounds {
                    // The one that begins changes, because a machine that becomes slower would count against the second.
                    for node in round.isMultiple(of: 2) ? [0, 1] : [1, 0] {
                        runs[node].append(try await bench.load.run(servers[node], requests[node][index]))
                    }
                }
                let ratio = runs[1].ratio(to: runs[0].cost.total)
                lines.append(
                    .cost("\(name), 1 % traced", runs[1], ratio: ratio, target: .atMost(Self.bound, ratio))
                )
            }
            for server in servers { await server.stop() }
            guard collector.calls.contains(where: { $0.path == "/v1/traces" }) else {
                throw Load.Failed(description: "the collector was sent no trace")
            }
            return lines
        }
    }
}
