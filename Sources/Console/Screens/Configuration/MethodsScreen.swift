import Accounts
import Federation
import Project
import Tenancy

/// The ways to sign in, and the identity providers.
struct MethodsScreen: SettingsScreen {
    let tools: ConsoleTools

    static let path = "/console/methods"
    static let section = ConsoleSection.signInMethods

    static let project = [
        ConfigField("signIn.email.enabled", "email"),
        ConfigField("signIn.email.passwordRequired"),
        ConfigField("signIn.phoneNumber.enabled", "phone"), ConfigField("signIn.anonymous.enabled", "anonymous"),
        ConfigField("signIn.allowDuplicateEmails", "duplicateEmails"),
        ConfigField("client.permissions.disabledUserSignup", "noSignUp"),
        ConfigField("client.permissions.disabledUserDeletion", "noDeletion"),
        ConfigField("emailPrivacyConfig.enableImprovedEmailPrivacy", "emailPrivacy"),
    ]
    static let tenant = [
        ConfigField("allowPasswordSignup", "email"), ConfigField("enableEmailLinkSignin", "emailLink"),
        ConfigField("enableAnonymousUser", "anonymous"), ConfigField("disableAuth"),
        ConfigField("client.permissions.disabledUserSignup", "noSignUp"),
        ConfigField("client.permissions.disabledUserDeletion", "noDeletion"),
        ConfigField("emailPrivacyConfig.enableImprovedEmailPrivacy", "emailPrivacy"),
    ]

    private static let mostProviders: Int64 = 100

    func blocks(_ visit: ConsoleVisit, _: JSONValue) async throws -> [Block] {
        let (texts, context) = (visit.texts, try visit.call())
        var rows: [[Cell]] = []
        for collection in ProviderCollection.allCases {
            let list = try await tools.useCases.operators.configuration.providers.list(
                collection,
                pageSize: Self.mostProviders,
                pageToken: "",
                context: context
            )
            for resource in list[collection.rawValue]?.array ?? [] { rows.append(Self.row(resource, visit)) }
        }
        var blocks: [Block] = [
            .heading(texts["providers.title"]),
            .table(
                Table(
                    caption: texts["providers.title"],
                    columns: ["id", "name", "state"].map { texts["providers.\($0)"] },
                    rows: rows,
                    emptyText: texts["providers.none"]
                )
            ),
        ]
        if try visit.person.role.scopes.contains(.config) { blocks.append(.form(add(visit))) }
        return blocks
    }

    private static func row(_ resource: JSONValue, _ visit: ConsoleVisit) -> [Cell] {
        let id = String((resource["name"]?.string ?? "").split(separator: "/").last ?? "")
        let isOn = resource["enabled"]?.bool == true
        return [
            .link(text: id, path: visit.link(ProviderScreen.path(of: id))),
            resource["displayName"]?.string.map(Cell.foreign) ?? .none,
            .badge(text: visit.texts[isOn ? "users.enabled" : "users.disabled"], tone: isOn ? .positive : .neutral),
        ]
    }

    private func add(_ visit: ConsoleVisit) -> Form {
        let texts = visit.texts
        let known = Providers.builtIn.map { Field.Option(text: $0.id, value: $0.id) }
        return Form(
            action: Self.path,
            fields: [
                Field(
                    name: "provider",
                    label: texts["providers.kind"],
                    kind: .select(known + [.init(text: "OpenID Connect", value: "oidc"), .init(text: "SAML", value: "saml")])
                ), Field(name: "id", label: texts["providers.ownID"], hint: texts["providers.ownID.hint"], isCode: true),
            ],
            hidden: visit.tenantFields + [(name: "do", value: "add")],
            button: texts["providers.add"],
            legend: texts["providers.add"]
        )
    }

    private enum Action: String {
        case add
        case save = ""
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        guard try visit.form.action(Action.self) == .add else { return try await save(visit) }
        try visit.person.require(.config)
        let (kind, name) = (visit.form["provider"], visit.form["id"])
        let id = kind == "oidc" || kind == "saml" ? "\(kind).\(name)" : kind
        // What it needs is filled in on its own screen.
        return .redirect(visit.link(ProviderScreen.path(of: id)))
    }
}
