import Accounts
import Project
import Tenancy

/// A screen with members of the project's or a tenant's configuration.
///
/// Every change needs a fresh proof of a factor, because each of these screens opens ways in or takes guards away: sign-in methods and
/// duplicate addresses, policies, functions that are given tokens and give claims, domains that codes are sent to, mails that users
/// trust, and numbers with known codes.
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

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer { .page(try await page(visit)) }

    /// The screen with the values of now.
    func page(_ visit: ConsoleVisit) async throws -> ConsolePage {
        let (texts, person) = (visit.texts, try visit.person)
        let document = try await document(visit)
        let mayChange = person.role.scopes.contains(.config)
        let form = form(visit)
        let fields = form.fields(of: document, texts, mayChange: mayChange)
        let title = texts["section.\(Self.section.rawValue)"]
        var blocks: [Block] = []
        if !fields.isEmpty {
            let hidden = visit.tenantFields + form.hidden(document)
            let form = Form(action: Self.path, fields: fields, hidden: hidden, button: texts["save"])
            blocks.append(mayChange ? .form(form) : .facts(fields.map { Fact(label: $0.label, value: .foreign($0.value)) }))
        }
        blocks += try await self.blocks(visit, document)
        return ConsolePage(title: title, section: Self.section, blocks: blocks)
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        try await save(visit)
    }

    /// Stores what the form changes.
    func save(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let context = try visit.call()
        try visit.person.require(.config)
        try visit.person.requireConfirmation()
        let (form, document) = (form(visit), try await document(visit))
        guard let (body, mask) = try form.change(visit.form, of: document) else { return .redirect(visit.link(Self.path)) }
        let (administration, expected) = (tools.useCases.operators.configuration, form.expectation(visit.form))
        do {
            if visit.tenantID == nil {
                _ = try await administration.project.update(body, mask: mask, expecting: expected, context: context)
            } else {
                _ = try await administration.tenants.update(body, mask: mask, expecting: expected, context: context)
            }
        } catch is StaleChange {
            return .page(try await page(visit).refusing(form.labels(visit.form, of: document, visit.texts), visit.texts))
        }
        return .redirect(visit.link(Self.path), done: "saved")
    }

    private func form(_ visit: ConsoleVisit) -> ConfigForm {
        visit.tenantID == nil ? ConfigForm(of: .config, Self.project) : ConfigForm(of: .tenant, Self.tenant)
    }

    private func document(_ visit: ConsoleVisit) async throws -> JSONValue {
        let administration = tools.useCases.operators.configuration
        let context = try visit.call()
        return try await visit.tenantID == nil ? administration.project.get(context) : administration.tenants.get(context)
    }
}
