import Project

/// Who waits on this node for the outcome of tries that others have begun, in one line for each count. Only the first of a line looks at
/// the store, so that a crowd costs no more than one who waits.
final class TryLines: Sendable {
    struct Place: Sendable, Hashable {
        fileprivate let line: String
        fileprivate let number: UInt64
    }

    /// How many tries may wait in one line. Further ones are refused.
    static let longest = 100

    private let lines = LockedState(Lines())

    private struct Lines: Sendable {
        var waiting: [String: [UInt64]] = [:]
        var next: UInt64 = 0
    }

    /// Takes the last place of a line; `nil` when the line is full.
    func enter(_ line: String) -> Place? {
        lines.withLock { lines in
            guard lines.waiting[line]?.count ?? 0 < Self.longest else { return nil }
            lines.next += 1
            lines.waiting[line, default: []].append(lines.next)
            return Place(line: line, number: lines.next)
        }
    }

    /// How many wait in all lines.
    var count: Int { lines.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Whether nobody waits before a place.
    func isFirst(_ place: Place) -> Bool { lines.withLock { $0.waiting[place.line]?.first == place.number } }

    /// Gives a place up.
    func leave(_ place: Place) {
        lines.withLock { lines in
            lines.waiting[place.line]?.removeAll { $0 == place.number }
            if lines.waiting[place.line]?.isEmpty == true { lines.waiting[place.line] = nil }
        }
    }
}
