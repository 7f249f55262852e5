import Dispatch

/// Jobs that wait, in the order in which they came, for one of a fixed number of workers.
///
/// The queue's owner runs the workers, and the queue knows them by their numbers. A worker that is woken asks for jobs with ``next(for:)`` until it is told to rest or to end. The worker that rested last is woken first, because its caches are the
/// warmest. A job whose task is cancelled while it waits is taken back and never run; a job that was begun is completed.
///
/// One lock guards everything. It is held for a few instructions, however many jobs wait.
package final class JobQueue<Work: Sendable>: Sendable {
    /// A job that waits, or that a worker has taken.
    package final class Job: Sendable {
        /// Ends the job with an error instead of doing its work.
        package let refuse: @Sendable (any Error) -> Void
        fileprivate let deadline: ContinuousClock.Instant?
        /// What the worker is to do. It resumes the continuation that it was made with.
        package let work: Work

        fileprivate init(work: Work, refuse: @escaping @Sendable (any Error) -> Void, deadline: ContinuousClock.Instant?) {
            self.refuse = refuse
            self.deadline = deadline
            self.work = work
        }
    }

    private let state: LockedState<JobLine<Job>>
    private let rules: JobRules
    private let capacity: Int

    /// - Parameters:
    ///   - workers: At least 1. Their numbers begin with 0.
    ///   - restAtFirst: Whether they rest until they are woken. Otherwise each asks for its first job unasked, so that no job
    ///     depends on a worker that never comes.
    package init(workers: Int, restAtFirst: Bool = true, rules: JobRules) {
        precondition(workers >= 1, "a queue without workers does no job")
        // The first worker is woken first.
        let line = JobLine<Job>(
            resting: restAtFirst ? (0..<workers).reversed() : [],
            isRunning: Array(repeating: false, count: workers),
            living: workers
        )
        self.state = LockedState(line)
        self.rules = rules
        capacity = workers + rules.waiting
    }

    /// How busy the queue is now.
    package var load: JobLoad { state.withLock { JobLoad(running: $0.running, waiting: $0.waiting.count) } }

    /// Puts a job into the queue, and waits until it is done.
    ///
    /// - Parameter work: Makes the work, which must resume the continuation.
    package func submit<T: Sendable>(
        waking wake: (Int) -> Void,
        within patience: Duration? = nil,
        _ work: (CheckedContinuation<T, any Error>) -> Work
    ) async throws -> T {
        if !rules.servesCancelled { try Task.checkCancellation() }
        let ticket = JobTicket()
        let isServedAnyway = rules.servesCancelled && Task.isCancelled
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let deadline = rules.patience.map { ContinuousClock.now + $0 }
                let job = Job(work: work(continuation), refuse: { continuation.resume(throwing: $0) }, deadline: deadline)
                add(job, ticket, waking: wake)
                if let patience, rules.patience.map({ patience < $0 }) ?? true { refuse(ticket, after: patience) }
                // A task that was cancelled before its job stood in the queue has found nothing there.
                if !isServedAnyway, Task.isCancelled { takeBack(ticket, CancellationError()) }
            }
        } onCancel: {
            if !isServedAnyway { takeBack(ticket, CancellationError()) }
        }
    }

    private enum Placement {
        case wait(worker: Int?, setsTimer: Bool)
        case refuse(any Error)
    }

    private func add(_ job: Job, _ ticket: JobTicket, waking wake: (Int) -> Void) {
        let placement = state.withLock { state -> Placement in
            if state.isClosed { return .refuse(rules.closed) }
            if state.running + state.waiting.count >= capacity { return .refuse(rules.full) }
            ticket.place = state.waiting.append(job)
            let setsTimer = job.deadline != nil && !state.isTimerSet
            if setsTimer { state.isTimerSet = true }
            return .wait(worker: state.resting.popLast(), setsTimer: setsTimer)
        }
        switch placement {
        case .wait(let worker, let setsTimer):
            if let worker { wake(worker) }
            if setsTimer, let deadline = job.deadline { setTimer(for: deadline) }
        case .refuse(let error): job.refuse(error)
        }
    }

    private func takeBack(_ ticket: JobTicket, _ error: any Error) {
        let job = state.withLock { state in ticket.place.flatMap { state.waiting.remove($0) } }
        job?.refuse(error)
    }

    // A job that may wait less long than all others has a timer of its own.
    private func refuse(_ ticket: JobTicket, after patience: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + patience / .seconds(1)) { [weak self] in
            guard let self else { return }
            takeBack(ticket, rules.full)
        }
    }

    private func setTimer(for deadline: ContinuousClock.Instant) {
        let seconds = max((deadline - .now) / .seconds(1), 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in self?.refuseLate() }
    }

    /// Refuses jobs that have waited too long. All may wait equally long, so they are the first of the queue.
    private func refuseLate() {
        let now = ContinuousClock.now
        let (late, next) = state.withLock { state -> ([Job], ContinuousClock.Instant?) in
            var late: [Job] = []
            while let deadline = state.waiting.first?.deadline, deadline <= now, let job = state.waiting.popFirst() {
                late.append(job)
            }
            let next = state.waiting.first?.deadline
            state.isTimerSet = next != nil
            return (late, next)
        }
        for job in late { job.refuse(rules.full) }
        if let next { setTimer(for: next) }
    }

    /// The next job of a worker, which has done its last one.
    package func next(for worker: Int) -> JobTurn<Job> {
        state.withLock { $0.turn(of: worker) { $0.popFirst() } }
    }

    /// At most as many jobs as the limit for a worker, which has done its last ones.
    package func next(upTo limit: Int, for worker: Int) -> JobTurn<[Job]> {
        state.withLock { state in
            state.turn(of: worker) { waiting in
                let jobs = (0..<min(limit, waiting.count)).compactMap { _ in waiting.popFirst() }
                return jobs.isEmpty ? nil : jobs
            }
        }
    }

    /// Takes the place of a worker that rests while nothing waits, so that the caller does its job itself.
    ///
    /// - Returns: The worker's number, for ``release(_:)``; `nil` when jobs wait, no worker rests or the queue is closed.
    package func tryAcquire() -> Int? {
        state.withLock { state in
            guard !state.isClosed, state.waiting.count == 0, let worker = state.resting.popLast() else { return nil }
            state.set(worker, isRunning: true)
            return worker
        }
    }

    /// Leaves the place of a worker.
    ///
    /// - Returns: Whether the worker must be woken, because jobs have come or the queue was closed meanwhile.
    package func release(_ worker: Int) -> Bool {
        state.withLock { state in
            state.set(worker, isRunning: false)
            if state.waiting.count > 0 || state.isClosed { return true }
            state.resting.append(worker)
            return false
        }
    }

    /// Counts the job of a worker as done before the worker asks for the next one, so that the receiver of its result finds its place
    /// free.
    package func finish(_ worker: Int) { state.withLock { $0.set(worker, isRunning: false) } }

    /// Says that a worker has ended, after it was told to.
    package func leave() {
        let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.living -= 1
            guard state.living == 0 else { return [] }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    /// Refuses new jobs. The workers end once they have done those that wait.
    package func stop(waking wake: (Int) -> Void) {
        let resting = state.withLock { state in
            state.isClosed = true
            defer { state.resting = [] }
            return state.resting
        }
        for worker in resting { wake(worker) }
    }

    /// Does what ``stop(waking:)`` does, and waits until the workers have ended. It may be called again.
    package func close(waking wake: (Int) -> Void) async {
        stop(waking: wake)
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.living > 0 { state.closers.append(continuation) }
                return state.living == 0
            }
            if hasEnded { continuation.resume() }
        }
    }
}

