import Foundation
import TestKit

/// Compares the rates of the endpoints with the bare limits.
struct Throughput: Sendable {
    let load: Load
    let rounds: Int

    /// The medians of the rounds, per second.
    struct Figures: Sendable {
        let signatures: Double
        let bare: Double
        let signIn: Double
        let refresh: Double
        let lookup: Double
        let residentBytes: Int
    }

    /// Measures limits and server in turn.
    func measure(_ server: Subject.Server, _ requests: Subject.Requests) async throws -> Figures {
        let bare = try await BareServer.start(directory: load.directory)
        // The body of a lookup, so that both routes read the same number of bytes.
        let empty = Load.Requests(path: Bare.path, contentType: "application/json", bodies: requests.lookup.bodies)
        var series: [[Double]] = Array(repeating: [], count: 5)
        for round in 1...rounds {
            Report.line("Round \(round) of \(rounds)…")
            series[0].append(try await SignatureRate.measure(seconds: load.seconds))
            series[1].append(try await load.run(bare.base, empty).rate)
            series[2].append(try await load.run(server.base, requests.signIn).rate)
            series[3].append(try await load.run(server.base, requests.refresh).rate)
            series[4].append(try await load.run(server.base, requests.lookup).rate)
        }
        await bare.stop()
        return Figures(
            signatures: series[0].median,
            bare: series[1].median,
            signIn: series[2].median,
            refresh: series[3].median,
            lookup: series[4].median,
            residentBytes: server.process.residentBytes
        )
    }
}

extension Throughput.Figures {
    /// Prints the figures and whether the targets are met.
    func report() {
        Report.heading("Throughput, median round (\(ProcessInfo.processInfo.activeProcessorCount) cores, shared with the load)")
        Report.figure("RSA-2048 signatures, bare", Report.rate(signatures), "limit A")
        Report.figure("Hummingbird route, bare", Report.rate(bare), "limit B")
        Report.figure(
            "signInWithIdp",
            Report.rate(signIn),
            Report.share(signIn / signatures, of: "limit A", atLeast: 0.80)
        )
        Report.figure("token", Report.rate(refresh), Report.share(refresh / signatures, of: "limit A", atLeast: 0.85))
        Report.figure("lookup", Report.rate(lookup), Report.share(lookup / bare, of: "limit B", atLeast: 0.50))
        Report.figure("resident memory", "\(residentBytes >> 20) MB", Report.bound(residentBytes < 120 << 20, "< 120 MB"))
    }
}
