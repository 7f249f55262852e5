import Accounts

/// What an action of the console needs of an operator, written down once more, apart from the console's own rules.
struct ConsoleRights: Sendable {
    enum Role: Sendable, Comparable {
        case viewer, support, administrator, owner

        init(_ role: OperatorRole) {
            self =
                switch role {
                case .viewer: .viewer
                case .support: .support
                case .administrator: .administrator
                case .owner: .owner
                }
        }
    }

    /// The least role; `nil` for whoever has not signed in.
    let least: Role?
    /// Whether it concerns the whole project, so that an operator of one tenant may not do it.
    var isOfProject = false

    static let stranger = ConsoleRights(least: nil)
    static let viewer = ConsoleRights(least: .viewer)
    static let support = ConsoleRights(least: .support)
    static let administrator = ConsoleRights(least: .administrator)
    static let owner = ConsoleRights(least: .owner, isOfProject: true)

    var ofProject: ConsoleRights { ConsoleRights(least: least, isOfProject: true) }

    func allow(_ role: OperatorRole, ofTenant: Bool) -> Bool {
        (least.map { Role(role) >= $0 } ?? true) && !(ofTenant && isOfProject)
    }

    /// A form that a screen takes, with fields by which it changes nothing of what other forms need.
    struct Action: Sendable {
        let screen: String
        /// What tells the forms of one screen apart: the fields `do` or `way`, or nothing.
        let name: String
        var fields: [(String, String)]
        let rights: ConsoleRights

        init(_ screen: String, _ name: String = "", _ fields: [(String, String)] = [], by rights: ConsoleRights) {
            self.screen = "/console" + screen
            self.name = name
            let field = ConsoleRights.byWay.contains(self.screen) ? "way" : "do"
            self.fields = (name.isEmpty ? [] : [(field, name)]) + fields + [("confirmed", "yes")]
            self.rights = rights
        }
    }

    private static let byWay: Set = [
        "/console/confirm", "/console/profile", "/console/operators/{id}", "/console/sign-in", "/console/invitation",
    ]

    /// Who may look at each screen.
    static let looking: [String: ConsoleRights] = [
        "/console/sign-in": .stranger, "/console/invitation": .stranger, "/console/sign-out": .viewer,
        "/console/confirm": .viewer, "/console/profile": .viewer, "/console": .viewer, "/console/users": .viewer,
        "/console/users/new": .support, "/console/users/{id}": .viewer, "/console/users/bulk": .support,
        "/console/users/{id}/impersonate": .administrator,
        "/console/users/{id}/compare/{other}": .viewer, "/console/imports": .support,
        "/console/imports/upload": .support, "/console/exports": .viewer, "/console/diagnosis": .viewer,
        "/console/methods": .viewer, "/console/providers/{id}": .viewer, "/console/policies": .viewer,
        "/console/domains": .viewer.ofProject, "/console/sms": .viewer, "/console/templates": .viewer.ofProject,
        "/console/templates/{id}": .viewer, "/console/templates/{id}/html": .viewer,
        "/console/tenants": .viewer.ofProject, "/console/hooks": .viewer.ofProject,
        "/console/configuration": .administrator, "/console/configuration/{id}": .administrator,
        "/console/configuration/project.yaml": .administrator.ofProject, "/console/service-accounts": .viewer.ofProject,
        "/console/audit": .viewer, "/console/audit/export": .viewer.ofProject, "/console/backups": .administrator.ofProject,
        "/console/development": .administrator, "/console/development/requests": .administrator.ofProject,
        "/console/development/seeds": .administrator.ofProject, "/console/development/clock": .administrator.ofProject,
        "/console/events": .viewer, "/console/events/stream": .viewer,
        "/console/keys": .viewer, "/console/connect": .viewer, "/console/operators": .owner,
        "/console/operators/{id}": .owner, "/console/approvals": .administrator,
    ]

