import Accounts
import Project
import Storage

/// Two users side by side, where one has what the other wanted to link: an address, a number or an identity. What blocks the link is
/// taken from either of them here.
struct ComparisonScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/users/{id}/compare/{other}"
    var needs: AdminScopes? { .read }

    /// The link from a refusal to this screen; `nil` where no other user was in the way.
    static func link(_ event: AuditEvent, _ visit: ConsoleVisit) -> Link? {
        guard event.kind == .refused, let localID = event.localID,
            let other = event.detail?[AuditEvent.heldBy]?.string, !bytesEqual(other, localID)
        else { return nil }
        let path = "\(UserScreen.path(of: localID))/compare/\(PercentEncoding.encode(other))"
        return Link(text: visit.texts.text("compare.with", ["user": other]), path: visit.link(path))
    }

    /// What kept a user from linking something, by the user's events.
    static func links(_ events: [AuditEvent], _ visit: ConsoleVisit) -> [Block] {
        var seen: Set<String> = []
        let links = events.compactMap { link($0, visit) }.filter { seen.insert($0.path).inserted }
        return links.isEmpty ? [] : [.heading(visit.texts["compare.blocked"]), .links(links)]
    }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, person, context) = (visit.texts, try visit.person, try visit.call())
        let browser = tools.useCases.operators.browser
        let views = [
            try await browser.account(visit["id"], in: context.scope),
            try await browser.account(visit["other"], in: context.scope),
        ]
        let columns = views.map { Column(view: $0, visit: visit, person: person) }
        let names = [
            "user.id", "users.email", "user.emailVerified", "users.phone", "users.name", "users.state", "users.created",
            "users.lastSeen",
        ]
        let facts = zip(names, zip(columns[0].facts, columns[1].facts)).map { [Cell.text(texts[$0]), $1.0, $1.1] }
        let ways = columns.map(\.ways)
        let all = ways[0].map(\.provider) + ways[1].map(\.provider).filter { name in !ways[0].contains { $0.provider == name } }
        let rows = all.map { name in
            [Cell.foreign(name)] + ways.map { ways in .several(ways.filter { $0.provider == name }.flatMap(\.cells)) }
        }
        return .page(
            ConsolePage(
                title: texts["compare.title"],
                section: .users,
                blocks: [
                    .paragraph(texts["compare.text"]),
                    .table(
                        Table(
                            caption: texts["compare.title"],
                            columns: [texts["compare.what"], texts["compare.this"], texts["compare.other"]],
                            rows: facts + rows,
                            emptyText: ""
                        )
                    ),
                ]
            )
        )
    }
}

extension ComparisonScreen {
    /// One of the two users.
    fileprivate struct Column {
        let view: AccountView
        let visit: ConsoleVisit
        let person: ConsoleOperator

        private var account: AccountRecord { view.account }

        var facts: [Cell] {
            let texts = visit.texts
            return [
                .link(text: account.localID, path: visit.link(UserScreen.path(of: account.localID))),
                account.email.map(Cell.foreign) ?? .none, .text(texts[account.emailVerified == true ? "yes" : "no"]),
                account.phoneNumber.map { .code(MaskedNumber.text($0, for: person.role)) } ?? .none,
                account.displayName.map(Cell.foreign) ?? .none, UserFacts.state(account, texts), .time(account.createdAt),
                UserFacts.lastSeen(account),
            ]
        }

        /// The ways to sign in: each with what is known of it, and the form that takes it away.
        var ways: [(provider: String, cells: [Cell])] {
            var ways: [(provider: String, cells: [Cell], removal: Form)] = view.identities.map { identity in
                let cells = [.code(identity.rawID), identity.email.map(Cell.foreign) ?? .none]
                return (identity.providerID, cells, unlinking(identity.providerID))
            }
            if account.passwordHash != nil { ways.append(("password", [], unlinking("password"))) }
            if account.phoneNumber != nil { ways.append(("phone", [], unlinking("phone"))) }
            ways += view.passkeys.map { passkey in
                let removal = form("removePasskey", "profile.remove", passkey.credentialID)
                return ("passkey", [.foreign(passkey.name)], removal)
            }
            let mayChange = person.role.scopes.contains(.edit)
            return ways.map { way in (way.provider, mayChange ? way.cells + [.forms([way.removal])] : way.cells) }
        }

        private func unlinking(_ provider: String) -> Form { form("unlink", "identities.unlink", provider) }

        private func form(_ action: String, _ text: String, _ id: String) -> Form {
            Form(
                action: UserScreen.path(of: account.localID),
                hidden: visit.tenantFields + [(name: "do", value: action), (name: "id", value: id)],
                button: visit.texts[text],
                isDangerous: true
            )
        }
    }
}
