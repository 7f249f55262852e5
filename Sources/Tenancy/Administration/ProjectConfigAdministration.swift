package import Project
import Storage

/// Reads and changes a project's `Config` (`Docs/Contract/admin-config.md` §3).
package struct ProjectConfigAdministration: Sendable {
    let editor: ResourceEditor
    let rules: ConfigurationRules
    let mode: ModeRules
    /// Facts of the project that only the server knows.
    let facts: ProjectFacts

    /// Members of the answer that no request sets.
    package struct ProjectFacts: Sendable {
        /// The API key that clients receive; `nil` when none is chosen.
        package var apiKey: String?
        /// Hosts that are authorized besides the configured ones, and shown while none are.
        package var ownDomains: @Sendable () -> [String]
        /// The hash parameters of passwords, in the form of `hashConfig`.
        package var hashConfig: JSONValue

        package init(apiKey: String?, hashConfig: JSONValue = [:], ownDomains: @escaping @Sendable () -> [String]) {
            self.apiKey = apiKey
            self.hashConfig = hashConfig
            self.ownDomains = ownDomains
        }
    }

    package func get(_ context: CallContext) async throws -> JSONValue {
        presented(try await editor.stored(place(context.scope)) ?? [:], context)
    }

    /// Changes the configuration.
    ///
    /// - Parameter mask: Without a mask, all members that may be set change.
    package func update(
        _ body: JSONValue,
        mask: FieldMask?,
        expecting expected: ExpectedResource? = nil,
        context: CallContext
    ) async throws -> JSONValue {
        let body = try Shape.config.read(body)
        try rules.check(body: body.withoutNulls)
        let update = ResourceUpdate(
            body: body,
            mask: mask,
            absentClears: mode.updatesAreStrict,
            refusesUnknownPaths: mode.updatesAreStrict
        )
        let stored = try await apply(update, expecting: expected, context)
        var answer = presented(stored, context)
        // The answer shows `false` once, to the request that switched it off (§2.2).
        if body["recaptchaConfig"]?["useAccountDefender"] == false, stored["recaptchaConfig"]?["useAccountDefender"] == false {
            answer = answer.setting(false, at: ["recaptchaConfig", "useAccountDefender"])
            answer = Shape.config.arranged(answer)
        }
        return answer
    }

    func apply(
        _ update: ResourceUpdate,
        expecting expected: ExpectedResource? = nil,
        _ context: CallContext
    ) async throws -> JSONValue {
        let (rules, editor, mode) = (rules, editor, mode)
        let time = editor.environment.now()
        return try await editor.edit(place(context.scope), context: context) { stored in
            let stored = stored ?? [:]
            try expected?.check(presented(stored, context))
            let next = try update.applied(to: stored, shape: .config)
            if next == stored { return .keep }
            let document = try rules.completed(next, stored: stored, body: update.body, layout: .config, at: time)
            if mode.checksTestNumbers {
                let added = rules.addedTestPhoneNumbers(document, stored: stored, layout: .config)
                try await editor.checkFictional(added, in: context.scope.project)
            }
            return .put(document)
        } ?? [:]
    }

    func place(_ scope: Scope) -> ResourceEditor.Place {
        .init(scope: scope.project, kind: .config, resourceID: "", name: name(scope))
    }

    private func name(_ scope: Scope) -> String { "projects/\(scope.projectID)/config" }

    private func presented(_ document: JSONValue, _ context: CallContext) -> JSONValue {
        Shape.config.arranged(completed(document, context))
    }

    private func completed(_ document: JSONValue, _ context: CallContext) -> JSONValue {
        let scope = context.scope
        var answer = Shape.config.presented(document, showsFalse: mode.showsConfigurationAsEmulator)
            .withoutKeys(for: context)
        answer["name"] = .string(name(scope))
        answer = SecondFactorPresentation.completed(answer, at: "mfa")
        answer = answer.filled(from: ["signIn": ["allowDuplicateEmails": false], "blockingFunctions": [:]])
        if mode.showsConfigurationAsEmulator { return answer.filled(from: Self.emulatorDefaults).withoutTriggerTimes }
        for name in Shape.mailTemplates {
            let path = ["notification", "sendEmail", name]
            guard let template = answer.value(at: path) else { continue }
            let isCustom = template["subject"] != nil || template["body"] != nil
            answer = answer.setting(isCustom ? .bool(true) : nil, at: path + ["customized"])
        }
        answer["subtype"] = "IDENTITY_PLATFORM"
        answer["mfa"] = answer["mfa"] ?? ["state": "DISABLED"]
        // What was set is shown as it was set (ruling 39), although the server's own host is authorized in any case.
        if answer["authorizedDomains"] == nil {
            let own = facts.ownDomains().filter { $0 != "localhost" }
            answer["authorizedDomains"] = .array((["localhost"] + own).map(JSONValue.string))
        }
        let client: JSONValue = ["firebaseSubdomain": .string(scope.projectID)]
        answer["client"] = (answer["client"] ?? [:]).merging(client).setting(facts.apiKey.map(JSONValue.string), at: ["apiKey"])
        return answer.setting(context.maySeeSecrets ? facts.hashConfig : nil, at: ["signIn", "hashConfig"])
    }
}
