package import Logging
package import Project

/// The public keys of providers, fetched when needed and kept within bounds.
///
/// - A set is fresh for the time that its `Cache-Control` states, within ``Bounds``. After that, the next use fetches it again.
/// - There is one fetch at a time per issuer. All callers that need the set wait for that fetch.
/// - An unknown key id causes one more fetch, at most once per cool-down, so that a flood of made-up ids causes no flood of
///   fetches.
/// - While the provider fails, the last good set is used, for a bounded time.
package actor KeySetCache {
    package struct Bounds: Sendable {
        /// Shortest and longest time for which a set counts as fresh.
        package var freshness: ClosedRange<Duration> = .seconds(60)...(.seconds(86_400))
        /// Freshness of a set that comes without `Cache-Control`.
        package var defaultFreshness: Duration = .seconds(600)
        /// Age at which a set is no longer used, even while the provider fails.
        package var maximumAge: Duration = .seconds(86_400)
        /// Time between two fetches caused by unknown key ids.
        package var unknownKeyCoolDown: Duration = .seconds(30)
        /// Pause after a failed fetch while an older set serves.
        package var retryPause: Duration = .seconds(30)
        /// Pause after a failed fetch when there is no set at all.
        package var firstRetryPause: Duration = .seconds(1)
        /// How many issuers are cached. The least recently used one is removed first.
        package var maximumIssuers = 256

        package init() {}
    }

    private struct Entry {
        var keySet: KeySet?
        var freshUntil = Timestamp(milliseconds: 0)
        var expiresAt = Timestamp(milliseconds: 0)
        var failedAt: Timestamp?
        var failure: ProviderError?
        var unknownKeyFetchAt: Timestamp?
        var lastUse = Timestamp(milliseconds: 0)
    }

    private var entries: [KeySource: Entry] = [:]
    private let fetches: SingleFlight<KeySource, KeySet>
    private let fetcher: KeySetFetcher
    private let environment: ServerEnvironment
    private let bounds: Bounds
    private let logger: Logger

    package init(environment: ServerEnvironment, logger: Logger, bounds: Bounds = Bounds()) {
        fetches = SingleFlight(environment: environment)
        fetcher = KeySetFetcher(http: environment.http)
        self.environment = environment
        self.bounds = bounds
        self.logger = logger
    }

    /// The keys of an issuer.
    ///
    /// - Parameter keyID: The wanted key. A set without it is fetched once more, if the cool-down allows.
    /// - Returns: The set may still lack the key.
    package func keySet(of source: KeySource, wanting keyID: String?) async throws -> KeySet {
        var keySet = try await keySet(of: source)
        if !keySet.hasKey(keyID), mayFetchForUnknownKey(source) {
            entries[source]?.unknownKeyFetchAt = environment.now()
            keySet = (try? await fetch(source)) ?? keySet
        }
        return keySet
    }

    private func keySet(of source: KeySource) async throws -> KeySet {
        let now = environment.now()
        if entries[source] == nil { makeRoom() }
        var entry = entries[source, default: Entry()]
        entry.lastUse = now
        entries[source] = entry
        let usable = entry.keySet.flatMap { now < entry.expiresAt ? $0 : nil }
        if let usable, now < entry.freshUntil {
            count(.hit)
            return usable
        }
        let pause = usable == nil ? bounds.firstRetryPause : bounds.retryPause
        if let failedAt = entry.failedAt, now < failedAt.advanced(by: pause) {
            count(usable == nil ? .refused : .stale)
            if let usable { return usable }
            if let failure = entry.failure { throw failure }
        }
        count(.miss)
        do {
            return try await fetch(source)
        } catch {
            if let usable { return usable }
            throw error
        }
    }

    /// How a look-up of keys went.
    private enum LookUp: String {
        case hit, miss
        /// The provider failed a moment ago, and an older set serves.
        case stale
        /// The provider failed a moment ago, and there is no set.
        case refused
    }

    private func count(_ lookUp: LookUp) {
        environment.count("postern_key_set_lookups_total", [("outcome", lookUp.rawValue)])
    }

    private func mayFetchForUnknownKey(_ source: KeySource) -> Bool {
        guard let last = entries[source]?.unknownKeyFetchAt else { return true }
        return environment.now() >= last.advanced(by: bounds.unknownKeyCoolDown)
    }

    // A failed fetch refuses all callers that wait for it.
    private func fetch(_ source: KeySource) async throws -> KeySet {
        try await fetches.value(of: source) { try await self.load(source) }
    }

    private func load(_ source: KeySource) async throws -> KeySet {
        do {
            let fetched = try await TracedOperation.fetchKeys.trace { [fetcher] in try await fetcher.fetch(source) }
            environment.count("postern_key_set_fetches_total", [("outcome", "fetched")])
            let now = environment.now()
            let wanted = fetched.maximumAge ?? bounds.defaultFreshness
            let freshness = min(max(wanted, bounds.freshness.lowerBound), bounds.freshness.upperBound)
            entries[source]?.keySet = fetched.keySet
            entries[source]?.freshUntil = now.advanced(by: freshness)
            entries[source]?.expiresAt = now.advanced(by: max(bounds.maximumAge, freshness))
            entries[source]?.failedAt = nil
            entries[source]?.failure = nil
            return fetched.keySet
        } catch {
            let failure = ProviderError(.keys, "The identity provider's keys could not be fetched.", cause: error)
            environment.count("postern_key_set_fetches_total", [("outcome", "failed")])
            entries[source]?.failedAt = environment.now()
            entries[source]?.failure = failure
            logger.warning("key set not fetched", metadata: ["source": "\(source)", "reason": "\(error)"])
            throw failure
        }
    }

    private func makeRoom() {
        guard entries.count >= bounds.maximumIssuers else { return }
        let idle = entries.filter { !fetches.isUnderWay($0.key) }.min { $0.value.lastUse < $1.value.lastUse }
        if let idle { entries[idle.key] = nil }
    }
}
