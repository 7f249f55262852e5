import Dispatch
import Testing

@testable import Project

@Suite("Threads that do jobs", .timeLimit(.minutes(5)))
struct JobThreadsTests {
    private struct QueueError: Error {}

    @Test("tidy up once in a long pause, and do the jobs that come afterwards")
    func tidying() async throws {
        let tidied = LockedState(0)
        let rules = JobRules(waiting: 10, full: QueueError(), closed: QueueError(), servesCancelled: false)
        let threads = JobThreads<@Sendable () -> Void>(1, named: "test", rules: rules) { worker in
            worker.serve(tidyingAfter: .milliseconds(20), { tidied.withLock { $0 += 1 } }) { work in
                worker.finish()
                work()
            }
        }
        func work() async throws -> Int {
            try await threads.submit { (continuation: CheckedContinuation<Int, any Error>) in
                { continuation.resume(returning: 1) }
            }
        }
        for round in 1...3 {
            #expect(try await work() == 1)
            while tidied.withLock({ $0 }) < round { try await Task.sleep(for: .milliseconds(5)) }
            // Longer than another pause.
            try await Task.sleep(for: .milliseconds(60))
            #expect(tidied.withLock { $0 } == round)
        }
        await threads.close()
    }
}
