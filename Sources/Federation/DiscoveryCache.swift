package import Project

/// What OpenID providers publish of themselves (OpenID Connect Discovery 1.0 §4), fetched when needed and kept for a while: for
/// whoever sends people there and for whoever asks about them.
package actor DiscoveryCache {
    private struct Entry {
        var metadata: ProviderMetadata?
        var loadedAt = Timestamp(milliseconds: 0)
        var failedAt: Timestamp?
        var fetch: Task<ProviderMetadata, any Error>?
    }

    private static let freshness = Duration.seconds(600)
    private static let maximumAge = Duration.seconds(86_400)
    private static let retryPause = Duration.seconds(5)
    private static let maximumIssuers = 256

    private var entries: [String: Entry] = [:]
    private let environment: ServerEnvironment

    /// - Parameter environment: Clock and outgoing HTTP.
    package init(environment: ServerEnvironment) { self.environment = environment }

    /// The metadata of an issuer; the last good copy while the provider fails.
    ///
    /// - Throws: ``ProviderError`` when there is none.
    func metadata(of issuer: String) async throws -> ProviderMetadata {
        let now = environment.now()
        if entries[issuer] == nil, entries.count >= Self.maximumIssuers {
            let oldest = entries.filter { $0.value.fetch == nil }.min { $0.value.loadedAt < $1.value.loadedAt }
            if let oldest { entries[oldest.key] = nil }
        }
        let entry = entries[issuer, default: Entry()]
        let usable = entry.metadata.flatMap { now < entry.loadedAt.advanced(by: Self.maximumAge) ? $0 : nil }
        if let usable, now < entry.loadedAt.advanced(by: Self.freshness) { return usable }
        if let usable, let failedAt = entry.failedAt, now < failedAt.advanced(by: Self.retryPause) { return usable }
        let task: Task<ProviderMetadata, any Error>
        if let running = entry.fetch {
            task = running
        } else {
            let http = environment.http
            task = Task { try await Self.fetch(issuer, http) }
            entries[issuer, default: Entry()].fetch = task
        }
        do {
            let metadata = try await task.value
            entries[issuer] = Entry(metadata: metadata, loadedAt: now)
            return metadata
        } catch {
            entries[issuer]?.fetch = nil
            entries[issuer]?.failedAt = now
            if let usable { return usable }
            throw error
        }
    }

    private static func fetch(_ issuer: String, _ http: OutboundHTTP) async throws -> ProviderMetadata {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let url = base + "/.well-known/openid-configuration"
        do {
            let answer = try await http(.init(url: url, headers: [("Accept", "application/json")]))
            guard answer.status == 200 else { throw KeySetFetcher.Invalid.status(answer.status) }
            return try ProviderMetadata(try JSONValue.parse(answer.body), issuer: issuer)
        } catch let error as ProviderError {
            throw error
        } catch {
            throw ProviderError(.keys, "The identity provider's discovery document could not be fetched.", cause: error)
        }
    }
}
