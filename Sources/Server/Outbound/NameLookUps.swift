import NIOPosix
import Project

/// The look-ups of names that are under way, on threads of their own: one for a host, whose callers all wait for it, and two at
/// a time for the hosts below one domain. The others of the domain wait without a thread, so that a name server that does not
/// answer keeps few threads from other names.
///
/// A caller can stop waiting at any time. A look-up that no caller waits for is not started; one that has been started goes on,
/// and there is no second one meanwhile.
final class NameLookUps: Sendable {
    /// How a look-up has ended.
    typealias Answer = Result<[IPAddress], any Error>

    /// What a caller gets.
    enum Ticket: Sendable {
        /// A fresh answer.
        case known([IPAddress])
        /// A look-up is under way.
        case waits(Seat)
        /// Too many names wait.
        case refused
    }

    /// A caller's place at a look-up.
    struct Seat: Sendable {
        let name: String
        /// When the look-up was asked for first.
        let since: ContinuousClock.Instant
        /// How the look-up ends. Nothing comes after it.
        let answers: AsyncStream<Answer>
        fileprivate let number: UInt64
    }

    private static let threadCount = 32
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: threadCount)
        threads.start()
        return threads
    }()

    private let lookUp: NameResolver.LookUp
    private let now: @Sendable () -> ContinuousClock.Instant
    private let books = LockedState(Books())

    init(now: @escaping @Sendable () -> ContinuousClock.Instant, lookUp: @escaping NameResolver.LookUp) {
        self.now = now
        self.lookUp = lookUp
    }

    /// Asks for the addresses of a host. Who gets a seat leaves it with ``leave(_:)``.
    func ask(_ name: String) -> Ticket {
        let now = self.now()
        let (ticket, isStarted) = books.withLock { $0.ask(name, at: now) }
        if isStarted { start(name) }
        return ticket
    }

    /// The last answer for a host, if it may be used while no name server answers.
    func kept(_ name: String) -> [IPAddress]? {
        let now = self.now()
        return books.withLock { $0.kept.addresses(of: name, at: now, within: KeptNames.usefulness) }
    }

    /// A caller does not wait any more.
    func leave(_ seat: Seat) { books.withLock { $0.leave(seat.name, seat.number) } }

    private func start(_ name: String) {
        Self.threads.submit { [self] _ in
            let (isWanted, next) = books.withLock { $0.begin(name) }
            if isWanted { settle(name, answer(name)) }
            if let next { start(next) }
        }
    }

    private func answer(_ name: String) -> Answer {
        do {
            let addresses = try lookUp(name)
            return addresses.isEmpty ? .failure(OutboundError.unknownName) : .success(addresses)
        } catch {
            return .failure(error)
        }
    }

    private func settle(_ name: String, _ answer: Answer) {
        let now = self.now()
        let (callers, next) = books.withLock { $0.settle(name, answer, at: now) }
        for caller in callers {
            caller.yield(answer)
            caller.finish()
        }
        if let next { start(next) }
    }
}

extension NameLookUps {
    private typealias Caller = AsyncStream<Answer>.Continuation

    private struct LookUp: Sendable {
        let domain: String
        let since: ContinuousClock.Instant
        /// Whether it is one of those for which its domain has threads.
        var hasThread: Bool
        var callers: [UInt64: Caller] = [:]
    }

    private struct Domain: Sendable {
        var threads = 0
        /// The hosts that wait for a thread, the oldest first.
        var line: [String] = []
    }

    private struct Books: Sendable {
        private static let threadsPerDomain = 2
        // A domain must not fill all places with its hosts.
        private static let maximumLine = 32
        private static let maximumHosts = 1024

        private(set) var kept = KeptNames()
        private var lookUps: [String: LookUp] = [:]
        private var domains: [String: Domain] = [:]
        private var lastNumber: UInt64 = 0

        mutating func ask(_ name: String, at now: ContinuousClock.Instant) -> (Ticket, isStarted: Bool) {
            if let addresses = kept.addresses(of: name, at: now, within: KeptNames.freshness) {
                return (.known(addresses), false)
            }
            var lookUp: LookUp
            var isStarted = false
            if let other = lookUps[name] {
                lookUp = other
            } else {
                let key = Self.domain(of: name)
                var domain = domains[key] ?? Domain()
                guard lookUps.count < Self.maximumHosts, domain.line.count < Self.maximumLine else { return (.refused, false) }
                isStarted = domain.threads < Self.threadsPerDomain
                if isStarted { domain.threads += 1 } else { domain.line.append(name) }
                domains[key] = domain
                lookUp = LookUp(domain: key, since: now, hasThread: isStarted)
            }
            lastNumber += 1
            let (answers, caller) = AsyncStream.makeStream(of: Answer.self)
            lookUp.callers[lastNumber] = caller
            lookUps[name] = lookUp
            return (.waits(Seat(name: name, since: lookUp.since, answers: answers, number: lastNumber)), isStarted)
        }

        mutating func leave(_ name: String, _ number: UInt64) {
            guard lookUps[name]?.callers.removeValue(forKey: number) != nil else { return }
            if let lookUp = lookUps[name], lookUp.callers.isEmpty, !lookUp.hasThread { _ = end(name) }
        }

        /// A thread is free for the look-up; if nobody waits for it any more, the thread is for the next one.
        mutating func begin(_ name: String) -> (isWanted: Bool, next: String?) {
            guard let lookUp = lookUps[name] else { return (false, nil) }
            guard lookUp.callers.isEmpty else { return (true, nil) }
            return (false, end(name))
        }

        mutating func settle(_ name: String, _ answer: Answer, at now: ContinuousClock.Instant) -> ([Caller], next: String?) {
            switch answer {
            case .success(let addresses): kept.keep(addresses, of: name, at: now)
            case .failure(let error):
                // What the name server says of the name now counts, and not what it said before.
                if error as? OutboundError == .unknownName { kept.forget(name) }
            }
            let callers = lookUps[name].map { Array($0.callers.values) } ?? []
            return (callers, end(name))
        }

        // The host of the domain that has the thread from now on.
        private mutating func end(_ name: String) -> String? {
            guard let lookUp = lookUps.removeValue(forKey: name), var domain = domains[lookUp.domain] else { return nil }
            var next: String?
            if !lookUp.hasThread {
                domain.line.removeAll { $0 == name }
            } else if domain.line.isEmpty {
                domain.threads -= 1
            } else {
                let first = domain.line.removeFirst()
                lookUps[first]?.hasThread = true
                next = first
            }
            domains[lookUp.domain] = domain.threads == 0 ? nil : domain
            return next
        }

        // The last two labels, or three where the second one is as short as in `co.uk`: a tenant has all names below a domain of its own.
        private static func domain(of name: String) -> String {
            let labels = name.split(separator: ".").suffix(3)
            let isShared = labels.count == 3 && labels[labels.endIndex - 2].utf8.count <= 3
            return labels.suffix(isShared ? 3 : 2).joined(separator: ".")
        }
    }
}
