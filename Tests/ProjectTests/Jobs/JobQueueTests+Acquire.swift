import Testing

@testable import Project

// Callers that do their jobs themselves.
extension JobQueueTests {
    @Test("a caller takes the place of a worker that rests, and the worker is not woken meanwhile")
    func tryAcquire() async throws {
        let desk = Desk()
        let worker = try #require(desk.queue.tryAcquire())
        #expect(desk.queue.load == JobLoad(running: 1, waiting: 0))
        #expect(desk.queue.tryAcquire() == nil)
        let task = await desk.waiting(1)
        #expect(desk.woken.withLock { $0 } == [])
        #expect(desk.queue.release(worker), "The worker must be woken for the job that has come.")
        let work = try #require(desk.take(worker))
        work()
        #expect(try await task.value == 1)
        #expect(desk.told(worker) == "rest")
    }

    @Test("a caller that leaves while nothing waits lets the worker rest, and the next caller takes its place again")
    func release() throws {
        let desk = Desk()
        for _ in 0..<3 {
            let worker = try #require(desk.queue.tryAcquire())
            #expect(!desk.queue.release(worker))
        }
        #expect(desk.queue.load == JobLoad(running: 0, waiting: 0))
    }

    @Test("nobody takes a worker's place at a closed queue, and a worker whose place was taken when it closed still ends")
    func tryAcquireAtClosing() async throws {
        let desk = Desk()
        let worker = try #require(desk.queue.tryAcquire())
        desk.queue.stop(waking: desk.wake)
        #expect(desk.woken.withLock { $0 } == [])
        #expect(desk.queue.tryAcquire() == nil)
        #expect(desk.queue.release(worker), "The worker must be woken, so that it ends.")
        #expect(desk.told(worker) == "end")
        desk.queue.leave()
        await desk.queue.close(waking: desk.wake)
    }
}
