package import Logging
package import Project

/// Administrators' changes of the configuration (`Docs/Contract/admin-config.md`).
package struct ConfigurationAdministration: Sendable {
    package let project: ProjectConfigAdministration
    package let providers: ProviderAdministration
    package let tenants: TenantAdministration
    package let policies: TenantPolicies
    package let history: ConfigurationHistory
    package let comparison: ProjectComparison

    /// - Parameter configurations: Changes are written to its database and are in force on this node at once.
    package init(
        configurations: ConfigurationStore,
        network: NetworkGuard,
        facts: ProjectConfigAdministration.ProjectFacts,
        saml: SAMLAdministration,
        logger: Logger
    ) {
        let mode = configurations.mode
        let network = mode.configuresPrivateAddresses ? NetworkGuard(allowPrivateNetworks: true) : network
        let editor = ResourceEditor(configurations: configurations)
        let rules = ConfigurationRules(network: network)
        let gate = TenantGate(configurations: configurations)
        project = ProjectConfigAdministration(editor: editor, rules: rules, mode: mode, facts: facts)
        providers = ProviderAdministration(
            editor: editor,
            rules: ProviderRules(network: network, mode: mode),
            gate: gate,
            probe: IssuerProbe(http: configurations.environment.http, logger: configurations.environment.logger),
            saml: saml,
            mode: mode,
            logger: logger
        )
        tenants = TenantAdministration(editor: editor, rules: rules, gate: gate, mode: mode)
        policies = TenantPolicies(editor: editor, gate: gate)
        history = ConfigurationHistory(editor: editor, project: project, tenants: tenants, providers: providers)
        comparison = ProjectComparison(editor: editor)
    }
}
