import Foundation

/// Allocations per request, counted in a separate run of the server by a library that is loaded in front of the C library's.
///
/// They do not depend on the machine. Counting takes time, so that nothing else is measured in this run.
struct Allocations: Sendable {
    let bench: BenchmarkSetup

    /// The library is not beside the benchmark's binary, or the server does not allocate through it.
    struct NotCounted: Error, CustomStringConvertible {
        let description: String
    }

    /// Counts in both modes.
    func measure() async throws -> [Report.Line] {
        try await count(bench.production("allocations"), "") + count(bench.development("allocations"), ", development")
    }

    private func count(_ subject: Subject, _ suffix: String) async throws -> [Report.Line] {
        let library = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "libCountingMalloc.so").path
        guard FileManager.default.isReadableFile(atPath: library) else {
            throw NotCounted(description: "Build the product CountingMalloc beside the benchmark.")
        }
        let file = "\(bench.directory)/allocations\(suffix.isEmpty ? "" : "-development")"
        let server = try await subject.start(["LD_PRELOAD": library, "COUNTING_MALLOC_FILE": file])
        let requests = try await subject.seed(server, users: min(bench.users, 200))
        var load = bench.load
        load.seconds = min(load.seconds, 2)
        let kinds = [
            ("signInWithIdp", requests.signIn), ("token", requests.refresh), ("lookup", requests.lookup),
            ("anonymous signUp", requests.signUp), ("signInWithPassword", requests.password),
        ]
        var lines: [Report.Line] = []
        for (name, requests) in kinds {
            // Few passwords are answered in that time. Those that still wait when the load ends were read, but are in no answer.
            load.connections = name == "signInWithPassword" ? 2 : bench.load.connections
            try await load.warmUp(server, requests)
            let start = try Self.counts(file)
            let outcome = try await load.run(server, requests)
            let end = try Self.counts(file)
            guard end.calls > start.calls else {
                throw NotCounted(description: "The server's allocator cannot be replaced from outside.")
            }
            let answers = UInt64(outcome.answers)
            lines.append(
                Report.Line(
                    name: "\(name)\(suffix)",
                    value: String((end.calls - start.calls) / answers),
                    unit: "allocations",
                    note: "\((end.bytes - start.bytes) / answers) bytes"
                )
            )
        }
        await server.stop()
        return lines
    }

    // The library's file, as its header declares it: two numbers of the machine's byte order.
    private static func counts(_ file: String) throws -> (calls: UInt64, bytes: UInt64) {
        let data = try Data(contentsOf: URL(filePath: file))
        guard data.count == 16 else { throw NotCounted(description: "The file of the counts has \(data.count) bytes.") }
        return data.withUnsafeBytes { ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) }
    }
}
