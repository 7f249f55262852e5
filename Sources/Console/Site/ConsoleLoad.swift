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
    }

    // By kind, whose they are.
    private let begun = LockedState<[Kind: [String: Int]]>([:])

    /// Does something, if there may be more of its kind.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - person: Who asks for it.
    ///   - body: What is done.
    /// - Returns: What it returns.
    /// - Throws: ``ConsoleFailure/tooMuchAtOnce``, and what it throws.
    func holding<T: Sendable>(_ kind: Kind, for person: ConsoleOperator, _ body: () async throws -> T) async throws -> T {
        let id = person.operatorID
        let isFree = begun.withLock { begun in
            let present = begun[kind, default: [:]]
            guard present[id, default: 0] < kind.ofOne, present.values.reduce(0, +) < kind.ofAll else { return false }
            begun[kind, default: [:]][id, default: 0] += 1
            return true
        }
        guard isFree else { throw ConsoleFailure.tooMuchAtOnce }
        defer {
            begun.withLock { begun in
                let left = begun[kind]?[id].map { $0 - 1 } ?? 0
                begun[kind]?[id] = left > 0 ? left : nil
            }
        }
        return try await body()
    }
}
