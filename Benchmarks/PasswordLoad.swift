import CArgon2
import Foundation

/// Compares password sign-ins with the bare rate of the same hash, and measures look-ups beside a full load of passwords.
struct PasswordLoad: Sendable {
    let load: Load

    /// Rates per second, latencies in microseconds.
    struct Figures: Sendable {
        let hashes: Double
        let signIn: Double
        let quietLookup: Double
        let loadedLookup: Double
    }

    func measure(_ server: Subject.Server, _ requests: Subject.Requests) async throws -> Figures {
        let hashes = try await bareRate()
        let signIn = try await load.run(server.base, requests.password)
        // A light, steady load of look-ups, first alone and then beside a full load of passwords.
        let few = Load(directory: load.directory, seconds: load.seconds, connections: 4)
        let quiet = try await few.run(server.base, requests.lookup, pause: 5)
        async let passwords = load.run(server.base, requests.password)
        let loaded = try await few.run(server.base, requests.lookup, pause: 5)
        _ = try await passwords
        return Figures(hashes: hashes, signIn: signIn.rate, quietLookup: quiet.p99, loadedLookup: loaded.p99)
    }

    // The hash library on all cores, with the defaults of `passwords.*`.
    private func bareRate() async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(load.seconds)
        let password = Array("correct horse battery staple".utf8)
        let salt = [UInt8](repeating: 7, count: 16)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    var count = 0
                    while clock.now < end {
                        var hash = [UInt8](repeating: 0, count: 32)
                        let code = argon2id_hash_raw(2, 19_456, 1, password, password.count, salt, salt.count, &hash, hash.count)
                        guard code == ARGON2_OK.rawValue else { throw Load.Failed(description: "Argon2 failed: \(code)") }
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(count) / ((clock.now - start) / .seconds(1))
    }
}

extension PasswordLoad.Figures {
    /// Prints the figures and whether the targets are met.
    func report() {
        Report.heading("Passwords")
        Report.figure("Argon2id hashes, bare", Report.rate(hashes), "limit C")
        Report.figure("signInWithPassword", Report.rate(signIn), Report.share(signIn / hashes, of: "limit C", atLeast: 0.90))
        let factor = (loadedLookup / quietLookup * 10).rounded() / 10
        let remark = "× \(factor) of \(Report.milliseconds(quietLookup)), \(Report.bound(factor < 3, "< 3"))"
        Report.figure("lookup p99 under full load", Report.milliseconds(loadedLookup), remark)
    }
}
