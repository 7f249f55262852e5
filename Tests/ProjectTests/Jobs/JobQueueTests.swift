import Dispatch
import Testing

@testable import Project

@Suite("Jobs that wait for a worker", .timeLimit(.minutes(5)))
struct JobQueueTests {
    enum QueueError: Error { case full, closed }
    typealias Queue = JobQueue<@Sendable () -> Void>

    /// Workers that a test moves by hand.
    struct Desk: Sendable {
        let queue: Queue
        let woken = LockedState<[Int]>([])
        let done = LockedState<[Int]>([])

        init(workers: Int = 1, waiting: Int = 100, patience: Duration? = nil, servesCancelled: Bool = false) {
            let rules = JobRules(
                waiting: waiting,
                patience: patience,
                full: QueueError.full,
                closed: QueueError.closed,
                servesCancelled: servesCancelled
            )
            queue = JobQueue(workers: workers, rules: rules)
        }

        func wake(_ worker: Int) { woken.withLock { $0.append(worker) } }

        func submit(_ number: Int, within patience: Duration? = nil) async throws -> Int {
            try await queue.submit(waking: wake, within: patience) { (continuation: CheckedContinuation<Int, any Error>) in
                {
                    done.withLock { $0.append(number) }
                    continuation.resume(returning: number)
                }
            }
        }

        /// A task whose job waits when this returns.
        func waiting(_ number: Int, within patience: Duration? = nil) async -> Task<Int, any Error> {
            let before = queue.load.waiting
            let task = Task { try await submit(number, within: patience) }
            while queue.load.waiting == before, !Task.isCancelled { await Task.yield() }
            return task
        }

        func take(_ worker: Int = 0) -> (@Sendable () -> Void)? {
            guard case .work(let job) = queue.next(for: worker) else { return nil }
            return job.work
        }

        func told(_ worker: Int) -> String {
            switch queue.next(for: worker) {
            case .work: "work"
            case .rest: "rest"
            case .end: "end"
            }
        }

        /// The work that the first worker gets at once.
        func takeSome(_ limit: Int) -> [@Sendable () -> Void] {
            guard case .work(let jobs) = queue.next(upTo: limit, for: 0) else { return [] }
            return jobs.map(\.work)
        }

        func close() -> Task<Void, Never> { Task { await queue.close(waking: wake) } }
    }

