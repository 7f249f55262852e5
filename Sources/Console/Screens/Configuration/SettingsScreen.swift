import Accounts
import Project
import Tenancy

/// A screen with members of the project's or a tenant's configuration.
protocol SettingsScreen: ConsoleScreen {
    var tools: ConsoleTools { get }
    static var section: ConsoleSection { get }
    /// The members for the project.
    static var project: [ConfigField] { get }
    /// The members for a tenant.
    static var tenant: [ConfigField] { get }

    /// What stands below the form.
    func blocks(_ visit: ConsoleVisit, _ document: JSONValue) async throws -> [Block]
}

extension SettingsScreen {
    var needs: AdminScopes? { .read }

    func blocks(_: ConsoleVisit, _: JSONValue) async throws -> [Block] { [] }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, person) = (visit.texts, try visit.person)
        let document = try await document(visit)
        let mayChange = person.role.scopes.contains(.config)
        let fields = form(visit).fields(of: document, texts, mayChange: mayChange)
        let title = texts["section.\(Self.section.rawValue)"]
        var blocks: [Block] = []
        if !fields.isEmpty {
            let form = Form(action: Self.path, fields: fields, hidden: visit.tenantFields, button: texts["save"])
            blocks.append(mayChange ? .form(form) : .facts(fields.map { Fact(label: $0.label, value: .foreign($0.value)) }))
        }
        blocks += try await self.blocks(visit, document)
        return .page(ConsolePage(title: title, section: Self.section, blocks: blocks))
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        try await save(visit)
    }

    /// Stores what the form changes.
    func save(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let context = try visit.call()
        try visit.person.require(.config)
        guard let change = try form(visit).change(visit.form, of: try await document(visit)) else {
            return .redirect(visit.link(Self.path))
        }
        let administration = tools.useCases.operators.configuration
        if visit.tenantID == nil {
            _ = try await administration.project.update(change.body, mask: change.mask, context: context)
        } else {
            _ = try await administration.tenants.update(change.body, mask: change.mask, context: context)
        }
        return .redirect(visit.link(Self.path), done: "saved")
    }

    private func form(_ visit: ConsoleVisit) -> ConfigForm {
        ConfigForm(fields: visit.tenantID == nil ? Self.project : Self.tenant)
    }

    private func document(_ visit: ConsoleVisit) async throws -> JSONValue {
        let administration = tools.useCases.operators.configuration
        let context = try visit.call()
        return try await visit.tenantID == nil ? administration.project.get(context) : administration.tenants.get(context)
    }
}
