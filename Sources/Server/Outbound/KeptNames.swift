import Project

/// The addresses that names had lately, of a bounded number of hosts. When there are too many, the oldest answer goes.
struct KeptNames: Sendable {
    /// How long an answer is used without another look-up.
    static let freshness = Duration.seconds(30)
    /// How long an answer is used while no name server answers.
    static let usefulness = Duration.seconds(300)

    private static let maximumHosts = 1000

    private struct Entry: Sendable {
        let addresses: [IPAddress]
        let since: ContinuousClock.Instant
    }

    private var entries: [String: Entry] = [:]

    /// How many hosts there are.
    var count: Int { entries.count }

    /// The addresses of a host, if they are not older than that.
    func addresses(of name: String, at now: ContinuousClock.Instant, within age: Duration) -> [IPAddress]? {
        guard let entry = entries[name], entry.since.duration(to: now) <= age else { return nil }
        return entry.addresses
    }

    /// Keeps an answer in the place of the one before.
    mutating func keep(_ addresses: [IPAddress], of name: String, at now: ContinuousClock.Instant) {
        // A look-up has just ended, which takes longer than to look at all of them.
        if entries[name] == nil, entries.count >= Self.maximumHosts,
            let oldest = entries.min(by: { $0.value.since < $1.value.since })
        {
            entries[oldest.key] = nil
        }
        entries[name] = Entry(addresses: addresses, since: now)
    }

    /// There is no such name any more.
    mutating func forget(_ name: String) { entries[name] = nil }
}
