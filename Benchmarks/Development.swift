import TestKit

/// The processor time of requests in development mode, which signs nothing and keeps everything in memory.
struct Development: Sendable {
    let bench: BenchmarkSetup

    /// An endpoint, the time that a request may need, and what its rounds measured.
    private struct Endpoint: Sendable {
        let name: String
        let bound: Double
        let requests: Load.Requests
        var runs: [Load.Outcome] = []
    }

    /// Measures with the load of a test suite: few connections, one thread.
    func measure() async throws -> [Report.Line] {
        var load = bench.load
        load.connections = 32
        load.threads = 1
        let subject = bench.development("development")
        let server = try await subject.start()
        let requests = try await subject.seed(server, users: bench.users)
        let bare = try await Bare.start(like: server, requests.lookup, directory: bench.directory)
        try await load.warmUp(bare.server, bare.requests)
        var endpoints = [
            Endpoint(name: "signInWithIdp", bound: 0.08, requests: requests.signIn),
            Endpoint(name: "lookup", bound: 0.045, requests: requests.lookup),
            Endpoint(name: "signInWithPassword", bound: 0.3, requests: requests.password),
            Endpoint(name: "anonymous signUp", bound: 0.065, requests: requests.signUp),
            Endpoint(name: "token", bound: 0.065, requests: requests.refresh),
        ]
        for endpoint in endpoints { try await load.warmUp(server, endpoint.requests) }
        var routes: [Load.Outcome] = []
        for _ in 0..<bench.rounds {
            routes.append(try await load.run(bare.server, bare.requests))
            for index in endpoints.indices {
                endpoints[index].runs.append(try await load.run(server, endpoints[index].requests))
            }
        }
        let residentBytes = server.process.residentBytes
        await server.stop()
        await bare.server.stop()
        let answers = endpoints.flatMap(\.runs).reduce(0) { $0 + $1.answers }
        let lines = endpoints.map { endpoint in
            Report.Line.cost(
                "\(endpoint.name), development",
                endpoint.runs,
                ratio: endpoint.runs.ratio(to: routes.cost.total),
                target: .atMost(endpoint.bound, endpoint.runs.cost.total, " ms")
            )
        }
        let memory = Report.Line.memory(
            "resident memory, development",
            residentBytes,
            target: .below(150, Double(residentBytes) / 1_048_576, " MB"),
            note: "\(answers) answers"
        )
        return [.cost("Hummingbird route, development", routes, ratio: nil)] + lines + [memory]
    }
}
