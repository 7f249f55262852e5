import Accounts
import Project
import Storage

/// One operator: role, factors, sessions.
struct OperatorScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/operators/{id}"
    var needs: AdminScopes? { .all }
    var isOfProject: Bool { true }

    /// The address of an operator's screen.
    static func path(of operatorID: String) -> String { "\(OperatorsScreen.path)/\(PercentEncoding.encode(operatorID))" }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, person) = (visit.texts, try visit.person)
        let record = try await tools.console.directory.find(visit["id"], for: person)
        let path = Self.path(of: record.operatorID)
        let factors = try await tools.console.factors.all(of: record.operatorID, for: person)
        let sessions = try await tools.console.sessions.all(of: record.operatorID, for: person)
        let role = OperatorRole(rawValue: record.role) ?? .viewer
        let change = Form(
            action: path,
            fields: OperatorFields.roleAndTenant(texts, role: role, tenantID: record.tenantID),
            hidden: [(name: AccessFields.way, value: "role")],
            button: texts["save"],
            isDangerous: true,
            legend: texts["operators.role"]
        )
        let remove = AccessFields.button(texts["operators.remove"], path, way: "remove", isDangerous: true)
        return .page(
            ConsolePage(
                title: record.email,
                section: .operators,
                blocks: [
                    .form(change), .table(OperatorTables.passkeys(factors.passkeys, texts)),
                    .table(OperatorTables.sessions(sessions, person, texts, path)),
                    .toolbar([OperatorTables.endOthers(texts, path), remove]),
                ]
            )
        )
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (form, person, id) = (visit.form, try visit.person, visit["id"])
        switch form[AccessFields.way] {
        case "role":
            return try await DangerousAction.perform(visit) {
                let (role, tenantID) = try OperatorFields.roleAndTenant(in: form)
                try await tools.console.directory.change(id, to: role, tenantID: tenantID, by: person)
                return .redirect(OperatorsScreen.path, done: "saved")
            }
        case "remove":
            return try await DangerousAction.perform(visit) {
                try await tools.console.directory.remove(id, by: person)
                return .redirect(OperatorsScreen.path, done: "deleted")
            }
        case OperatorTables.end:
            try await tools.console.sessions.end(form.value("id"), of: id, by: person)
            return .redirect(Self.path(of: id), done: "saved")
        default: throw ConsoleFailure.noSuchAction
        }
    }
}
