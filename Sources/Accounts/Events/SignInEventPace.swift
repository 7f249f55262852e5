import Project

/// Bounds how many sign-ins of one account this node makes events of. Deliveries come in the order of the events, so that one account that
/// signs in without end would keep the events of all others waiting.
final class SignInEventPace: Sendable {
    /// How many sign-ins of an account become events in an hour.
    static let perHour = 60

    private struct Account: Hashable {
        let scope: Scope
        let localID: String
    }

    private struct Hour {
        var number: Int64
        var counts: [Account: Int] = [:]
    }

    // More accounts than that in an hour begin to be counted anew.
    private static let maximumAccounts = 100_000

    private let hour = LockedState<Hour?>(nil)

    /// Counts a sign-in.
    func admits(_ localID: String, _ scope: Scope, at time: Timestamp) -> Bool {
        let number = time.seconds / 3600
        let account = Account(scope: scope, localID: localID)
        return hour.withLock { hour in
            var current = hour.flatMap { $0.number == number ? $0 : nil } ?? Hour(number: number)
            hour = nil
            if current.counts.count >= Self.maximumAccounts { current.counts.removeAll(keepingCapacity: true) }
            let count = current.counts[account, default: 0] + 1
            current.counts[account] = count
            hour = current
            return count <= Self.perHour
        }
    }
}
