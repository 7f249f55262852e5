import Project

/// What an OpenID provider publishes of its authorization server (OpenID Connect Discovery 1.0 §3, RFC 8414 §2).
struct ProviderMetadata: Sendable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String?
    let tokenAuthenticationMethods: [String]
    let responseModes: [String]?
    let announcesIssuerParameter: Bool

    /// - Throws: ``ProviderError`` for a document of another issuer, or without usable endpoints.
    init(_ document: JSONValue, issuer: String) throws {
        guard document["issuer"]?.string == issuer else {
            throw ProviderError(.keys, "The identity provider's discovery document is of another issuer.")
        }
        guard let authorization = document["authorization_endpoint"]?.string, Self.isEndpoint(authorization, of: issuer) else {
            throw ProviderError(.keys, "The identity provider announces no authorization endpoint.")
        }
        self.issuer = issuer
        authorizationEndpoint = authorization
        tokenEndpoint = document["token_endpoint"]?.string
        // Core §9: basic unless said otherwise.
        tokenAuthenticationMethods =
            document["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string) ?? ["client_secret_basic"]
        responseModes = document["response_modes_supported"]?.array?.compactMap(\.string)
        announcesIssuerParameter = document["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    /// The announced way to prove who we are.
    ///
    /// - Throws: ``ProviderError`` when the provider wants something that Postern cannot do.
    func authentication(secret: String) throws -> AuthorizationProfile.ClientAuthentication {
        if tokenAuthenticationMethods.contains("client_secret_basic") { return .basic(secret: secret) }
        if tokenAuthenticationMethods.contains("client_secret_post") { return .post(secret: secret) }
        throw ProviderError(.exchange, "The identity provider supports neither client_secret_basic nor client_secret_post.")
    }

    // A browser is sent there: to a web page, and to an unencrypted one only where the issuer itself is (ruling 1).
    private static func isEndpoint(_ url: String, of issuer: String) -> Bool {
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !url.contains("#") else { return false }
        return url.hasPrefix("https://") || (url.hasPrefix("http://") && issuer.hasPrefix("http://"))
    }
}

/// Discovery documents, fetched when needed and kept for a while.
actor ProviderMetadataCache {
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

    init(environment: ServerEnvironment) { self.environment = environment }

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
