import TestKit

/// A server under load.
struct RunningServer: Sendable {
    let process: ServerProcess
    let base: String
    /// From the start of the process to its first answer.
    let startTime: Duration

    /// Stops it.
    func stop() async { _ = await process.terminate() }

    /// The most bytes that were resident while a body loaded the server. The kernel's own maximum would also count the time before.
    func peakBytes(during body: () async throws -> Void) async throws -> Int {
        let watch = Task {
            var peak = process.residentBytes
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(20))
                peak = max(peak, process.residentBytes)
            }
            return peak
        }
        defer { watch.cancel() }
        try await body()
        watch.cancel()
        return await watch.value
    }
}
