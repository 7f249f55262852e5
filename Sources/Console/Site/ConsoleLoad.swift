import Accounts
import Project

/// How much of what takes long is done at once (threat case RES-03).
final class ConsoleLoad: Sendable {
    enum Kind: Sendable, CaseIterable {
        /// Pages that follow events.
        case stream
        /// Files that are made while they are sent.
        case download
        /// Work over many records: checking the audit trail, imports, backups.
        case work

        /// How many there may be of one operator.
        var ofOne: Int {
            switch self {
            case .stream: 4
            case .download: 2
            case .work: 1
            }
        }

        /// How many there may be of all operators.
        var ofAll: Int {
            switch self {
            case .stream: 64
            case .download: 4
            case .work: 2
            }
        }

        /// How many there may be of all operators who change no configuration. They keep no owner or administrator from working.
        var ofReaders: Int { ofAll / 2 }

        /// How long it may take.
        fileprivate var longest: Duration {
            switch self {
            case .stream, .work: .seconds(24 * 3600)
            case .download: .seconds(3600)
            }
        }
    }

    private struct Share: Sendable {
        var isReader: Bool
        var count = 0
    }

    // By kind, whose they are.
    private let begun = LockedState<[Kind: [String: Share]]>([:])
    private let isLive: @Sendable (ConsoleOperator) async throws -> Bool

    init(isLive: @escaping @Sendable (ConsoleOperator) async throws -> Bool) { self.isLive = isLive }

    /// The right to do something that takes long, until nothing refers to it any more: an answer whose client has gone before it began
    /// gives it back, too.
    final class Lease: Sendable {
        private let load: ConsoleLoad
        private let kind: Kind
        private let person: ConsoleOperator
        private let endsAt: ContinuousClock.Instant
        private let nextCheck: LockedState<ContinuousClock.Instant>

        private static let interval = Duration.seconds(3)
        // Pieces have 64 to 256 kB, which any line takes sooner.
        private static let patience = Duration.seconds(30)

        fileprivate init(_ load: ConsoleLoad, _ kind: Kind, _ person: ConsoleOperator) {
            (self.load, self.kind, self.person) = (load, kind, person)
            let now = ContinuousClock.now
            endsAt = now.advanced(by: kind.longest)
            nextCheck = LockedState(now.advanced(by: Self.interval))
        }

        /// Sends a piece, and ends the answer of a client that took it too slowly and so keeps others from theirs.
        ///
        /// - Parameter send: Sends the piece; it returns when the client has taken most of it.
        func sending(_ send: () async throws -> Void) async throws {
            let start = ContinuousClock.now
            try await send()
            try Self.check(ContinuousClock.now - start)
        }

        /// Checks how long a piece took.
        static func check(_ time: Duration) throws {
            guard time < Self.patience else { throw ConsoleFailure.tooMuchAtOnce }
        }

        deinit { load.giveBack(kind, person.operatorID) }

        /// Checks, every few seconds, that the operator may go on. What an operator has begun ends with the session.
        ///
        /// - Throws: ``OperatorError/signedOut``, ``ConsoleFailure/tooMuchAtOnce`` when it has taken too long.
        func check() async throws {
            let now = ContinuousClock.now
            let isDue = nextCheck.withLock { next in
                guard next <= now else { return false }
                next = now.advanced(by: Self.interval)
                return true
            }
            guard isDue else { return }
            guard now < endsAt else { throw ConsoleFailure.tooMuchAtOnce }
            guard try await load.isLive(person) else { throw OperatorError.signedOut }
        }
    }

    /// Takes the right to do something, if there may be more of its kind.
    ///
    /// - Throws: ``ConsoleFailure/tooMuchAtOnce``.
    func lease(_ kind: Kind, for person: ConsoleOperator) throws -> Lease {
        let id = person.operatorID
        let isReader = Self.isReader(person)
        let isFree = begun.withLock { begun in
            let present = begun[kind, default: [:]]
            let ofReaders = present.values.filter(\.isReader).reduce(0) { $0 + $1.count }
            let ofAll = present.values.reduce(0) { $0 + $1.count }
            guard present[id]?.count ?? 0 < kind.ofOne, ofAll < kind.ofAll, !isReader || ofReaders < kind.ofReaders else {
                return false
            }
            begun[kind, default: [:]][id, default: Share(isReader: isReader)].count += 1
            return true
        }
        guard isFree else { throw ConsoleFailure.tooMuchAtOnce }
        return Lease(self, kind, person)
    }

    private static func isReader(_ person: ConsoleOperator) -> Bool { !person.role.scopes.isSuperset(of: .config) }

    private func giveBack(_ kind: Kind, _ id: String) {
        begun.withLock { begun in
            begun[kind]?[id]?.count -= 1
            if begun[kind]?[id]?.count == 0 { begun[kind]?[id] = nil }
        }
    }

    /// Does something, if there may be more of its kind.
    func holding<T: Sendable>(_ kind: Kind, for person: ConsoleOperator, _ body: () async throws -> T) async throws -> T {
        let lease = try lease(kind, for: person)
        defer { withExtendedLifetime(lease) {} }
        return try await body()
    }
}
