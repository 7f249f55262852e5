import Accounts
import Project
import Storage

/// The parts of a user's screen.
struct UserParts {
    let visit: ConsoleVisit
    let view: AccountView
    let person: ConsoleOperator

    private var texts: ConsoleTexts { visit.texts }
    private var account: AccountRecord { view.account }
    private var path: String { UserScreen.path(of: account.localID) }
    private var mayChange: Bool { person.role.scopes.contains(.edit) }

    private func form(_ action: String, _ text: String, id: String = "", isDangerous: Bool = false) -> Form {
        Form(action: path, hidden: hidden(action, id), button: texts[text], isDangerous: isDangerous)
    }

    private func hidden(_ action: String, _ id: String = "") -> [(name: String, value: String)] {
        visit.tenantFields + [(name: "do", value: action)] + (id.isEmpty ? [] : [(name: "id", value: id)])
    }

    var profile: [Block] {
        [
            .facts([
                Fact(label: texts["user.id"], value: .code(account.localID)),
                Fact(label: texts["users.email"], value: account.email.map(Cell.foreign) ?? .none),
                Fact(
                    label: texts["user.emailVerified"],
                    value: account.emailVerified == true
                        ? .badge(text: texts["yes"], tone: .positive) : .badge(text: texts["no"], tone: .neutral)
                ),
                Fact(
                    label: texts["users.phone"],
                    value: account.phoneNumber.map { .code(MaskedNumber.text($0, for: person.role)) } ?? .none
                ), Fact(label: texts["users.name"], value: account.displayName.map(Cell.foreign) ?? .none),
                Fact(label: texts["users.state"], value: UserFacts.state(account, texts)),
                Fact(label: texts["users.created"], value: .time(account.createdAt)),
                Fact(label: texts["user.lastLogin"], value: account.lastLoginAt.map(Cell.time) ?? .none),
                Fact(label: texts["users.lastSeen"], value: UserFacts.lastSeen(account)),
            ])
        ]
    }

    /// The buttons of one step.
    var actions: [Block] {
        var forms = [account.isDisabled ? form("enable", "users.enable") : form("disable", "users.disable")]
        forms += [form("unlock", "user.unlock"), form("endSessions", "user.endSessions", isDangerous: true)]
        if account.email != nil {
            for (kind, text) in [
                ("PASSWORD_RESET", "user.sendReset"), ("VERIFY_EMAIL", "user.sendVerification"),
                ("EMAIL_SIGNIN", "user.sendSignIn"),
            ] {
                forms.append(
                    Form(action: path, hidden: hidden("mail") + [(name: "kind", value: kind)], button: texts[text])
                )
            }
        }
        if person.role.scopes.contains(.delete) { forms.append(form("delete", "users.delete", isDangerous: true)) }
        return [.toolbar(forms)]
    }

    var identities: [Block] {
        var rows: [[Cell]] = view.identities.map { identity in
            [
                .foreign(identity.providerID), .code(identity.rawID), identity.email.map(Cell.foreign) ?? .none,
                identity.linkedAt.map(Cell.time) ?? .none, unlink(identity.providerID),
            ]
        }
        if account.passwordHash != nil {
            let set = account.passwordUpdatedAt.map(Cell.time) ?? .none
            rows.append([.text("password"), .none, account.email.map(Cell.foreign) ?? .none, set, unlink("password")])
        }
        if account.phoneNumber != nil { rows.append([.text("phone"), .none, .none, .none, unlink("phone")]) }
        let columns = ["provider", "providerID", "email", "since", "actions"].map { texts["identities.\($0)"] }
        return [
            .heading(texts["user.identities"]),
            .table(
                Table(caption: texts["user.identities"], columns: columns, rows: rows, emptyText: texts["identities.none"])
            ),
        ]
    }

    private func unlink(_ provider: String) -> Cell {
        mayChange ? .forms([form("unlink", "identities.unlink", id: provider, isDangerous: true)]) : .none
    }

    var factors: [Block] {
        let factors: [[Cell]] = account.secondFactors.map { factor in
            let kind: Cell =
                switch factor.kind {
                case .phone(let number): .code(MaskedNumber.text(number, for: person.role))
                case .totp: .text(texts["factors.totp"])
                }
            return [kind, factor.displayName.map(Cell.foreign) ?? .none, .time(factor.enrolledAt), .none]
        }
        let passkeys: [[Cell]] = view.passkeys.map { passkey in
            let remove = form("removePasskey", "profile.remove", id: passkey.credentialID, isDangerous: true)
            return [
                .text(texts["factors.passkey"]), .foreign(passkey.name), .time(passkey.createdAt),
                mayChange ? .forms([remove]) : .none,
            ]
        }
        var blocks: [Block] = [
            .heading(texts["user.factors"]),
            .table(
                Table(
                    caption: texts["user.factors"],
                    columns: ["kind", "name", "since", "actions"].map { texts["factors.\($0)"] },
                    rows: factors + passkeys,
                    emptyText: texts["factors.none"]
                )
            ),
        ]
        if mayChange, !factors.isEmpty {
            blocks.append(.toolbar([form("removeFactors", "factors.removeAll", isDangerous: true)]))
        }
        return blocks
    }

    func sessions(_ sessions: [SessionRecord]) -> [Block] {
        [
            .heading(texts["user.sessions"]),
            .table(
                Table(
                    caption: texts["user.sessions"],
                    columns: ["sessions.device", "identities.provider", "sessions.begun", "sessions.lastUsed", "profile.actions"]
                        .map { texts[$0] },
                    rows: sessions.map { session in
                        [
                            .foreign(session.userAgent ?? "-"), .foreign(session.signInProvider), .time(session.createdAt),
                            .time(session.lastUsedAt),
                            mayChange ? .forms([form("endSession", "sessions.end", id: session.sessionID)]) : .none,
                        ]
                    },
                    emptyText: texts["sessions.none"]
                )
            ),
        ]
    }

    /// The forms that change profile and claims.
    var editors: [Block] {
        var fields = [
            Field(name: "email", label: texts["users.email"], kind: .email, value: account.email ?? "", maximumLength: 256),
            Field(
                name: "verified",
                label: texts["user.emailVerified"],
                kind: .checkbox,
                value: account.emailVerified == true ? "on" : ""
            ), Field(name: "name", label: texts["users.name"], value: account.displayName ?? "", maximumLength: 256),
            Field(name: "photo", label: texts["user.photo"], value: account.photoURL ?? "", maximumLength: 2048, isCode: true),
        ]
        if person.role.seesWholeNumbers {
            fields.append(
                Field(
                    name: "phone",
                    label: texts["users.phone"],
                    value: account.phoneNumber ?? "",
                    hint: texts["user.phoneHint"],
                    isCode: true
                )
            )
        }
        let claims = account.customAttributes ?? "{}"
        let size = texts.text("user.claimsSize", ["count": "\(claims.utf8.count)", "limit": "1000"])
        return [
            .details(
                summary: texts["user.edit"],
                [.form(Form(action: path, fields: fields, hidden: hidden("profile"), button: texts["save"]))]
            ),
            .details(
                summary: texts["user.claims"],
                [
                    .form(
                        Form(
                            action: path,
                            fields: [
                                Field(
                                    name: "claims",
                                    label: texts["user.claims"],
                                    kind: .textArea(rows: 8),
                                    value: claims,
                                    hint: size,
                                    isCode: true
                                )
                            ],
                            hidden: hidden("claims"),
                            button: texts["save"]
                        )
                    )
                ]
            ),
        ]
    }
}
