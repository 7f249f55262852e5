import Foundation
import TestKit

/// Processor time in milliseconds, of a process or of one request.
struct ProcessorTime: Sendable {
    let user: Double
    let system: Double

    var total: Double { user + system }

    /// No time.
    static let zero = ProcessorTime(user: 0, system: 0)

    /// What a process has used so far, as the kernel accounts it.
    ///
    /// - Parameter process: The process.
    init(of process: ServerProcess) {
        let total = process.processorTime / .milliseconds(1)
        system = min(process.kernelTime / .milliseconds(1), total)
        user = total - system
    }

    private init(user: Double, system: Double) {
        self.user = user
        self.system = system
    }

    /// The time of each of a number of requests.
    ///
    /// - Parameters:
    ///   - start: What was used before the first.
    ///   - requests: Their number.
    /// - Returns: The time of one.
    func since(_ start: ProcessorTime, requests: Int) -> ProcessorTime {
        ProcessorTime(user: (user - start.user) / Double(requests), system: (system - start.system) / Double(requests))
    }

    /// The time of one bare operation in this process, in milliseconds.
    ///
    /// Every core works at once, as under load: on processors whose threads share a core, each is slower then.
    ///
    /// - Parameters:
    ///   - seconds: How long to repeat it.
    ///   - operation: The operation.
    /// - Returns: The mean.
    /// - Throws: What the operation throws.
    static func bare(seconds: Int, _ operation: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let end = ContinuousClock.now + .seconds(seconds)
        let start = clock()
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        try await operation()
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1000 / Double(count)
    }
}