    @Test("are done in the order in which they came; the worker that rested last is woken first")
    func order() async throws {
        let desk = Desk(workers: 2)
        var tasks: [Task<Int, any Error>] = []
        for number in 0..<5 { tasks.append(await desk.waiting(number)) }
        #expect(desk.woken.withLock { $0 } == [0, 1])
        #expect(desk.queue.load == JobLoad(running: 0, waiting: 5))
        // Two are taken at once and one alone, all in order.
        desk.take(1)?()
        let pair = desk.takeSome(2)
        #expect(pair.count == 2 && desk.queue.load == JobLoad(running: 2, waiting: 2))
        for work in pair + desk.takeSome(9) { work() }
        #expect(desk.done.withLock { $0 } == [0, 1, 2, 3, 4])
        #expect(desk.told(1) == "rest" && desk.takeSome(2).isEmpty)
        #expect(desk.queue.load == JobLoad(running: 0, waiting: 0))
        tasks.append(await desk.waiting(5))
        #expect(desk.woken.withLock { $0 } == [0, 1, 0])
        desk.take()?()
        for (number, task) in tasks.enumerated() { #expect(try await task.value == number) }
    }

    @Test("are refused when as many wait as may, besides one for each worker; a place that is free again is given again")
    func limit() async throws {
        let desk = Desk(workers: 2, waiting: 3)
        var tasks: [Task<Int, any Error>] = []
        // The workers were woken and have not come yet.
        for number in 0..<5 { tasks.append(await desk.waiting(number)) }
        await #expect(throws: QueueError.full) { try await desk.submit(9) }
        let (first, second) = (desk.take(0), desk.take(1))
        await #expect(throws: QueueError.full) { try await desk.submit(9) }
        first?()
        desk.queue.finish(0)
        desk.queue.finish(0)
        tasks.append(await desk.waiting(5))
        await #expect(throws: QueueError.full) { try await desk.submit(9) }
        tasks[3].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[3].value }
        tasks.append(await desk.waiting(6))
        second?()
        while let work = desk.take() { work() }
        #expect(desk.done.withLock { $0 } == [0, 1, 2, 4, 5, 6])
        for number in [0, 1, 2, 4, 5, 6] { #expect(try await tasks[number].value == number) }
    }

    @Test("are taken back when their tasks are cancelled: the first, one in the middle, the last", arguments: 0..<4)
    func takenBack(cancelled: Int) async throws {
        let desk = Desk()
        var tasks: [Task<Int, any Error>] = []
        for number in 0..<4 { tasks.append(await desk.waiting(number)) }
        tasks[cancelled].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[cancelled].value }
        #expect(desk.queue.load.waiting == 3)
        while let work = desk.take() { work() }
        #expect(desk.done.withLock { $0 } == (0..<4).filter { $0 != cancelled })
        for number in 0..<4 where number != cancelled { #expect(try await tasks[number].value == number) }
    }

    @Test("are completed when their tasks are cancelled after they were begun")
    func begun() async throws {
        let desk = Desk()
        let task = await desk.waiting(1)
        let work = desk.take()
        task.cancel()
        #expect(desk.queue.load == JobLoad(running: 1, waiting: 0))
        work?()
        #expect(try await task.value == 1)
    }

    @Test(
        "of a task that was cancelled before are done where it tidies up, and are taken back elsewhere",
        arguments: [true, false]
    )
    func cancelledBefore(servesCancelled: Bool) async throws {
        let desk = Desk(servesCancelled: servesCancelled)
        let mayAsk = LockedState(false)
        let task = Task {
            while !mayAsk.withLock({ $0 }) { await Task.yield() }
            return try await desk.submit(1)
        }
        task.cancel()
        mayAsk.withLock { $0 = true }
        if servesCancelled {
            while desk.queue.load.waiting == 0, !Task.isCancelled { await Task.yield() }
            desk.take()?()
            #expect(try await task.value == 1)
        } else {
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(desk.take() == nil)
        }
    }

    @Test("are refused when they have waited too long, time and again")
    func patience() async throws {
        let desk = Desk(patience: .milliseconds(50))
        // The first has a worker on its way, and counts all the same.
        let tasks = [await desk.waiting(0), await desk.waiting(1)]
        for task in tasks { await #expect(throws: QueueError.full) { try await task.value } }
        await #expect(throws: QueueError.full) { try await desk.submit(2) }
        #expect(desk.queue.load.waiting == 0)
    }

    @Test("are refused when they have waited too long for a worker that never comes")
    func patienceWithoutWorker() async throws {
        let desk = Desk(patience: .milliseconds(50))
        await #expect(throws: QueueError.full) { try await desk.submit(0) }
        #expect(desk.woken.withLock { $0 } == [0])
    }

    @Test("of tasks that were cancelled before are never begun, however quick the threads are, and get no other error")
    func cancelledBeforeThreads() async throws {
        let rules = JobRules(waiting: 10, full: QueueError.full, closed: QueueError.closed, servesCancelled: false)
        let threads = JobThreads<@Sendable () -> Void>(2, named: "cancelled", rules: rules) { worker in worker.serve { $0() } }
        let begun = LockedState(0)
        for _ in 0..<2000 {
            let mayAsk = LockedState(false)
            let task = Task {
                while !mayAsk.withLock({ $0 }) { await Task.yield() }
                try await threads.submit { (continuation: CheckedContinuation<Void, any Error>) in
                    {
                        begun.withLock { $0 += 1 }
                        continuation.resume()
                    }
                }
            }
            task.cancel()
            mayAsk.withLock { $0 = true }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        await threads.close()
        #expect(begun.withLock { $0 } == 0)
    }

    @Test("that wait are done before the queue has closed; others are refused, and the end is told to all who wait for it")
    func closing() async throws {
        let desk = Desk(workers: 2)
        let tasks = [await desk.waiting(0), await desk.waiting(1), await desk.waiting(2)]
        let first = desk.take()
        desk.take(1)?()
        let closings = [desk.close(), desk.close()]
        while await Self.accepts(desk) { await Task.yield() }
        first?()
        desk.take()?()
        for worker in 0..<2 {
            #expect(desk.told(worker) == "end")
            desk.queue.leave()
        }
        for closing in closings { await closing.value }
        for (number, task) in tasks.enumerated() { #expect(try await task.value == number) }
        await #expect(throws: QueueError.closed) { try await desk.submit(3) }
        await desk.close().value
    }

    private static func accepts(_ desk: Desk) async -> Bool {
        let task = Task { try await desk.submit(9) }
        task.cancel()
        guard case .failure(let error) = await task.result else { return true }
        return !(error is QueueError)
    }

    @Test("wake the workers that rest when the queue closes")
    func closingIdle() async {
        let desk = Desk(workers: 3)
        let closing = desk.close()
        while desk.woken.withLock({ $0.count }) < 3, !Task.isCancelled { await Task.yield() }
        for worker in 0..<3 {
            #expect(desk.told(worker) == "end")
            desk.queue.leave()
        }
        await closing.value
    }

    @Test("end once, all of them, when tasks are cancelled and threads take jobs at any moment")
    func stress() async throws {
        let rules = JobRules(waiting: 300, full: QueueError.full, closed: QueueError.closed, servesCancelled: false)
        let threads = JobThreads<@Sendable () -> Void>(4, named: "stress", rules: rules) { worker in
            worker.serve { $0() }
        }
        let begun = LockedState(Set<Int>())
        let outcomes = await withTaskGroup(of: (Int, Result<Int, any Error>).self) { group in
            for number in 0..<5000 {
                let task = Task {
                    try await threads.submit { (continuation: CheckedContinuation<Int, any Error>) in
                        {
                            let isNew = begun.withLock { $0.insert(number).inserted }
                            continuation.resume(returning: isNew ? number : -1)
                        }
                    }
                }
                if number % 3 == 0 { task.cancel() }
                if number % 100 == 0 { await Task.yield() }
                group.addTask { (number, await task.result) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        await threads.close()
        var done: Set<Int> = []
        for (number, outcome) in outcomes {
            switch outcome {
            case .success(let value):
                #expect(value == number)
                done.insert(number)
            case .failure(let error): #expect(error is CancellationError || error as? QueueError == .full)
            }
        }
        #expect(outcomes.count == 5000)
        #expect(done == begun.withLock { $0 })
        #expect(threads.load == JobLoad(running: 0, waiting: 0))
    }

    @Test("of threads that nothing holds any more are done, and then the threads end")
    func released() async throws {
        let ended = LockedState(0)
        var threads: JobThreads<@Sendable () -> Void>? = JobThreads(
            3,
            named: "released",
            rules: JobRules(waiting: 1, full: QueueError.full, closed: QueueError.closed, servesCancelled: false)
        ) { worker in
            worker.serve { $0() }
            ended.withLock { $0 += 1 }
        }
        let value = try await threads?.submit { (continuation: CheckedContinuation<Int, any Error>) in
            { continuation.resume(returning: 7) }
        }
        #expect(value == 7)
        threads = nil
        while ended.withLock({ $0 }) < 3, !Task.isCancelled { await Task.yield() }
    }
}
