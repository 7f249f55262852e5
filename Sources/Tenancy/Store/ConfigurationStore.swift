import Passwords
package import Project
package import Storage
package import Tokens

/// Reads configuration from the store and caches it for a second, so that a change made on any node is in force everywhere within
/// two seconds (`Docs/Architecture.md#storage`).
package final class ConfigurationStore: Sendable {
    private struct Entry: Sendable {
        let configuration: ScopeConfiguration
        let loadedAt: Timestamp
    }

    private static let lifetime = Duration.seconds(1)
    // A reading may wait for a connection that the network has silenced. Calls that come later try another one.
    private static let shareable = Duration.milliseconds(250)
    private static let maximumScopes = 1024

    let database: any Database
    let environment: ServerEnvironment
    let sealer: TokenSealer
    let mode: ModeRules
    private let readings: SingleFlight<Scope, ScopeConfiguration>
    private let cache = LockedState(Cache())

    private struct Cache: Sendable {
        var entries: [Scope: Entry] = [:]
        var tidiedAt = Timestamp(milliseconds: 0)
        /// Counts this node's changes. A reading that overlaps a change may be outdated and is not cached.
        var changes = 0

        /// Drops what is too old to be used, once in each lifetime: configurations may be large.
        mutating func tidy(at now: Timestamp, lifetime: Duration) {
            guard now >= tidiedAt.advanced(by: lifetime) || now < tidiedAt else { return }
            tidiedAt = now
            entries = entries.filter { now < $0.value.loadedAt.advanced(by: lifetime) }
        }
    }

    package init(database: any Database, environment: ServerEnvironment, sealer: TokenSealer, mode: ModeRules) {
        self.database = database
        self.environment = environment
        self.sealer = sealer
        self.mode = mode
        readings = SingleFlight(environment: environment, shareable: Self.shareable)
    }

    /// Reads the configuration of a scope.
    ///
    /// - Parameters:
    ///   - scope: Development creates a tenant on first use.
    ///   - evenDisabled: Whether accounts that are switched off are reached.
    /// - Returns: At most a second old.
    /// - Throws: `APIError` `INVALID_TENANT_ID` for a tenant that does not exist, `PROJECT_DISABLED` when its accounts are
    ///   switched off.
    package func configuration(of scope: Scope, evenDisabled: Bool = false) async throws -> ScopeConfiguration {
        let now = environment.now()
        let cached = cache.withLock { $0.entries[scope] }
        let configuration: ScopeConfiguration
        if let cached, now < cached.loadedAt.advanced(by: Self.lifetime), now >= cached.loadedAt {
            configuration = cached.configuration
        } else {
            // Reading and parsing costs more the more providers there are, so that calls that come together share one reading.
            configuration = try await Deadline.running {
                try await readings.value(of: scope) { try await self.reading(of: scope) }
            }
        }
        if configuration.policy.isDisabled, !evenDisabled { throw APIError(.projectDisabled) }
        return configuration
    }

    /// Checks that a scope's accounts can be reached, for calls that need nothing of its configuration. Development creates a tenant on
    /// first use.
    ///
    /// - Throws: As ``configuration(of:evenDisabled:)``.
    package func requireServed(_ scope: Scope, evenDisabled: Bool = false) async throws {
        _ = try await configuration(of: scope, evenDisabled: evenDisabled)
    }

    /// Checks the scope that a token names, where it is another one than the call's. Endpoints are called only where their own is served.
    package func requireServed(_ scope: Scope, namedIn call: CallContext) async throws {
        if scope != call.scope { try await requireServed(scope) }
    }

    private func reading(of scope: Scope) async throws -> ScopeConfiguration {
        let (now, changes) = (environment.now(), cache.withLock { $0.changes })
        // It has a deadline of its own, because the call that began it may have waited for something else before.
        let configuration = try await Deadline.ofOneCall { try await load(scope) }
        cache.withLock { cache in
            // A reading that overlaps a change may be outdated.
            guard cache.changes == changes else { return }
            cache.tidy(at: environment.now(), lifetime: Self.lifetime)
            if cache.entries.count >= Self.maximumScopes, cache.entries[scope] == nil { cache.entries.removeAll() }
            cache.entries[scope] = Entry(configuration: configuration, loadedAt: now)
        }
        return configuration
    }

    /// Drops the cached configuration of a project and its tenants, after a change by this node.
    package func invalidate(_ projectID: String) {
        cache.withLock { cache in
            cache.changes &+= 1
            cache.entries = cache.entries.filter { $0.key.projectID != projectID }
        }
        readings.forgetAll()
    }

    private func load(_ scope: Scope) async throws -> ScopeConfiguration {
        if scope.tenantID != nil { try await requireTenant(scope) }
        let mode = mode
        let secrets = ConfigurationSecrets(sealer: sealer, scope: scope)
        return try await database.read { transaction in
            let project = try transaction.resource(scope.project, kind: .config, resourceID: "") ?? .object([:])
            let tenant = try scope.tenantID.flatMap {
                try transaction.resource(scope.project, kind: .tenant, resourceID: $0)
            }
            // A project's own documents are also those of all its tenants, which are not read here.
            let providers = try ProviderCollection.allCases.flatMap { try transaction.resources(scope, kind: $0.kind) }
            return ScopeConfiguration(
                policy: SignInPolicy(project: project, tenant: tenant, mode: mode),
                passwordPolicy: try PasswordPolicy(config: (tenant ?? project)["passwordPolicyConfig"]),
                recaptcha: RecaptchaPolicy(config: (tenant ?? project)["recaptchaConfig"]),
                phone: PhonePolicy(project: project, tenant: tenant, mode: mode),
                document: project,
                identityProviders: Dictionary(
                    providers.map { provider in
                        // Requests may write provider ids in any case (`Docs/Contract/client-accounts.md` §5.2).
                        let providerID = provider.resourceID.lowercased()
                        return (
                            providerID,
                            IdPConfig(providerID: providerID, document: secrets.opened(provider.document, path: ["clientSecret"]))
                        )
                    },
                    uniquingKeysWith: { first, _ in first }
                )
            )
        }
    }

    /// Makes sure that a scope's tenant exists; development creates it on first use.
    ///
    /// - Throws: `APIError` `INVALID_TENANT_ID`.
    package func requireTenant(_ scope: Scope) async throws {
        guard let tenantID = scope.tenantID else { return }
        let exists = try await database.read {
            try $0.resource(scope.project, kind: .tenant, resourceID: tenantID) != nil
        }
        if exists { return }
        guard mode.makesTenantsOnFirstUse, Self.isTenantID(tenantID) else { throw APIError(.invalidTenantID) }
        try await makeTenant(tenantID, scope)
    }

    /// Whether a text may be a tenant's id.
    static func isTenantID(_ text: String) -> Bool {
        (1...KeyLength.tenantID).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
