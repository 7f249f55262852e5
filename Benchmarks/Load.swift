import Foundation
import Project
import TestKit

/// Loads a server with wrk.
struct Load: Sendable {
    /// One kind of request, with a body for each of many users.
    struct Requests: Sendable {
        let path: String
        let contentType: String
        let bodies: [String]

        /// The length of the answer's body to the first request.
        func answerBytes(of base: String) async throws -> Int {
            let body = bodies.first.map { Data($0.utf8) }
            let answer = try await TestClient(base).send("POST", path, headers: [("Content-Type", contentType)], body: body)
            guard answer.status == 200 else { throw Failed(description: "\(path): \(answer.errorMessage ?? "no answer")") }
            return answer.bytes.count
        }
    }

    /// The result of a run.
    struct Outcome: Sendable {
        let answers: Int
        /// Answers per second.
        let rate: Double
        /// Latency in milliseconds.
        let p99: Double
        /// Processor time of the server for each answer.
        let cost: ProcessorTime
    }

    /// wrk is missing, or an answer was not 200, so that the run measured nothing.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    let directory: String
    var seconds: Int
    var connections: Int
    /// Threads of wrk. With few of them the cores are left to the server.
    var threads = 2

    /// Loads a server shortly, so that its caches and pools are filled.
    func warmUp(_ server: RunningServer, _ requests: Requests) async throws {
        var short = self
        short.seconds = 1
        _ = try await short.run(server, requests)
    }

    /// Loads a server.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - requests: The requests to send. Connections use the bodies in turn.
    ///   - pause: Milliseconds between an answer and the next request of a connection.
    /// - Returns: The result.
    /// - Throws: ``Failed``.
    func run(_ server: RunningServer, _ requests: Requests, pause: Int = 0) async throws -> Outcome {
        let name = UUID().uuidString
        let bodies = "\(directory)/\(name).bodies"
        let script = "\(directory)/\(name).lua"
        defer { for path in [bodies, script] { try? FileManager.default.removeItem(atPath: path) } }
        try requests.bodies.joined(separator: "\n").write(toFile: bodies, atomically: false, encoding: .utf8)
        try self.script(requests, bodies: bodies, pause: pause).write(toFile: script, atomically: false, encoding: .utf8)
        let start = ProcessorTime(of: server.process)
        let text = try await wrk(
            // Passwords of many connections wait for each other longer than the two seconds that wrk gives an answer.
            ["-t\(threads)", "-c\(connections)", "-d\(seconds)s", "--timeout", "30s", "-s", script, server.base]
        )
        let end = ProcessorTime(of: server.process)
        guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix("{") }),
            let result = try? JSONValue.parse(line.utf8), let answers = result["requests"]?.integer,
            let duration = result["duration"]?.integer, let refused = result["refused"]?.integer,
            let p99 = result["p99"]?.integer
        else { throw Failed(description: "wrk said: \(text)") }
        guard refused == 0, answers > 0 else {
            throw Failed(description: "\(refused) of \(answers) answers of \(requests.path) failed")
        }
        return Outcome(
            answers: Int(answers),
            rate: Double(answers) / Double(duration) * 1_000_000,
            p99: Double(p99) / 1000,
            cost: end.since(start, requests: Int(answers))
        )
    }

    private func wrk(_ arguments: [String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["wrk"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        // Reading blocks, and the tasks' own threads are few: the identity provider of this process needs one to answer.
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let printed = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: String(decoding: printed, as: UTF8.self))
            }
        }
    }

    private func script(_ requests: Requests, bodies: String, pause: Int) -> String {
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
                '{"requests":%d,"duration":%d,"refused":%d,"p99":%d}\\n',
                summary.requests, summary.duration, total, latency:percentile(99)))
        end
        """
    }
}

extension [Load.Outcome] {
    /// The least processor time of an answer.
    var cost: ProcessorTime { map(\.cost).min { $0.total < $1.total } ?? .zero }

    /// The greatest rate.
    var rate: Double { map(\.rate).max() ?? 0 }

    /// The processor time of an answer as a multiple of a bare cost in milliseconds.
    func ratio(to bare: Double) -> Double { cost.total / bare }
}
