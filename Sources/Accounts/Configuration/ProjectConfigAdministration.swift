package import Project
import Storage

/// Reads and changes a project's `Config` (`contract/admin-config.md` §3).
package struct ProjectConfigAdministration: Sendable {
    let editor: ResourceEditor
    let rules: ConfigurationRules
    let mode: ServerMode
    /// What only the server knows of the project.
    let facts: ProjectFacts

    /// Members of the answer that no request sets.
    package struct ProjectFacts: Sendable {
        /// The API key that clients are told; `nil` when there is none in particular.
        package var apiKey: String?
        /// Hosts that are authorized besides the configured ones.
        package var ownDomains: @Sendable () -> [String]
        /// How passwords are hashed, as `hashConfig` has it.
        package var hashConfig: JSONValue

        package init(apiKey: String?, hashConfig: JSONValue = [:], ownDomains: @escaping @Sendable () -> [String]) {
            self.apiKey = apiKey
            self.hashConfig = hashConfig
            self.ownDomains = ownDomains
        }
    }

    /// The configuration.
    ///
    /// - Throws: `StorageError`.
    package func get(_ context: CallContext) async throws -> JSONValue {
        presented(try await editor.stored(place(context.scope)) ?? [:], context)
    }

    /// Changes the configuration.
    ///
    /// - Parameters:
    ///   - body: A `Config`.
    ///   - mask: Which members change; without one, all that may be set.
    ///   - context: The call.
    /// - Returns: The whole configuration.
    /// - Throws: `InvalidArgument`, `APIError`, `StorageError`.
    package func update(_ body: JSONValue, mask: FieldMask?, context: CallContext) async throws -> JSONValue {
        let body = try ResourceSchema.config.canonical(body)
        try rules.check(body: body.withoutNulls)
        let update = ResourceUpdate(
            body: body,
            mask: mask,
            absentClears: mode == .production,
            refusesUnknownPaths: mode == .production
        )
        let stored = try await apply(update, context)
        var answer = presented(stored, context)
        // Shown once, to whoever switched it off (§2.2).
        if body["recaptchaConfig"]?["useAccountDefender"] == false, stored["recaptchaConfig"]?["useAccountDefender"] == false {
            answer = answer.setting(false, at: ["recaptchaConfig", "useAccountDefender"])
            answer = ResourceSchema.config.arranged(answer)
        }
        return answer
    }

    /// The part of the configuration that the emulator's own endpoint shows (`contract/emulator-endpoints.md` §2).
    ///
    /// - Throws: `StorageError`.
    package func emulatorConfig(_ context: CallContext) async throws -> JSONValue {
        emulatorView(try await editor.stored(place(context.scope)) ?? [:])
    }

    /// Changes that part: the leaves that are there, and nothing else.
    ///
    /// - Throws: `InvalidArgument`, `APIError`, `StorageError`.
    package func updateEmulatorConfig(_ body: JSONValue, context: CallContext) async throws -> JSONValue {
        let body = try ResourceSchema.config.canonical(body).withoutNulls
        let mask = FieldMask(paths: Self.emulatorLeaves)
        let update = ResourceUpdate(body: body, mask: mask, absentClears: false, refusesUnknownPaths: false)
        return emulatorView(try await apply(update, context))
    }

    private static let emulatorLeaves = [
        ["signIn", "allowDuplicateEmails"], ["emailPrivacyConfig", "enableImprovedEmailPrivacy"],
    ]

    // What the emulator shows from the start, and after an update without a mask.
    private static let emulatorDefaults: JSONValue = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": false]]

    private func emulatorView(_ document: JSONValue) -> JSONValue {
        Self.emulatorLeaves.reduce([:]) { view, path in view.setting(document.value(at: path) ?? false, at: path) }
    }

    private func apply(_ update: ResourceUpdate, _ context: CallContext) async throws -> JSONValue {
        let (rules, editor, mode) = (rules, editor, mode)
        let time = editor.environment.now()
        return try await editor.edit(place(context.scope), context: context) { stored in
            let stored = stored ?? [:]
            let next = try update.applied(to: stored, schema: .config)
            if next == stored { return .keep }
            let document = try rules.completed(next, stored: stored, body: update.body, layout: .config, at: time)
            if mode == .production {
                let added = rules.addedTestPhoneNumbers(document, stored: stored, layout: .config)
                try await editor.checkFictional(added, in: context.scope.project)
            }
            return .put(document)
        } ?? [:]
    }

    private func place(_ scope: Scope) -> ResourceEditor.Place {
        .init(scope: scope.project, kind: .config, resourceID: "", name: name(scope))
    }

    private func name(_ scope: Scope) -> String { "projects/\(scope.projectID)/config" }

    private func presented(_ document: JSONValue, _ context: CallContext) -> JSONValue {
        ResourceSchema.config.arranged(completed(document, context))
    }

    private func completed(_ document: JSONValue, _ context: CallContext) -> JSONValue {
        let scope = context.scope
        var answer = ResourceSchema.config.presented(document, showsFalse: mode == .development)
        answer["name"] = .string(name(scope))
        answer = SecondFactorPresentation.completed(answer, at: "mfa")
        answer = answer.filled(from: ["signIn": ["allowDuplicateEmails": false], "blockingFunctions": [:]])
        if mode == .development { return answer.filled(from: Self.emulatorDefaults).withoutTriggerTimes }
        for name in ResourceSchema.templates {
            let path = ["notification", "sendEmail", name]
            guard let template = answer.value(at: path) else { continue }
            let isCustom = template["subject"] != nil || template["body"] != nil
            answer = answer.setting(isCustom ? .bool(true) : nil, at: path + ["customized"])
        }
        answer["subtype"] = "IDENTITY_PLATFORM"
        answer["mfa"] = answer["mfa"] ?? ["state": "DISABLED"]
        let domains = (answer["authorizedDomains"]?.array?.compactMap(\.string) ?? ["localhost"])
        let own = facts.ownDomains().filter { !domains.contains($0) }
        answer["authorizedDomains"] = .array((domains + own).map(JSONValue.string))
        let client: JSONValue = ["firebaseSubdomain": .string(scope.projectID)]
        answer["client"] = (answer["client"] ?? [:]).merging(client).setting(facts.apiKey.map(JSONValue.string), at: ["apiKey"])
        return answer.setting(context.maySeeSecrets ? facts.hashConfig : nil, at: ["signIn", "hashConfig"])
    }
}

extension JSONValue {
    // The emulator shows triggers as they were set.
    fileprivate var withoutTriggerTimes: JSONValue {
        (value(at: ["blockingFunctions", "triggers"])?.object ?? [:]).keys.reduce(self) { document, event in
            document.setting(nil, at: ["blockingFunctions", "triggers", event.text, "updateTime"])
        }
    }
}

/// How second factors are shown (`contract/admin-config.md` §2.2 and §4).
enum SecondFactorPresentation {
    /// Wherever the section is shown its states are, too: the Node Admin SDK fails without.
    static func completed(_ answer: JSONValue, at name: String) -> JSONValue {
        guard let section = answer[name] else { return answer }
        var completed = section.filled(from: ["state": "DISABLED"])
        if let providers = section["providerConfigs"]?.array {
            let missing: JSONValue = ["state": "DISABLED", "totpProviderConfig": [:]]
            completed["providerConfigs"] = .array(providers.map { $0.filled(from: missing) })
        }
        return answer.setting(completed, at: [name])
    }
}
