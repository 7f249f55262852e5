import Accounts
import Project
import Storage

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
            AccessFields.facts(texts, email: person.email, role: person.role.rawValue, tenantID: person.tenantID),
            .heading(texts["profile.passkeys"]),
            .table(
                OperatorTables.passkeys(factors.passkeys, texts) { passkey in
                    let (text, id) = (texts["profile.remove"], passkey.credentialID)
                    return AccessFields.button(text, Self.path, way: "removePasskey", id: id, isDangerous: true)
                }
            ),
        ]
        if person.isConfirmed {
            blocks += try await changes(person, factors, texts)
        } else {
            blocks += ConfirmationScreen.first(texts["profile.confirmFirst"], backTo: Self.path, texts)
        }
        blocks += [.heading(texts["profile.sessions"]), .table(OperatorTables.sessions(sessions, person, texts, Self.path))]
        if sessions.count > 1 {
            blocks.append(.toolbar([OperatorTables.endOthers(texts, Self.path)]))
        }
        return .page(ConsolePage(title: texts["profile.title"], section: .profile, blocks: blocks))
    }

    private func changes(_ person: ConsoleOperator, _ factors: OperatorFactors.All, _ texts: ConsoleTexts) async throws -> [Block]
    {
        let forms = FactorForms(texts: texts, action: Self.path)
        let offer = try await tools.console.factors.offer(to: person)
        var blocks: [Block] = [
            .form(forms.passkey(offer.passkey, button: texts["profile.addPasskey"], way: "addPasskey")),
            .heading(texts["profile.password"]),
            .details(
                summary: texts[factors.hasPassword ? "profile.changePassword" : "profile.setPassword"],
                forms.newPassword(offer.app, button: texts["profile.setPassword"])
            ),
        ]
        if factors.hasPassword {
            let text = texts["profile.removePassword"]
            blocks.append(.toolbar([AccessFields.button(text, Self.path, way: "removePassword", isDangerous: true)]))
        }
        return blocks
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (form, person, factors) = (visit.form, try visit.person, tools.console.factors)
        switch form[AccessFields.way] {
        case "addPasskey", "password": try await factors.add(try NewOperatorFactor(form), by: person)
        case "removePasskey": try await factors.removePasskey(form["id"], by: person)
        case "removePassword": try await factors.removePassword(by: person)
        case OperatorTables.end:
            try await tools.console.sessions.end(form.value("id"), of: person.operatorID, by: person)
        default: throw ConsoleFailure.noSuchAction
        }
        return .redirect(Self.path, done: "saved")
    }
}

/// What an operator has: passkeys, and sessions with buttons that end them.
enum OperatorTables {
    static let end = "endSession"

    /// - Parameter action: What may be done with a passkey; `nil` where nothing may be.
    static func passkeys(
        _ passkeys: [OperatorPasskeyRecord],
        _ texts: ConsoleTexts,
        action: ((OperatorPasskeyRecord) -> Form)? = nil
    ) -> Table {
        let columns = ["profile.name", "profile.created", "profile.lastUsed"] + (action == nil ? [] : ["profile.actions"])
        return Table(
            caption: texts["profile.passkeys"],
            columns: columns.map { texts[$0] },
            rows: passkeys.map { passkey in
                // Without the operator's name for it a passkey has the beginning of its id.
                let name = passkey.name.isEmpty ? Cell.code(String(passkey.credentialID.prefix(8))) : .foreign(passkey.name)
                let cells: [Cell] = [name, .time(passkey.createdAt), passkey.lastUsedAt.map(Cell.time) ?? .none]
                return cells + (action.map { [Cell.forms([$0(passkey)])] } ?? [])
            },
            emptyText: texts["profile.noPasskeys"]
        )
    }

    static func sessions(
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
                            AccessFields.button(texts["sessions.end"], path, way: end, id: hexadecimal(session.sessionHash))
                        ]),
                ]
            },
            emptyText: texts["sessions.none"]
        )
    }

    static func endOthers(_ texts: ConsoleTexts, _ path: String) -> Form {
        AccessFields.button(texts["sessions.endOthers"], path, way: end)
    }
}
