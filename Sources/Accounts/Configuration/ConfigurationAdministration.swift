package import Logging
package import Project
package import Storage
package import Tokens

/// Everything that administrators change of the configuration (`contract/admin-config.md`).
package struct ConfigurationAdministration: Sendable {
    package let project: ProjectConfigAdministration
    package let providers: ProviderAdministration
    package let tenants: TenantAdministration
    package let policies: TenantPolicies

    /// - Parameters:
    ///   - database: The store.
    ///   - environment: Clock, randomness and the way to issuers.
    ///   - configurations: What this node has read, told of every change.
    ///   - sealer: Seals secrets.
    ///   - network: Which addresses may be configured; development allows those of this machine.
    ///   - mode: How the server behaves.
    ///   - facts: What only the server knows of the project.
    ///   - logger: Told of what is taken and should be better.
    package init(
        database: any Database,
        environment: ServerEnvironment,
        configurations: ConfigurationStore,
        sealer: TokenSealer,
        network: NetworkGuard,
        mode: ModeRules,
        facts: ProjectConfigAdministration.ProjectFacts,
        logger: Logger
    ) {
        let network = mode.configuresPrivateAddresses ? NetworkGuard(allowPrivateNetworks: true) : network
        let editor = ResourceEditor(
            database: database,
            environment: environment,
            configurations: configurations,
            sealer: sealer
        )
        let rules = ConfigurationRules(network: network)
        let gate = TenantGate(database: database, configurations: configurations, mode: mode)
        project = ProjectConfigAdministration(editor: editor, rules: rules, mode: mode, facts: facts)
        providers = ProviderAdministration(
            editor: editor,
            rules: ProviderRules(network: network, mode: mode),
            gate: gate,
            probe: IssuerProbe(http: environment.http),
            mode: mode,
            logger: logger
        )
        tenants = TenantAdministration(editor: editor, rules: rules, gate: gate, mode: mode)
        policies = TenantPolicies(editor: editor, gate: gate)
    }
}
