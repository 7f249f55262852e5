import Accounts
import Project
import Storage
import WebAuthn

/// An operator's own factors and sessions.
struct ProfileScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/profile"
    var needs: AdminScopes? { [] }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, person) = (visit.texts, try visit.person)
        let factors = try await tools.console.factors.all(of: person.operatorID, for: person)
        let sessions = try await tools.console.sessions.all(of: person.operatorID, for: person)
        var blocks: [Block] = [
            .facts([
                Fact(label: texts["access.email"], value: .foreign(person.email)),
                Fact(label: texts["operators.role"], value: .text(texts["role.\(person.role.rawValue)"])),
                Fact(label: texts["tenants.one"], value: person.tenantID.map(Cell.code) ?? .text(texts["tenants.all"])),
            ]),
            .heading(texts["profile.passkeys"]), .table(passkeys(factors, texts)),
        ]
        if person.isConfirmed {
            blocks += try await changes(person, factors, texts)
        } else {
            let link = ConfirmationScreen.link(backTo: Self.path)
            blocks += [.paragraph(texts["profile.confirmFirst"]), .links([Link(text: texts["confirmation.title"], path: link)])]
        }
        blocks += [.heading(texts["profile.sessions"]), .table(OperatorSessionTable.table(sessions, person, texts, Self.path))]
        if sessions.count > 1 {
            blocks.append(.toolbar([OperatorSessionTable.endOthers(texts, Self.path)]))
        }
        return .page(ConsolePage(title: texts["profile.title"], section: .profile, blocks: blocks))
    }

    private func passkeys(_ factors: OperatorFactors.All, _ texts: ConsoleTexts) -> Table {
        Table(
            caption: texts["profile.passkeys"],
            columns: [texts["profile.name"], texts["profile.created"], texts["profile.lastUsed"], texts["profile.actions"]],
            rows: factors.passkeys.map { passkey in
                [
                    OperatorSessionTable.name(of: passkey),
                    .time(passkey.createdAt), passkey.lastUsedAt.map(Cell.time) ?? .none,
                    .forms([
                        Form(
                            action: Self.path,
                            hidden: [
                                (name: AccessFields.way, value: "removePasskey"), (name: "id", value: passkey.credentialID),
                            ],
                            button: texts["profile.remove"],
                            isDangerous: true
                        )
                    ]),
                ]
            },
            emptyText: texts["profile.noPasskeys"]
        )
    }

    private func changes(_ person: ConsoleOperator, _ factors: OperatorFactors.All, _ texts: ConsoleTexts) async throws -> [Block]
    {
        let options = try await tools.console.factors.passkeyOptions(for: person)
        let add = Form(
            action: Self.path,
            fields: [AccessFields.passkeyName(texts)],
            hidden: [(name: AccessFields.way, value: "addPasskey")],
            button: texts["profile.addPasskey"],
            passkey: Form.Passkey(options)
        )
        let setup = PasswordSetup.blocks(
            texts,
            try tools.console.factors.totpOffer(for: person),
            action: Self.path,
            hidden: [],
            button: texts["profile.setPassword"]
        )
        var blocks: [Block] = [
            .form(add), .heading(texts["profile.password"]),
            .details(summary: texts[factors.hasPassword ? "profile.changePassword" : "profile.setPassword"], setup),
        ]
        if factors.hasPassword {
            let remove = Form(
                action: Self.path,
                hidden: [(name: AccessFields.way, value: "removePassword")],
                button: texts["profile.removePassword"],
                isDangerous: true
            )
            blocks.append(.toolbar([remove]))
        }
        return blocks
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (form, person, factors) = (visit.form, try visit.person, tools.console.factors)
        switch form[AccessFields.way] {
        case "addPasskey":
            try await factors.addPasskey(
                try AuthenticatorResponse(form),
                name: form["name"],
                by: person,
                from: visit.client
            )
        case "removePasskey": try await factors.removePasskey(form["id"], by: person, from: visit.client)
        case "password":
            try await factors.setPassword(
                form["password"],
                code: form["code"],
                offer: form[PasswordSetup.offerField],
                by: person,
                from: visit.client
            )
        case "removePassword": try await factors.removePassword(by: person, from: visit.client)
        case OperatorSessionTable.end:
            try await tools.console.sessions.end(form.value("id"), of: person.operatorID, by: person, from: visit.client)
        default: throw ConsoleFailure.noSuchAction
        }
        return .redirect(Self.path, done: "saved")
    }
}

/// The sessions of an operator, with buttons that end them.
enum OperatorSessionTable {
    static let end = "endSession"

    /// The operator's name for a passkey; without one, the beginning of its id.
    static func name(of passkey: OperatorPasskeyRecord) -> Cell {
        passkey.name.isEmpty ? .code(String(passkey.credentialID.prefix(8))) : .foreign(passkey.name)
    }

    static func table(
        _ sessions: [OperatorSessionRecord],
        _ person: ConsoleOperator,
        _ texts: ConsoleTexts,
        _ path: String
    ) -> Table {
        Table(
            caption: texts["profile.sessions"],
            columns: [
                texts["sessions.device"], texts["sessions.address"], texts["sessions.begun"], texts["sessions.lastUsed"],
                texts["profile.actions"],
            ],
            rows: sessions.map { session in
                let isThis = session.sessionHash == person.sessionHash
                return [
                    .foreign(session.userAgent ?? "-"), .code(session.address ?? "-"), .time(session.createdAt),
                    .time(session.lastUsedAt),
                    isThis
                        ? .badge(text: texts["sessions.this"], tone: .positive)
                        : .forms([
                            Form(
                                action: path,
                                hidden: [
                                    (name: AccessFields.way, value: end), (name: "id", value: hexadecimal(session.sessionHash)),
                                ],
                                button: texts["sessions.end"]
                            )
                        ]),
                ]
            },
            emptyText: texts["sessions.none"]
        )
    }

    static func endOthers(_ texts: ConsoleTexts, _ path: String) -> Form {
        Form(action: path, hidden: [(name: AccessFields.way, value: end)], button: texts["sessions.endOthers"])
    }
}
