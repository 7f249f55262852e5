import Accounts
import Project
import Storage

/// The operators of the console, and invitations.
struct OperatorsScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/operators"
    var needs: AdminScopes? { .all }
    var isOfProject: Bool { true }

    private static let deliveryField = "delivery"
    private static let shownLink = "link"

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        .page(try await page(visit, link: nil))
    }

    private func page(_ visit: ConsoleVisit, link: String?) async throws -> ConsolePage {
        let (texts, person) = (visit.texts, try visit.person)
        let operators = try await tools.console.directory.all(for: person)
        let invitations = try await tools.console.invitations.all(for: person)
        var blocks: [Block] = []
        if let link {
            blocks += [
                .notice(Notice(kind: .success, text: texts["operators.invited"])),
                .code(label: texts["operators.link"], text: link),
            ]
        }
        blocks.append(.table(table(operators, texts)))
        if person.isConfirmed {
            blocks += way(texts) + [.form(invite(texts))]
        } else {
            blocks += ConfirmationScreen.first(texts["operators.confirmFirst"], backTo: Self.path, texts)
        }
        if !invitations.isEmpty { blocks.append(.table(table(invitations, texts))) }
        return ConsolePage(title: texts["section.operators"], section: .operators, blocks: blocks)
    }

    private func table(_ operators: [OperatorRecord], _ texts: ConsoleTexts) -> Table {
        Table(
            caption: texts["section.operators"],
            columns: ["access.email", "operators.role", "tenants.one", "operators.factor", "operators.lastSignIn"].map {
                texts[$0]
            },
            rows: operators.map { record in
                [
                    .link(text: record.email, path: OperatorScreen.path(of: record.operatorID)),
                    .text(texts["role.\(record.role)"]), OperatorFields.tenant(record.tenantID, texts),
                    .text(texts[record.hasPassword ? "operators.password" : "operators.passkey"]),
                    record.lastSignInAt.map(Cell.time) ?? .none,
                ]
            },
            emptyText: ""
        )
    }

    // How the link reaches the invited person where the owner has no choice.
    private func way(_ texts: ConsoleTexts) -> [Block] {
        let invitations = tools.console.invitations
        if !invitations.canMail { return [.paragraph(texts["operators.noMail"])] }
        return invitations.mayShowLink ? [] : [.paragraph(texts["operators.mailOnly"])]
    }

    private func invite(_ texts: ConsoleTexts) -> Form {
        let invitations = tools.console.invitations
        let ways = ["mail", Self.shownLink].map { Field.Option(text: texts["operators.delivery.\($0)"], value: $0) }
        let delivery = Field(name: Self.deliveryField, label: texts["operators.delivery"], kind: .select(ways))
        return Form(
            action: Self.path,
            fields: [AccessFields.email(texts)] + OperatorFields.roleAndTenant(texts, role: .viewer, tenantID: nil)
                + (invitations.canMail && invitations.mayShowLink ? [delivery] : []),
            hidden: [(name: "do", value: "invite")],
            button: texts["operators.invite"],
            legend: texts["operators.invite"]
        )
    }

    private func table(_ invitations: [OperatorInvitationRecord], _ texts: ConsoleTexts) -> Table {
        Table(
            caption: texts["operators.invitations"],
            columns: ["access.email", "operators.role", "tenants.one", "operators.until", "profile.actions"].map { texts[$0] },
            rows: invitations.map { pending in
                [
                    .foreign(pending.email ?? "-"), .text(texts["role.\(pending.role)"]),
                    OperatorFields.tenant(pending.tenantID, texts), .time(pending.expiresAt),
                    .forms([
                        Form(
                            action: Self.path,
                            hidden: [(name: "do", value: "withdraw"), (name: "id", value: pending.id)],
                            button: texts["operators.withdraw"]
                        )
                    ]),
                ]
            },
            emptyText: ""
        )
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (form, person) = (visit.form, try visit.person)
        switch form["do"] {
        case "invite":
            let (role, tenantID) = try OperatorFields.roleAndTenant(in: form)
            let url = tools.url()
            let link = { @Sendable code in InvitationScreen.link(code: code, url: url) }
            let shown = try await tools.console.invitations.invite(
                form["email"],
                role: role,
                tenantID: tenantID,
                delivery: .init(
                    prefersLink: form[Self.deliveryField] == Self.shownLink,
                    language: visit.texts.language,
                    link: link
                ),
                by: person
            )
            guard let code = shown else { return .redirect(Self.path, done: "invitationMailed") }
            return .page(try await page(visit, link: link(code)))
        case "withdraw":
            try await tools.console.invitations.withdraw(form["id"], by: person)
            return .redirect(Self.path, done: "saved")
        default: throw ConsoleFailure.noSuchAction
        }
    }
}

/// The fields that say what an operator may do.
enum OperatorFields {
    static func tenant(_ tenantID: String?, _ texts: ConsoleTexts) -> Cell {
        tenantID.map(Cell.code) ?? .text(texts["tenants.all"])
    }

    static func roleAndTenant(_ texts: ConsoleTexts, role: OperatorRole, tenantID: String?) -> [Field] {
        let roles = OperatorRole.allCases.reversed().map {
            Field.Option(text: texts["role.\($0.rawValue)"], value: $0.rawValue)
        }
        return [
            Field(
                name: "role",
                label: texts["operators.role"],
                kind: .select(roles),
                value: role.rawValue,
                hint: texts["operators.roleHint"],
                isRequired: true
            ),
            Field(
                name: "onlyTenant",
                label: texts["operators.onlyTenant"],
                value: tenantID ?? "",
                hint: texts["operators.onlyTenantHint"],
                maximumLength: 128,
                isCode: true
            ),
        ]
    }

    static func roleAndTenant(in form: ConsoleForm) throws -> (OperatorRole, String?) {
        guard let role = OperatorRole(rawValue: form["role"]) else { throw ConsoleFailure.noSuchAction }
        return (role, form.value("onlyTenant"))
    }
}
