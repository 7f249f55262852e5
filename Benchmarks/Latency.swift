/// The time of an answer at half of the peak load.
struct Latency: Sendable {
    let load: Load

    /// One run for each endpoint at about half of its peak.
    struct Figures: Sendable {
        let connections: Int
        let runs: [(name: String, outcome: Load.Outcome)]
    }

    /// Measures with a pause between the requests of every connection.
    func measure(_ server: Subject.Server, _ requests: Subject.Requests, _ peak: Throughput.Figures) async throws -> Figures {
        let kinds = [
            ("signInWithIdp", requests.signIn, peak.signIn), ("token", requests.refresh, peak.refresh),
            ("lookup", requests.lookup, peak.lookup),
        ]
        var runs: [(String, Load.Outcome)] = []
        for (name, requests, peak) in kinds {
            // With this pause, a connection sends its share of half the peak, because answering takes little time in comparison.
            let pause = max(1, Int(Double(load.connections) / (peak / 2) * 1000))
            runs.append((name, try await load.run(server.base, requests, pause: pause)))
        }
        return Figures(connections: load.connections, runs: runs)
    }
}

extension Latency.Figures {
    /// Prints the figures and whether the targets are met.
    func report() {
        Report.heading("Latency at \(connections) connections, about half of the peak")
        for (name, outcome) in runs {
            let remark = "p99 at \(Report.rate(outcome.rate)), \(Report.bound(outcome.p99 < 20_000, "< 20 ms"))"
            Report.figure(name, Report.milliseconds(outcome.p99), remark)
        }
    }
}
