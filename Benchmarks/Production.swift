import PerformanceTable
import TestKit

/// The processor time of requests in production mode, as ratios to the bare cost of the same work.
struct Production: Sendable {
    let bench: BenchmarkSetup

    /// An endpoint and what its rounds measured.
    private struct Endpoint: Sendable {
        let name: String
        let bound: Double
        let requests: Load.Requests
        var runs: [Load.Outcome] = []
    }

    /// Measures bare costs and server in turn.
    func measure() async throws -> [Report.Line] {
        let subject = bench.production("production")
        let server = try await subject.start()
        let requests = try await subject.seed(server, users: bench.users)
        let bare = try await Bare.start(like: server, requests.lookup, directory: bench.directory)
        let costs = try await BareCosts(bench.provider, assertion: requests.assertion)
        let load = bench.load
        var endpoints = [
            Endpoint(name: "signInWithIdp", bound: 1.5, requests: requests.signIn),
            Endpoint(name: "token", bound: 1.3, requests: requests.refresh),
            Endpoint(name: "lookup", bound: 2, requests: requests.lookup),
            Endpoint(name: "anonymous signUp", bound: 1.5, requests: requests.signUp),
        ]
        try await load.warmUp(bare.server, bare.requests)
        for endpoint in endpoints { try await load.warmUp(server, endpoint.requests) }
        var signature = Double.infinity
        var verification = Double.infinity
        var routes: [Load.Outcome] = []
        for _ in 0..<bench.rounds {
            signature = min(signature, try await costs.signature(seconds: 1))
            verification = min(verification, try await costs.verification(seconds: 1))
            routes.append(try await load.run(bare.server, bare.requests))
            for index in endpoints.indices {
                endpoints[index].runs.append(try await load.run(server, endpoints[index].requests))
            }
        }
        let residentBytes = server.process.residentBytes
        await server.stop()
        await bare.server.stop()
        let divisors = [signature + verification, signature, routes.cost.total, signature]
        let lines = zip(endpoints, divisors).map { endpoint, divisor in
            let ratio = endpoint.runs.ratio(to: divisor)
            return Report.Line.cost(endpoint.name, endpoint.runs, ratio: ratio, target: .atMost(endpoint.bound, ratio))
        }
        return [
            .bare(PerformanceTable.signature, signature, ratio: signature / routes.cost.total),
            .bare("RS256 verification", verification),
            .cost("Hummingbird route", routes, ratio: nil),
        ] + lines + [.memory("resident memory, production", residentBytes)]
    }
}
