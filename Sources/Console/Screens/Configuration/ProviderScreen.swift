import Accounts
import Federation
import Project
import Tenancy

/// One identity provider: a configuration that exists, or one that is about to be made.
struct ProviderScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/providers/{id}"
    var needs: AdminScopes? { .read }

    /// The address of a provider's screen.
    static func path(of id: String) -> String { "/console/providers/\(PercentEncoding.encode(id))" }

    /// What the form shows of a provider that is not configured yet.
    private static let fresh: JSONValue = ["enabled": true]

    private static func collection(of id: String) -> ProviderCollection {
        if id.utf8.starts(with: "oidc.".utf8) { return .oauthIdpConfigs }
        return id.utf8.starts(with: "saml.".utf8) ? .inboundSamlConfigs : .defaultSupportedIdpConfigs
    }

    static func form(_ id: String) -> ConfigForm {
        let collection = Self.collection(of: id)
        return ConfigForm(of: collection.kind.shape, [ConfigField("enabled")] + fields(id, of: collection))
    }

    private static func fields(_ id: String, of collection: ProviderCollection) -> [ConfigField] {
        switch collection {
        case .oauthIdpConfigs:
            return [
                ConfigField("displayName"), ConfigField("issuer"), ConfigField("clientId"), ConfigField("clientSecret"),
                ConfigField("additionalClientIds"), ConfigField("scopes"), ConfigField("responseType.code", "codeFlow"),
                ConfigField("responseType.idToken", "idTokenFlow"),
            ]
        case .inboundSamlConfigs:
            return [
                ConfigField("displayName"), ConfigField("idpConfig.idpEntityId"), ConfigField("idpConfig.ssoUrl"),
                ConfigField("idpConfig.idpCertificates.0.x509Certificate", "certificate"), ConfigField("idpConfig.ssoBinding"),
                ConfigField("idpConfig.signRequest"), ConfigField("idpConfig.acceptSha1"), ConfigField("idpConfig.nameIdFormat"),
                ConfigField("spConfig.spEntityId"), ConfigField("spConfig.callbackUri"), ConfigField("emailDomains"),
            ]
        case .defaultSupportedIdpConfigs:
            let facts = Providers.facts(of: id)
            let secret = facts?.secretPath == ["clientSecret"] ? ["clientSecret"] : []
            var names = ["clientId"] + secret + ["additionalClientIds"]
            if case .unlessBundleIDs = facts?.clientID {
                let members = ["bundleIds", "codeFlowConfig.teamId", "codeFlowConfig.keyId", "codeFlowConfig.privateKey"]
                names += members.map { "appleSignInConfig.\($0)" }
            }
            return names.map { ConfigField($0) }
        }
    }

    private static let metadata = ConfigForm(of: .samlMetadata, [ConfigField("metadataUrl"), ConfigField("metadata")])

    private func stored(_ visit: ConsoleVisit) async throws -> JSONValue? {
        do {
            return try await tools.useCases.operators.configuration.providers.get(
                Self.collection(of: visit["id"]),
                id: visit["id"],
                context: try visit.call()
            )
        } catch let error as APIError where error.code == .configurationNotFound {
            return nil
        }
    }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer { .page(try await page(visit)) }

    private func page(_ visit: ConsoleVisit, _ report: ProviderTest.Report? = nil) async throws -> ConsolePage {
        let (id, texts, person) = (visit["id"], visit.texts, try visit.person)
        let document = try await stored(visit)
        let mayChange = person.role.scopes.contains(.config)
        let form = Self.form(id)
        let fields = form.fields(of: document ?? Self.fresh, texts, mayChange: mayChange)
        let hidden = visit.tenantFields + form.hidden(document ?? Self.fresh)
        var blocks: [Block] = report.map { [.table(Self.table($0, texts))] } ?? []
        blocks.append(.code(label: texts["providers.callback"], text: tools.useCases.flows.providerTest.redirectURI))
        if let document { blocks += ProviderExpiry(document: document, now: tools.environment.now(), texts: texts).blocks(id) }
        blocks.append(
            mayChange
                ? .form(Form(action: Self.path(of: id), fields: fields, hidden: hidden, button: texts["save"]))
                : .facts(fields.map { Fact(label: $0.label, value: .foreign($0.value)) })
        )
        if mayChange, Self.collection(of: id) == .inboundSamlConfigs {
            let fields = Self.metadata.fields(of: [:], texts, mayChange: true)
            let hidden = visit.tenantFields + [(name: "do", value: "import")]
            blocks.append(
                .form(Form(action: Self.path(of: id), fields: fields, hidden: hidden, button: texts["providers.import"]))
            )
        }
        if mayChange, document != nil { blocks.append(.toolbar(actions(visit))) }
        return ConsolePage(title: id, section: .signInMethods, blocks: blocks)
    }

    private func actions(_ visit: ConsoleVisit) -> [Form] {
        let (id, texts) = (visit["id"], visit.texts)
        func form(_ action: String, _ button: String, isDangerous: Bool = false) -> Form {
            Form(
                action: Self.path(of: id),
                hidden: visit.tenantFields + [(name: "do", value: action)],
                button: texts[button],
                isDangerous: isDangerous
            )
        }
        let test = ProviderTest.canAsk(id) ? [form("test", "providers.test")] : []
        return test + [form("delete", "users.delete", isDangerous: true)]
    }

    private static func table(_ report: ProviderTest.Report, _ texts: ConsoleTexts) -> Table {
        Table(
            caption: texts["providers.tested"],
            columns: ["subject", "verdict", "finding"].map { texts["providers.\($0)"] },
            rows: report.findings.map { finding in
                [
                    .code(finding.subject),
                    .badge(
                        text: texts[finding.isGood ? "providers.good" : "providers.bad"],
                        tone: finding.isGood ? .positive : .negative
                    ), .foreign(finding.text),
                ]
            },
            emptyText: ""
        )
    }

    private enum Action: String {
        case delete, test
        case importMetadata = "import"
        case save = ""
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        try visit.person.require(.config)
        switch try visit.form.action(Action.self) {
        case .delete:
            return try await DangerousAction.perform(visit) {
                let providers = tools.useCases.operators.configuration.providers
                try await providers.delete(Self.collection(of: visit["id"]), id: visit["id"], context: try visit.call())
                return .redirect(visit.link(MethodsScreen.path), done: "deleted")
            }
        case .test:
            let (test, context) = (tools.useCases.flows.providerTest, try visit.call())
            let report = try await tools.load.holding(.work, for: visit.person) {
                try await test.check(visit["id"], context: context)
            }
            return .page(try await page(visit, report))
        case .importMetadata:
            try visit.person.requireConfirmation()
            let source = visit.form.value("metadataUrl").map(MetadataSource.url) ?? .xml(Array(visit.form["metadata"].utf8))
            let providers = tools.useCases.operators.configuration.providers
            _ = try await providers.importMetadata(id: visit["id"], from: source, context: try visit.call())
            return .redirect(visit.link(Self.path(of: visit["id"])), done: "saved")
        case .save: return try await save(visit)
        }
    }

    private func save(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (id, form, person) = (visit["id"], Self.form(visit["id"]), try visit.person)
        let (providers, collection) = (tools.useCases.operators.configuration.providers, Self.collection(of: id))
        let document = try await stored(visit)
        guard let change = try form.change(visit.form, of: document ?? [:]) else {
            return .redirect(visit.link(Self.path(of: id)))
        }
        // Who says whom a provider vouches for can be everybody.
        try person.requireConfirmation()
        // The stored secret stays also where client id or issuer change.
        let context = try visit.call(seesSecrets: true)
        do {
            if document != nil {
                _ = try await providers.update(
                    collection,
                    id: id,
                    body: change.body,
                    mask: change.mask,
                    expecting: form.expectation(visit.form),
                    context: context
                )
            } else {
                try form.expectation(visit.form).check(Self.fresh)
                _ = try await providers.create(collection, id: id, body: change.body, context: context)
            }
        } catch is StaleChange {
            let labels = form.labels(visit.form, of: document ?? Self.fresh, visit.texts)
            return .page(try await page(visit).refusing(labels, visit.texts))
        }
        return .redirect(visit.link(Self.path(of: id)), done: "saved")
    }
}
