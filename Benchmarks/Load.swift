import Foundation
import Project

/// Loads a server with wrk.
struct Load: Sendable {
    /// One kind of request, with a body for each of many users.
    struct Requests: Sendable {
        let path: String
        let contentType: String
        let bodies: [String]
    }

    /// The result of a run.
    struct Outcome: Sendable {
        /// Answers per second.
        let rate: Double
        /// Latencies in microseconds.
        let median: Double
        let p99: Double
    }

    /// wrk is missing, or an answer was not 200, so that the run measured nothing.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    let directory: String
    let seconds: Int
    let connections: Int

    // With few threads the cores are left to the server. The load generator's own share is part of every figure, including the
    // limits.
    private static let threads = 2

    /// Loads a server.
    ///
    /// - Parameters:
    ///   - base: The server's URL.
    ///   - requests: The requests to send. Connections use the bodies in turn.
    ///   - pause: Milliseconds between an answer and the next request of a connection.
    /// - Returns: The result.
    /// - Throws: ``Failed``.
    func run(_ base: String, _ requests: Requests, pause: Int = 0) async throws -> Outcome {
        let name = UUID().uuidString
        let bodies = "\(directory)/\(name).bodies"
        let script = "\(directory)/\(name).lua"
        defer { for path in [bodies, script] { try? FileManager.default.removeItem(atPath: path) } }
        try requests.bodies.joined(separator: "\n").write(toFile: bodies, atomically: false, encoding: .utf8)
        try Self.script(requests, bodies: bodies, pause: pause).write(toFile: script, atomically: false, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["wrk", "-t\(Self.threads)", "-c\(connections)", "-d\(seconds)s", "-s", script, base]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let printed = await Task.detached { output.fileHandleForReading.readDataToEndOfFile() }.value
        process.waitUntilExit()
        let text = String(decoding: printed, as: UTF8.self)
        guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix("{") }),
            let result = try? JSONValue.parse(line.utf8), let answers = result["requests"]?.integer,
            let duration = result["duration"]?.integer, let refused = result["refused"]?.integer,
            let median = result["p50"]?.integer, let p99 = result["p99"]?.integer
        else { throw Failed(description: "wrk said: \(text)") }
        guard refused == 0, answers > 0 else {
            throw Failed(description: "\(refused) of \(answers) answers of \(requests.path) failed")
        }
        return Outcome(rate: Double(answers) / Double(duration) * 1_000_000, median: Double(median), p99: Double(p99))
    }

    private static func script(_ requests: Requests, bodies: String, pause: Int) -> String {
        """
        local bodies = {}
        for line in io.lines("\(bodies)") do bodies[#bodies + 1] = line end
        local headers = { ["Content-Type"] = "\(requests.contentType)" }
        local threads = {}
        refused = 0
        function setup(thread)
            thread:set("number", #threads)
            threads[#threads + 1] = thread
        end
        function init()
            next_body = number * math.floor(#bodies / \(threads))
        end
        function request()
            next_body = next_body % #bodies + 1
            return wrk.format("POST", "\(requests.path)", headers, bodies[next_body])
        end
        function response(status) if status ~= 200 then refused = refused + 1 end end
        \(pause > 0 ? "function delay() return \(pause) end" : "")
        function done(summary, latency)
            local total = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
            for _, thread in ipairs(threads) do total = total + thread:get("refused") end
            io.write(string.format(
                '{"requests":%d,"duration":%d,"refused":%d,"p50":%d,"p99":%d}\\n',
                summary.requests, summary.duration, total, latency:percentile(50), latency:percentile(99)))
        end
        """
    }
}
