import Dispatch
import Project

#if canImport(Glibc)
    import Glibc
#endif

/// A fixed number of threads that only hash, with a bounded queue in front of them.
///
/// Hashing takes tens of milliseconds of processor time. On the threads of Swift's tasks or of the event loops it would delay all
/// other requests.
final class HashingPool: Sendable {
    /// A snapshot, for metrics and tests.
    typealias Load = JobLoad

    /// Does the work, and returns the function that delivers its result.
    private typealias Work = @Sendable () -> @Sendable () -> Void

    private let threads: JobThreads<Work>
    private let refusal = APIError.overload("Too many passwords are being checked. Please try again later.")
    /// How many jobs of one client may wait or run, so that none fills the queue for all others (threat case RES-07).
    var share: Int { Self.share(of: places) }
    /// How many jobs of all clients of one site may wait or run: a customer may have many networks.
    var shareOfSite: Int { Self.shareOfSite(of: places) }
    /// How many jobs of no client may wait or run: administrators never take the last places.
    let shareOfNobody: Int
    /// How many places only clients take whose network is usual for the account: strangers never take the last ones.
    let kept: Int

    private let places: Int
    private let census = LockedState(Census())

    /// The jobs that wait or run.
    private struct Census: Sendable {
        var all = 0
        var ofNobody = 0
        // Of each client and each site that has some.
        var clients: [String: Int] = [:]
        var sites: [String: Int] = [:]

        mutating func add(_ number: Int, _ client: HashingClient?) {
            all += number
            guard let client else { return ofNobody += number }
            Self.add(number, client.name, &clients)
            if let site = client.site { Self.add(number, site, &sites) }
        }

        private static func add(_ number: Int, _ name: String, _ counts: inout [String: Int]) {
            let count = (counts[name] ?? 0) + number
            counts[name] = count > 0 ? count : nil
        }
    }

    // The first hash after the pause takes its memory from the system again, so the pause is longer than those of a busy server.
    private static let pauseBeforeTidying = DispatchTimeInterval.seconds(20)

    /// - Parameter queueLimit: How many jobs may wait besides those that run.
    init(workers: Int, queueLimit: Int) {
        let places = max(workers, 1) + max(queueLimit, 0)
        self.places = places
        kept = places / 8
        shareOfNobody = max(places - places / 4, 1)
        let rules = JobRules(waiting: queueLimit, full: refusal, closed: refusal, servesCancelled: false)
        threads = JobThreads(max(workers, 1), named: "password", rules: rules) { worker in
            Self.yieldToOthers()
            worker.serve(tidyingAfter: Self.pauseBeforeTidying, HashMemory.release) { work in
                let deliver = work()
                worker.finish()
                deliver()
            }
        }
    }

    var load: Load { threads.load }

    /// Runs a body on one of the threads. Cancelling the task removes a body that still waits; a body that runs is completed.
    ///
    /// - Parameter client: `nil` for administrators.
    /// - Throws: ``APIError/overload(_:)`` when the queue is full, a share used up or the pool closed; `CancellationError`.
    func run<T: Sendable>(for client: HashingClient?, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        guard enter(client) else { throw refusal }
        defer { leave(client) }
        return try await threads.submit { (continuation: CheckedContinuation<T, any Error>) in
            {
                let result = Result(catching: body)
                return { continuation.resume(with: result) }
            }
        }
    }

    private static func share(of places: Int) -> Int { max(places / 4, 1) }

    private static func shareOfSite(of places: Int) -> Int { max(places / 2, 1) }

    private func enter(_ client: HashingClient?) -> Bool {
        census.withLock { census in
            let isOpen = census.all < places - kept
            guard let client else {
                guard isOpen, census.ofNobody < shareOfNobody else { return false }
                census.add(1, nil)
                return true
            }
            guard isOpen || client.isUsual else { return false }
            // Of the places that are kept, nobody has a larger part than of all, whatever networks are usual for his own accounts.
            let part = isOpen ? places : kept
            guard census.clients[client.name] ?? 0 < Self.share(of: part) else { return false }
            if let site = client.site, census.sites[site] ?? 0 >= Self.shareOfSite(of: part) { return false }
            census.add(1, client)
            return true
        }
    }

    private func leave(_ client: HashingClient?) { census.withLock { $0.add(-1, client) } }

    /// Refuses new work, and waits for the accepted work and for the end of the threads.
    func close() async { await threads.close() }

    // On Linux a priority belongs to one thread. When processors are scarce, the other threads run first.
    private static func yieldToOthers() {
        #if canImport(Glibc)
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        #endif
    }
}
