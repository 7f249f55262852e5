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

    private static func collection(of id: String) -> ProviderCollection {
        if id.utf8.starts(with: "oidc.".utf8) { return .oauthIdpConfigs }
        return id.utf8.starts(with: "saml.".utf8) ? .inboundSamlConfigs : .defaultSupportedIdpConfigs
    }

    private static func form(_ id: String) -> ConfigForm {
        var fields = [ConfigField("enabled", .flag, "enabled")]
        switch collection(of: id) {
        case .oauthIdpConfigs:
            fields += [
                ConfigField("displayName", .text, "displayName"), ConfigField("issuer", .text, "issuer"),
                ConfigField("clientId", .text, "clientId"), ConfigField("clientSecret", .secret, "clientSecret"),
                ConfigField("additionalClientIds", .list, "additionalClientIds"),
                ConfigField("responseType.code", .flag, "codeFlow"), ConfigField("responseType.idToken", .flag, "idTokenFlow"),
            ]
        case .inboundSamlConfigs:
            fields += [
                ConfigField("displayName", .text, "displayName"), ConfigField("idpConfig.idpEntityId", .text, "idpEntityId"),
                ConfigField("idpConfig.ssoUrl", .text, "ssoUrl"),
                ConfigField("idpConfig.idpCertificates.0.x509Certificate", .longText, "certificate"),
                ConfigField("idpConfig.signRequest", .flag, "signRequest"),
                ConfigField("spConfig.spEntityId", .text, "spEntityId"),
                ConfigField("spConfig.callbackUri", .text, "callbackUri"), ConfigField("emailDomains", .list, "emailDomains"),
            ]
        case .defaultSupportedIdpConfigs:
            let facts = Providers.facts(of: id)
            fields.append(ConfigField("clientId", .text, "clientId"))
            // A key of several lines is set by the Admin API or the command.
            if facts?.secretPath == ["clientSecret"] { fields.append(ConfigField("clientSecret", .secret, "clientSecret")) }
            fields.append(ConfigField("additionalClientIds", .list, "additionalClientIds"))
            if case .unlessBundleIDs = facts?.clientID {
                fields += [
                    ConfigField("appleSignInConfig.bundleIds", .list, "bundleIds"),
                    ConfigField("appleSignInConfig.codeFlowConfig.teamId", .text, "teamId"),
                    ConfigField("appleSignInConfig.codeFlowConfig.keyId", .text, "keyId"),
                ]
            }
        }
        return ConfigForm(fields: fields)
    }

    private static let metadata = ConfigForm(fields: [
        ConfigField("metadataUrl", .text, "metadataUrl"), ConfigField("metadata", .longText, "metadata"),
    ])

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

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (id, texts, person) = (visit["id"], visit.texts, try visit.person)
        let document = try await stored(visit)
        let mayChange = person.role.scopes.contains(.config)
        let fields = Self.form(id).fields(of: document ?? ["enabled": true], texts, mayChange: mayChange)
        var blocks: [Block] = [
            .code(label: texts["providers.callback"], text: "\(tools.publicURL())/__/auth/handler"),
            mayChange
                ? .form(Form(action: Self.path(of: id), fields: fields, hidden: visit.tenantFields, button: texts["save"]))
                : .facts(fields.map { Fact(label: $0.label, value: .foreign($0.value)) }),
        ]
        if mayChange, Self.collection(of: id) == .inboundSamlConfigs {
            let fields = Self.metadata.fields(of: [:], texts, mayChange: true)
            let hidden = visit.tenantFields + [(name: "do", value: "import")]
            blocks.append(
                .form(Form(action: Self.path(of: id), fields: fields, hidden: hidden, button: texts["providers.import"]))
            )
        }
        if mayChange, document != nil {
            let delete = Form(
                action: Self.path(of: id),
                hidden: visit.tenantFields + [(name: "do", value: "delete")],
                button: texts["users.delete"],
                isDangerous: true
            )
            blocks.append(.toolbar([delete]))
        }
        return .page(ConsolePage(title: id, section: .signInMethods, blocks: blocks))
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (id, context) = (visit["id"], try visit.call())
        try visit.person.require(.config)
        let (providers, collection) = (tools.useCases.operators.configuration.providers, Self.collection(of: id))
        if visit.form["do"] == "delete" {
            return try await DangerousAction.run(visit) {
                try await providers.delete(collection, id: id, context: context)
                return .redirect(visit.link(MethodsScreen.path), done: "deleted")
            }
        }
        if visit.form["do"] == "import" {
            let source = visit.form.value("metadataUrl").map(MetadataSource.url) ?? .xml(Array(visit.form["metadata"].utf8))
            _ = try await providers.importMetadata(id: id, from: source, context: context)
            return .redirect(visit.link(Self.path(of: id)), done: "saved")
        }
        let document = try await stored(visit)
        guard let change = try Self.form(id).change(visit.form, of: document ?? [:]) else {
            return .redirect(visit.link(Self.path(of: id)))
        }
        // A new secret asks for a fresh proof of a factor.
        if visit.form.value("clientSecret") != nil { try visit.person.requireConfirmation() }
        if document == nil {
            _ = try await providers.create(collection, id: id, body: change.body, context: context)
        } else {
            _ = try await providers.update(collection, id: id, body: change.body, mask: change.mask, context: context)
        }
        return .redirect(visit.link(Self.path(of: id)), done: "saved")
    }
}
