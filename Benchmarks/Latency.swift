/// The time of an answer at half of the peak load.
struct Latency: Sendable {
    let bench: BenchmarkSetup

    /// Measures with a pause between the requests of every connection.
    func measure() async throws -> [Report.Line] {
        let subject = bench.production("latency")
        let server = try await subject.start()
        let requests = try await subject.seed(server, users: bench.users)
        // The slowest hundredth needs many answers.
        var load = bench.load
        load.seconds *= 2
        var lines: [Report.Line] = []
        let kinds = [
            ("signInWithIdp", requests.signIn), ("token", requests.refresh), ("lookup", requests.lookup),
            ("anonymous signUp", requests.signUp),
        ]
        for (name, requests) in kinds {
            try await load.warmUp(server, requests)
            let peak = try await load.run(server, requests)
            // With this pause, a connection sends its share of half the peak, because answering takes little time in comparison.
            let pause = max(1, Int(Double(load.connections) / (peak.rate / 2) * 1000))
            let half = try await load.run(server, requests, pause: pause)
            lines.append(
                Report.Line(
                    name: "\(name) p99 at half load",
                    value: Report.Line.milliseconds(half.p99),
                    unit: "ms",
                    target: .below(20, half.p99, " ms"),
                    note: "\(Report.Line.rate(half.rate)) of \(Report.Line.rate(peak.rate)), \(load.connections) open"
                )
            )
        }
        await server.stop()
        return lines
    }
}