/// What a worker of a ``JobQueue`` does next.
package enum JobTurn<Granted: Sendable>: Sendable {
    case work(Granted)
    /// Nothing waits. The worker comes again when it is woken.
    case rest
    /// The queue is closed and nothing waits. The worker calls ``JobQueue/leave()`` after its last act.
    case end
}

/// Where the job of a task stands, so that it can be taken back.
private final class JobTicket: Sendable {
    // Safe because every access holds the lock of the queue.
    nonisolated(unsafe) var place: WaitingPlace?
}

/// What the lock of a queue guards.
private struct JobLine<Job: AnyObject & Sendable>: Sendable {
    var waiting = WaitingList<Job>()
    var resting: [Int]
    var isRunning: [Bool]
    var running = 0
    var living: Int
    var isTimerSet = false
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []

    mutating func set(_ worker: Int, isRunning now: Bool) {
        guard isRunning[worker] != now else { return }
        isRunning[worker] = now
        running += now ? 1 : -1
    }

    mutating func turn<Granted>(
        of worker: Int,
        _ take: (inout WaitingList<Job>) -> Granted?
    ) -> JobTurn<Granted> {
        let granted = take(&waiting)
        set(worker, isRunning: granted != nil)
        if let granted { return .work(granted) }
        if isClosed { return .end }
        resting.append(worker)
        return .rest
    }
}
