import Accounts
import Project
import Storage
import Tokens

/// The keys that sign ID tokens.
struct KeysScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/keys"
    var needs: AdminScopes? { .read }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, person) = (visit.texts, try visit.person)
        let forIDTokens = Set(tools.keyRing.published.map(\.record.kid))
        let mayChange = person.role.scopes.isSuperset(of: .all) && person.tenantID == nil
        let rows: [[Cell]] = tools.keyRing.publishedForCookies.map { key in
            let record = key.record
            return [
                .code(record.kid), state(record, forIDTokens, texts), .time(record.createdAt),
                record.activatedAt.map(Cell.time) ?? .none, record.retiredAt.map(Cell.time) ?? .none,
                mayChange
                    ? .forms([button(texts["keys.revoke"], "revoke", [(name: "kid", value: record.kid)], isDangerous: true)])
                    : .none,
            ]
        }
        let table = Table(
            caption: texts["section.keys"],
            columns: ["id", "state", "created", "activated", "retired", "actions"].map { texts["keys.\($0)"] },
            rows: rows,
            emptyText: texts["keys.none"]
        )
        var blocks: [Block] = [.paragraph(texts["keys.text"]), .table(table)]
        if mayChange { blocks.append(.toolbar([button(texts["keys.rotate"], "rotate", isDangerous: true)])) }
        return .page(ConsolePage(.keys, texts, blocks))
    }

    private func state(_ record: SigningKeyRecord, _ forIDTokens: Set<String>, _ texts: ConsoleTexts) -> Cell {
        if record.activatedAt == nil { return .badge(text: texts["keys.next"], tone: .neutral) }
        if record.retiredAt == nil { return .badge(text: texts["keys.signing"], tone: .positive) }
        return .badge(text: texts[forIDTokens.contains(record.kid) ? "keys.verifying" : "keys.cookies"], tone: .caution)
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, form) = (try visit.person, visit.form)
        try person.require(.all)
        // Keys belong to the project, so a tenant's operator changes none.
        let context = try person.call(in: nil)
        guard ["rotate", "revoke"].contains(form["do"]) else { throw ConsoleFailure.noSuchAction }
        if form["do"] == "revoke", !tools.keyRing.publishedForCookies.contains(where: { bytesEqual($0.record.kid, form["kid"]) })
        {
            throw InvalidArgument("unknown key")
        }
        let parts = ["do", "kid"].map { (name: $0, value: form[$0]) }
        return try await DangerousAction.perform(visit, tools.console.approvals, .init(.keys, in: nil, parts)) { consent in
            switch form["do"] {
            case "rotate": _ = try await tools.keyRing.rotate(also: consent.use(in:), context: context)
            case "revoke":
                do {
                    _ = try await tools.keyRing.revoke(form["kid"], also: consent.use(in:), context: context)
                } catch is KeyRing.UnknownKey {
                    throw InvalidArgument("unknown key")
                }
            default: throw ConsoleFailure.noSuchAction
            }
            return .redirect(Self.path, done: "saved")
        }
    }
}
