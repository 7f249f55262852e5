import Accounts
import Project
import Tenancy

/// The tenants of the project, and a way into each.
struct TenantsScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/tenants"
    var needs: AdminScopes? { .read }
    var isOfProject: Bool { true }

    private static let pageSize: Int64 = 100

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, person) = (visit.texts, try visit.person)
        let context = try person.call(in: nil)
        let list = try await tools.useCases.operators.configuration.tenants.list(
            pageSize: Self.pageSize,
            pageToken: visit.query["page"],
            context: context
        )
        let mayChange = person.role.scopes.contains(.config)
        let rows: [[Cell]] = (list["tenants"]?.array ?? []).map { tenant in
            let id = String((tenant["name"]?.string ?? "").split(separator: "/").last ?? "")
            let query = "?\(PercentEncoding.form([(name: ConsoleVisit.tenantField, value: id)]))"
            let delete = button(texts["users.delete"], "delete", [(name: "id", value: id)], isDangerous: true)
            return [
                .link(text: id, path: UsersScreen.path + query), tenant["displayName"]?.string.map(Cell.foreign) ?? .none,
                .link(text: texts["section.signInMethods"], path: MethodsScreen.path + query),
                mayChange ? .forms([delete]) : .none,
            ]
        }
        let next = list["nextPageToken"]?.string.map {
            Link(text: texts["table.next"], path: "\(Self.path)?\(PercentEncoding.form([(name: "page", value: $0)]))")
        }
        var blocks: [Block] = [
            .table(
                Table(
                    caption: texts["section.tenants"],
                    columns: ["tenants.users", "users.name", "section.signInMethods", "profile.actions"].map { texts[$0] },
                    rows: rows,
                    emptyText: texts["tenants.none"],
                    next: next
                )
            )
        ]
        if mayChange {
            blocks.append(
                .form(
                    Form(
                        action: Self.path,
                        fields: [Field(name: "name", label: texts["users.name"], isRequired: true, maximumLength: 20)],
                        hidden: [(name: "do", value: "create")],
                        button: texts["tenants.create"],
                        legend: texts["tenants.create"]
                    )
                )
            )
        }
        return .page(ConsolePage(.tenants, texts, blocks))
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, form) = (try visit.person, visit.form)
        try person.require(.config)
        let tenants = tools.useCases.operators.configuration.tenants
        switch form["do"] {
        case "create":
            let context = try person.call(in: nil)
            _ = try await tenants.create(["displayName": .string(form["name"])], context: context)
            return .redirect(Self.path, done: "saved")
        case "delete":
            // All users of the tenant go with it.
            let subject = OperatorApprovals.Subject(.deletion, in: nil, [(name: "tenant", value: form["id"])])
            return try await DangerousAction.perform(visit, tools.console.approvals, subject) { consent in
                try await tenants.delete(also: consent.use(in:), try person.call(in: form["id"]))
                return .redirect(Self.path, done: "deleted")
            }
        default: throw ConsoleFailure.noSuchAction
        }
    }
}
