import Accounts
import Project

/// What operators ask one another to agree to.
struct ApprovalsScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/approvals"
    var needs: AdminScopes? { .all }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, person) = (visit.texts, try visit.person)
        let requests = try await tools.console.approvals.all(for: person)
        let table = Table(
            caption: texts["section.approvals"],
            columns: [
                "approvals.action", "approvals.what", "tenants.one", "approvals.who", "approvals.state", "operators.until",
                "profile.actions",
            ].map { texts[$0] },
            rows: requests.map { request in
                [
                    .text(texts["approvals.\(request.action.rawValue)"]), .several(Self.lines(of: request)),
                    request.tenantID.map(Cell.code) ?? .none, .text(request.email),
                    .badge(
                        text: texts[request.isApproved ? "approvals.approved" : "approvals.waiting"],
                        tone: request.isApproved ? .positive : .neutral
                    ), .time(request.expiresAt), .forms(Self.forms(request, texts)),
                ]
            },
            emptyText: texts["approvals.none"]
        )
        return .page(
            ConsolePage(
                title: texts["section.approvals"],
                section: .approvals,
                blocks: [.paragraph(texts["approvals.text"]), .table(table)]
            )
        )
    }

    // A line a part, so that no value looks like more parts.
    private static func lines(of request: OperatorApprovals.Request) -> [Cell] {
        request.parts.filter { !$0.value.isEmpty }.map { .foreign("\($0.name): \(TerminalText.printable($0.value))") }
    }

    private static func forms(_ request: OperatorApprovals.Request, _ texts: ConsoleTexts) -> [Form] {
        func form(_ action: String, _ key: String) -> Form {
            Form(action: path, hidden: [(name: "do", value: action), (name: "id", value: request.id)], button: texts[key])
        }
        if request.isOwn { return [form("reject", "operators.withdraw")] }
        return (request.isApproved ? [] : [form("approve", "approvals.approve")]) + [form("reject", "approvals.reject")]
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, id) = (try visit.person, visit.form["id"])
        switch visit.form["do"] {
        case "approve": try await tools.console.approvals.approve(id, by: person)
        case "reject": try await tools.console.approvals.reject(id, by: person)
        default: throw ConsoleFailure.noSuchAction
        }
        return .redirect(Self.path, done: "saved")
    }
}
