package import Project

/// The discovery documents of OpenID providers (OpenID Connect Discovery 1.0 §4), fetched when needed and cached. Sign-in flows
/// and user-info requests share it.
package actor DiscoveryCache {
    private struct Entry {
        var metadata: ProviderMetadata?
        var loadedAt = Timestamp(milliseconds: 0)
        var failure: (error: any Error, at: Timestamp)?
    }

    private static let freshness = Duration.seconds(600)
    private static let maximumAge = Duration.seconds(86_400)
    // Pauses after a failed fetch: the first while an older copy serves, the second when there is none.
    private static let retryPause = Duration.seconds(5)
    private static let firstRetryPause = Duration.seconds(1)
    private static let maximumIssuers = 256

    private var entries: [String: Entry] = [:]
    private let fetches: SingleFlight<String, ProviderMetadata>
    private let environment: ServerEnvironment

    package init(environment: ServerEnvironment) {
        fetches = SingleFlight(environment: environment)
        self.environment = environment
    }

    /// The metadata of an issuer. While the provider fails, it is the last good copy.
    func metadata(of issuer: String) async throws -> ProviderMetadata {
        let now = environment.now()
        if entries[issuer] == nil { makeRoom() }
        let entry = entries[issuer, default: Entry()]
        entries[issuer] = entry
        let usable = entry.metadata.flatMap { now < entry.loadedAt.advanced(by: Self.maximumAge) ? $0 : nil }
        if let usable, now < entry.loadedAt.advanced(by: Self.freshness) { return usable }
        let pause = usable == nil ? Self.firstRetryPause : Self.retryPause
        if let failure = entry.failure, now < failure.at.advanced(by: pause) {
            if let usable { return usable }
            throw failure.error
        }
        do {
            return try await fetches.value(of: issuer) { try await self.load(issuer) }
        } catch {
            if let usable { return usable }
            throw error
        }
    }

    private func load(_ issuer: String) async throws -> ProviderMetadata {
        do {
            let metadata = try await Self.fetch(issuer, environment.http)
            entries[issuer] = Entry(metadata: metadata, loadedAt: environment.now())
            return metadata
        } catch {
            entries[issuer]?.failure = (error, environment.now())
            throw error
        }
    }

    private func makeRoom() {
        guard entries.count >= Self.maximumIssuers else { return }
        let oldest = entries.filter { !fetches.isUnderWay($0.key) }.min { $0.value.loadedAt < $1.value.loadedAt }
        if let oldest { entries[oldest.key] = nil }
    }

    private static func fetch(_ issuer: String, _ http: OutboundHTTP) async throws -> ProviderMetadata {
        do {
            let document = try await PublishedDocument.fetch(PublishedDocument.discoveryURL(of: issuer), over: http)
            return try ProviderMetadata(document.content, issuer: issuer)
        } catch let error as ProviderError {
            throw error
        } catch {
            throw ProviderError(.keys, "The identity provider's discovery document could not be fetched.", cause: error)
        }
    }
}
