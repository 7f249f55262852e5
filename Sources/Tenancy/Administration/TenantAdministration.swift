package import Project
package import Storage

/// Creates, reads, lists, changes and removes tenants (`Docs/Contract/admin-config.md` §12).
package struct TenantAdministration: Sendable {
    let editor: ResourceEditor
    let rules: ConfigurationRules
    let gate: TenantGate
    let mode: ModeRules

    private static let defaultPageSize = 20
    private static let maximumPageSize = 1000

    /// The members of a tenant that was never configured.
    private static let defaults: JSONValue = [
        "allowPasswordSignup": false, "enableEmailLinkSignin": false, "enableAnonymousUser": false, "disableAuth": false,
        "mfaConfig": ["state": "DISABLED", "enabledProviders": []],
    ]

    /// Creates a tenant.
    ///
    /// - Throws: `APIError` `INVALID_PROJECT_ID`, `MISSING_DISPLAY_NAME`, `INVALID_DISPLAY_NAME`…; `InvalidArgument`.
    package func create(_ body: JSONValue, context: CallContext) async throws -> JSONValue {
        try await gate.pass(context.scope.project)
        let body = try Shape.tenant.read(body)
        try rules.check(body: body.withoutNulls)
        try checkDisplayName(body["displayName"], isNeeded: true)
        let document = try rules.completed(
            body.withoutNulls,
            stored: [:],
            body: body,
            layout: .tenant,
            at: editor.environment.now()
        )
        let place = place(context.scope, newID(displayName: body["displayName"]?.string))
        let stored = try await editor.edit(place, context: context) { stored in
            guard stored == nil else { throw APIError(.aborted, "The tenant's id is taken; try again.") }
            return .put(document)
        }
        return presented(stored ?? [:], place, context, body: body)
    }

    /// Reads one tenant; development creates it on first use.
    package func get(_ context: CallContext) async throws -> JSONValue {
        let place = try await place(context)
        guard let stored = try await editor.stored(place) else { throw APIError(.tenantNotFound) }
        return presented(stored, place, context)
    }

    /// Lists a page of tenants, in the order of their ids.
    ///
    /// - Parameters:
    ///   - pageSize: The number of tenants; 0 for 20, at most 1000; in development a negative number returns all.
    ///   - pageToken: The last id of the previous page.
    /// - Returns: The page, and the token of the next one if the page is full.
    package func list(pageSize: Int64, pageToken: String, context: CallContext) async throws -> JSONValue {
        try await gate.pass(context.scope.project)
        guard pageSize >= 0 || mode.listsEverythingAtOnce else { throw InvalidArgument("pageSize must not be negative") }
        guard pageToken.isEmpty || ConfigurationStore.isTenantID(pageToken) else { throw APIError(.invalidPageSelection) }
        let wanted = pageSize == 0 ? Self.defaultPageSize : Int(min(pageSize, Int64(Self.maximumPageSize)))
        let limit = pageSize < 0 ? nil : wanted
        let project = context.scope.project
        let tenants = try await editor.database.read {
            try $0.resources(project, kind: .tenant, after: pageToken, limit: limit)
        }
        let shown = tenants.map { presented($0.document, place(project, $0.resourceID), context) }
        var answer: JSONValue = ["tenants": .array(shown)]
        if let last = tenants.last, tenants.count == limit { answer["nextPageToken"] = .string(last.resourceID) }
        return answer
    }

    /// Changes a tenant.
    ///
    /// - Parameter mask: Without a mask, all members that may be set change.
    package func update(
        _ body: JSONValue,
        mask: FieldMask?,
        expecting expected: ExpectedResource? = nil,
        context: CallContext
    ) async throws -> JSONValue {
        let place = try await place(context)
        let body = try Shape.tenant.read(body)
        try rules.check(body: body.withoutNulls)
        let update = ResourceUpdate(
            body: body,
            mask: mask,
            absentClears: mode.updatesAreStrict,
            refusesUnknownPaths: mode.updatesAreStrict
        )
        let (rules, editor, mode) = (rules, editor, mode)
        let time = editor.environment.now()
        let stored = try await editor.edit(place, context: context) { stored in
            guard let stored else { throw APIError(.tenantNotFound) }
            try expected?.check(presented(stored, place, context))
            let next = try update.applied(to: stored, shape: .tenant)
            if next == stored { return .keep }
            if next["displayName"] != stored["displayName"] { try checkDisplayName(next["displayName"], isNeeded: false) }
            let document = try rules.completed(next, stored: stored, body: body, layout: .tenant, at: time)
            if mode.checksTestNumbers {
                let added = rules.addedTestPhoneNumbers(document, stored: stored, layout: .tenant)
                try await editor.checkFictional(added, in: Scope(projectID: place.scope.projectID, tenantID: place.resourceID))
            }
            return .put(document)
        }
        return presented(stored ?? [:], place, context, body: body)
    }

    /// Removes a tenant with its accounts, sessions, configurations and everything else in it. One with many accounts is switched off and
    /// emptied in parts before, so that no transaction grows with it; if that is interrupted, it is removed by another call.
    ///
    /// - Parameter part: What happens in the transaction that removes it; for a tenant with many accounts, before it is switched
    ///   off.
    package func delete(also part: TransactionPart? = nil, _ context: CallContext) async throws {
        let place = try await place(context)
        let isLarge = try await isLarge(Scope(projectID: place.scope.projectID, tenantID: place.resourceID))
        if isLarge { try await empty(place, also: part, context) }
        try await editor.edit(place, context: context, also: isLarge ? nil : part) { stored in
            guard stored != nil else { throw APIError(.tenantNotFound) }
            return .remove
        }
    }

    private func isLarge(_ scope: Scope) async throws -> Bool {
        try await editor.database.read { try $0.accountCensus(scope, limit: Self.accountsAtOnce).isPartial }
    }

    private func empty(_ place: ResourceEditor.Place, also part: TransactionPart?, _ context: CallContext) async throws {
        if let part { try await editor.database.write { try part($0) } }
        try await editor.edit(place, context: context) { stored in
            guard let stored else { throw APIError(.tenantNotFound) }
            return .put(stored.merging(["disableAuth": true]))
        }
        let scope = Scope(projectID: place.scope.projectID, tenantID: place.resourceID)
        try await Deadline.ofEachTransaction {
            while try await editor.database.write({ try $0.deleteFirstAccounts(of: scope, limit: Self.accountsAtOnce) }) > 0 {
                try Task.checkCancellation()
            }
        }
    }

    private static let accountsAtOnce = 500

    private func place(_ context: CallContext) async throws -> ResourceEditor.Place {
        try await gate.pass(context.scope)
        return place(context.scope, context.scope.tenantKey)
    }

    private func place(_ scope: Scope, _ tenantID: String) -> ResourceEditor.Place {
        .init(
            scope: scope.project,
            kind: .tenant,
            resourceID: tenantID,
            name: "projects/\(scope.projectID)/tenants/\(tenantID)"
        )
    }

    // The emulator's tenant ids are random; Firebase's begin with the display name.
    private func newID(displayName: String?) -> String {
        guard mode.tenantsHaveNames, let displayName else { return editor.environment.newLocalID() }
        return "\(displayName)-\(editor.environment.randomText(length: 5).lowercased())"
    }

    // The emulator accepts any name, or no name.
    private func checkDisplayName(_ name: JSONValue?, isNeeded: Bool) throws {
        guard mode.tenantsHaveNames else { return }
        guard let text = name?.string, !text.isEmpty else {
            if isNeeded { throw APIError(.missingDisplayName) }
            return
        }
        guard text.wholeMatch(of: /[A-Za-z][A-Za-z0-9-]{3,19}/) != nil else { throw APIError(.invalidDisplayName) }
    }

    private func presented(
        _ document: JSONValue,
        _ place: ResourceEditor.Place,
        _ context: CallContext,
        body: JSONValue? = nil
    ) -> JSONValue {
        let shown = Shape.tenant.presented(document, showsFalse: mode.showsConfigurationAsEmulator)
            .withoutKeys(for: context)
        var answer = SecondFactorPresentation.completed(Self.defaults.merging(shown), at: "mfaConfig")
        answer["name"] = .string(place.name)
        if mode.showsConfigurationAsEmulator { answer["tenantId"] = .string(place.resourceID) }
        let defender = ["recaptchaConfig", "useAccountDefender"]
        if body?.value(at: defender) == false, document.value(at: defender) == false {
            answer = answer.setting(false, at: defender)
        }
        return Shape.tenant.arranged(answer)
    }
}