    /// Who may do what.
    static let acting: [Action] =
        ofUsers + ofConfiguration + [
            Action("/sign-in", "password", [("email", "nobody@example.com")], by: .stranger),
            Action("/invitation", "password", [("invitation", "none")], by: .stranger),
            Action("/confirm", "password", [("password", "wrong")], by: .viewer),
            Action("/profile", "addPasskey", [("response", "{}")], by: .viewer),
            Action("/profile", "removePasskey", [("id", "none")], by: .viewer),
            Action("/profile", "password", [("password", "short")], by: .viewer),
            Action("/profile", "removePassword", by: .viewer), Action("/profile", "endSession", [("id", "00")], by: .viewer),
            Action("", by: .viewer), Action("/audit", "verify", by: .viewer.ofProject),
            Action("/audit/export", by: .viewer.ofProject),
            Action("/backups", "make", by: .administrator.ofProject),
            Action("/backups", "verify", [("name", "none")], by: .administrator.ofProject),
            Action("/backups", "download", [("name", "none")], by: .owner),
            Action("/backups", "remove", [("name", "none")], by: .owner),
            Action("/development", "clear", [("tenant", "acme")], by: .administrator),
            Action("/development/requests", by: .administrator.ofProject),
            Action("/development/clock", by: .administrator.ofProject),
            Action("/development/seeds", "save", by: .administrator.ofProject),
            Action("/development/seeds", "load", by: .administrator.ofProject),
            Action("/development/seeds", "remove", by: .administrator.ofProject),
            Action("/development/seeds", "bringBack", by: .administrator.ofProject),
            Action("/development/seeds", "giveUp", by: .administrator.ofProject),
            Action("/events", by: .viewer),
            Action("/events/stream", by: .viewer), Action("/keys", "rotate", by: .administrator.ofProject),
            Action("/keys", "revoke", [("kid", "none")], by: .administrator.ofProject), Action("/connect", by: .viewer),
            Action("/operators", "invite", [("email", "no address"), ("role", "viewer")], by: .owner),
            Action("/operators", "withdraw", [("id", "none")], by: .owner),
            Action("/operators/{id}", "role", [("role", "owner")], by: .owner), Action("/operators/{id}", "remove", by: .owner),
            Action("/operators/{id}", "endSession", by: .owner),
            Action("/approvals", "approve", [("id", "none")], by: .administrator),
            Action("/approvals", "reject", [("id", "none")], by: .administrator), Action("/sign-out", by: .viewer),
        ]

    private static let ofUsers: [Action] =
        ["disable", "enable"].map { Action("/users", $0, [("user", "nobody")], by: .support) }
        + [
            "endSessions", "unlink", "removePasskey", "removeFactors", "disable", "enable", "unlock", "endSession", "mail",
            "profile", "claims",
        ].map { Action("/users/{id}", $0, by: .support) }
        + [
            Action("/users", "delete", [("user", "nobody")], by: .administrator),
            Action("/users/bulk", "", [("action", "delete")], by: .administrator),
            Action("/users/{id}", "delete", by: .administrator),
            Action("/users/new", "", [("email", "no address")], by: .support),
            Action("/users/bulk", "", [("action", "enable")], by: .support),
            Action("/users/{id}/impersonate", by: .administrator), Action("/users/{id}/compare/{other}", by: .viewer),
            Action("/imports", "", [("format", "json"), ("users", "{}"), ("dryRun", "on")], by: .support),
            Action("/imports/upload", by: .support), Action("/exports", "", [("format", "json")], by: .viewer),
            Action("/exports", "", [("format", "json"), ("hashes", "yes")], by: .administrator),
            Action("/diagnosis", by: .viewer),
        ]

    private static let ofConfiguration: [Action] =
        ["", "delete", "test", "import"].map { Action("/providers/{id}", $0, by: .administrator) }
        + ["", "hasten", "test"].map { Action("/hooks", $0, by: .administrator.ofProject) }
        + [
            Action("/methods", by: .administrator), Action("/methods", "add", [("provider", "github.com")], by: .administrator),
            Action("/policies", by: .administrator), Action("/domains", by: .administrator.ofProject),
            Action("/sms", by: .administrator), Action("/sms", "test", [("number", "none")], by: .administrator),
            Action("/templates", by: .administrator.ofProject), Action("/templates/{id}", by: .administrator),
            Action("/templates/{id}/html", by: .viewer), Action("/tenants", "create", by: .administrator.ofProject),
            Action("/tenants", "delete", [("id", "none")], by: .administrator.ofProject),
            Action("/configuration", by: .administrator),
            Action("/configuration/{id}", by: .administrator),
            Action("/configuration/project.yaml", by: .administrator),
            Action("/service-accounts", "createAccount", [("name", "Not a name")], by: .administrator.ofProject),
            Action("/service-accounts", "createToken", [("name", "none")], by: .administrator.ofProject),
            Action("/service-accounts", "deleteAccount", [("id", "none")], by: .administrator.ofProject),
            Action("/service-accounts", "revoke", [("id", "none")], by: .administrator.ofProject),
        ]
}
