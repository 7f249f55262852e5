package import Project
package import Settings
package import Storage
package import Tokens

/// The keys of a store: what seals its secrets, and what signs its tokens.
package struct StoreKeys: Sendable {
    /// Seals and opens what is secret at rest.
    package let sealer: TokenSealer
    /// The signing keys, still empty.
    package let ring: KeyRing
    /// Our keys as a SAML service provider.
    package let serviceKeys: ServiceProviderKeys
    /// Signs statements about the audit trail.
    package let auditSigner: AuditSigner

    /// Finds the master key that the settings name.
    package init(_ settings: Settings, of database: any Database, environment: ServerEnvironment) throws {
        let masterKey = try MasterKeySource.load(
            settings.secrets.masterKey,
            database: settings.database.location,
            random: environment.random
        )
        let previous = try MasterKeySource.previous(settings.secrets.previousMasterKey)
        sealer = TokenSealer(masterKey: masterKey, previous: previous, environment: environment)
        auditSigner = try AuditSigner(masterKey: masterKey, previous: previous)
        serviceKeys = ServiceProviderKeys(database: database, sealer: sealer, environment: environment)
        ring = Self.ring(settings, of: database, sealer: sealer, environment: environment)
    }

    /// The key ring of these settings, still empty.
    static func ring(
        _ settings: Settings,
        of database: any Database,
        sealer: TokenSealer,
        environment: ServerEnvironment
    ) -> KeyRing {
        KeyRing(
            database: database,
            sealer: sealer,
            environment: environment,
            purpose: .idTokens(of: settings.mode),
            tokenLifetime: .seconds(settings.tokens.idTokenSeconds)
        )
    }
}
