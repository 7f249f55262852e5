import Foundation
import TestKit

/// Password sign-ins against the bare cost of the same hash, look-ups beside a full load of passwords, and the memory of hashing.
struct PasswordLoad: Sendable {
    let bench: BenchmarkSetup

    // One hash with the defaults of `passwords.*`.
    private static let hashBytes = 19_456 << 10

    func measure() async throws -> [Report.Line] {
        let subject = bench.production("passwords")
        let server = try await subject.start()
        let requests = try await subject.seed(server, users: min(bench.users, 100))
        let load = bench.load
        // Few passwords are answered in a second, and those that are being hashed at the end are in no answer.
        var long = load
        long.seconds *= 2
        // Everything but the hashing has its memory before.
        try await load.warmUp(server, requests.signIn)
        try await load.warmUp(server, requests.lookup)
        let before = server.process.residentBytes
        var hash = Double.infinity
        var signIns: [Load.Outcome] = []
        let peak = try await server.peakBytes {
            for _ in 0..<bench.rounds {
                hash = min(hash, try await BareCosts.argon2id(seconds: load.seconds))
                signIns.append(try await long.run(server, requests.password))
            }
        }
        let (seconds, after) = try await memoryGivenBack(server, before: before, peak: peak)
        let latencies = try await latencies(server, requests)
        await server.stop()
        let ratio = signIns.ratio(to: hash)
        let share = String(format: "%.0f %%", 100 / ratio)
        let factor = latencies.loaded / latencies.quiet
        let workers = ProcessInfo.processInfo.activeProcessorCount
        let bound = Self.hashBytes * workers
        return [
            .bare("Argon2id", hash),
            .cost(
                "signInWithPassword",
                signIns,
                ratio: ratio,
                // The hash is at least 95 % of it.
                target: Report.Target(text: "≤ 1.053", isMet: ratio <= 1 / 0.95)
            ).noting("Argon2id is \(share) of it"),
            Report.Line(
                name: "lookup p99 beside passwords",
                value: Report.Line.milliseconds(latencies.loaded),
                unit: "ms",
                target: .below(3, factor, " ×"),
                note: String(format: "× %.1f of %.2f ms alone", factor, latencies.quiet)
            ),
            .memory(
                "memory that hashing adds",
                peak - before,
                target: Report.Target(text: "≤ \(Report.Line.megabytes(bound)) MB", isMet: peak - before <= bound),
                note: "\(workers) hashes at once"
            ),
            .memory(
                "memory of hashing left when idle",
                max(0, after - before),
                target: Report.Target(text: "in 60 s", isMet: seconds != nil),
                note: seconds.map { "after \($0) s" } ?? "after 60 s"
            ),
        ]
    }

    // Given back is what was added but a tenth: buffers of connections and the like stay.
    private func memoryGivenBack(_ server: RunningServer, before: Int, peak: Int) async throws -> (seconds: Int?, bytes: Int) {
        for second in 0...60 {
            let bytes = server.process.residentBytes
            if bytes - before <= (peak - before) / 10 { return (second, bytes) }
            try await Task.sleep(for: .seconds(1))
        }
        return (nil, server.process.residentBytes)
    }

    // A light, steady load of look-ups, first alone and then beside a full load of passwords.
    private func latencies(_ server: RunningServer, _ requests: Subject.Requests) async throws -> (quiet: Double, loaded: Double)
    {
        var few = bench.load
        few.connections = 4
        let quiet = try await few.run(server, requests.lookup, pause: 5)
        async let passwords = bench.load.run(server, requests.password)
        let loaded = try await few.run(server, requests.lookup, pause: 5)
        _ = try await passwords
        return (quiet.p99, loaded.p99)
    }
}

extension Report.Line {
    /// The line with a further note.
    fileprivate func noting(_ text: String) -> Report.Line {
        var line = self
        line.note = "\(text); \(note)"
        return line
    }
}
