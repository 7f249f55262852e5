/// The domains whose pages may sign users in.
struct DomainsScreen: SettingsScreen {
    let tools: ConsoleTools

    static let path = "/console/domains"
    static let section = ConsoleSection.domains
    var isOfProject: Bool { true }
    static let project = [ConfigField("authorizedDomains", "domains")]
    // Tenants have those of their project.
    static let tenant: [ConfigField] = []
}
