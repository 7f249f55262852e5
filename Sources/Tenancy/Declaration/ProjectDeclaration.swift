import Federation
package import Logging
package import Project
package import Storage
package import Tokens

/// Applies the declarative project file to the store at start (`Docs/Configuration.md`, `Docs/Contract/rulings.md` 20). Fields in
/// the file are set, other fields stay, and applying the file twice changes nothing.
package struct ProjectDeclaration: Sendable {
    private let document: JSONValue

    /// The actor of the file's changes in the history.
    package static let actor = "project.file"

    /// The file has errors; nothing of it was applied.
    package struct Invalid: Error, CustomStringConvertible {
        /// One line for each error.
        package let problems: [String]
        package var description: String { problems.joined(separator: "\n") }
    }

    /// Checks a file.
    package init(_ document: JSONValue) throws(Invalid) {
        let problems = ProjectDeclarationRules.problems(of: document)
        guard problems.isEmpty else { throw Invalid(problems: problems) }
        self.document = document
    }

    /// What users of the project would stumble over, as far as a file tells: values that no sign-in can use.
    ///
    /// - Parameter mode: Development checks no values.
    /// - Returns: One line for each value, without the value.
    package static func unusableValues(of document: JSONValue, network: NetworkGuard, mode: ModeRules) -> [String] {
        let network = mode.configuresPrivateAddresses ? NetworkGuard(allowPrivateNetworks: true) : network
        return DeclaredValueRules(network: network, mode: mode).problems(of: document)
    }

    /// The unusable values of this file, as ``unusableValues(of:network:mode:)`` lists them.
    package func unusableValues(network: NetworkGuard, mode: ModeRules) -> [String] {
        Self.unusableValues(of: document, network: network, mode: mode)
    }

    /// The enabled providers that lack something in the file, one line for each. The store may have it.
    package var gaps: [String] {
        let project = Scope(projectID: "")
        let places = [("", document)] + (document["tenants"]?.object ?? [:]).map { ("tenants.\($0.key).", $0.value) }
        return places.flatMap { place, resource in
            Self.providers(in: resource, scope: project).compactMap { change in
                let missing = change.missing
                return missing.isEmpty ? nil : "\(place)\(change.resourceID) lacks: \(missing.joined(separator: ", "))"
            }
        }
        .sorted()
    }

    /// Applies the file.
    @discardableResult
    package func apply(
        to projectID: String,
        database: any Database,
        sealer: TokenSealer,
        at time: Timestamp,
        logger: Logger
    ) async throws -> Int {
        let changes = changes(of: projectID, at: time)
        for change in changes { change.warn(logger) }
        return try await database.write { transaction in
            try changes.count { try $0.apply(in: transaction, sealer: sealer, at: time) }
        }
    }

    /// What the file says of each resource.
    func resources(of projectID: String) -> [DeclaredResource: JSONValue] {
        let changes = changes(of: projectID, at: Timestamp(seconds: 0))
        return Dictionary(
            changes.map { (DeclaredResource(scope: $0.scope, kind: $0.kind, id: $0.resourceID), $0.patch) },
            uniquingKeysWith: { $1 }
        )
    }

    private func changes(of projectID: String, at time: Timestamp) -> [ResourceChange] {
        let project = Scope(projectID: projectID)
        var changes = [ResourceChange(scope: project, kind: .config, resourceID: "", patch: document["config"] ?? .object([:]))]
        changes += Self.providers(in: document, scope: project)
        for (tenantID, tenant) in document["tenants"]?.object ?? [:] {
            let collections = ProviderCollection.allCases.map(\.rawValue)
            let own = tenant.object?.filter { !collections.contains($0.key.text) } ?? [:]
            changes.append(ResourceChange(scope: project, kind: .tenant, resourceID: tenantID.text, patch: .object(own)))
            changes += Self.providers(in: tenant, scope: Scope(projectID: projectID, tenantID: tenantID.text))
        }
        changes += Self.serviceAccounts(in: document, scope: project, at: time)
        return changes
    }

    private static func providers(in document: JSONValue, scope: Scope) -> [ResourceChange] {
        ProviderCollection.allCases.flatMap { collection in
            (document[collection.rawValue]?.object ?? [:]).map {
                ResourceChange(scope: scope, kind: collection.kind, resourceID: $0.key.text, patch: $0.value)
            }
        }
    }

    // The form in which `postern service-account create` stores them.
    private static func serviceAccounts(in document: JSONValue, scope: Scope, at time: Timestamp) -> [ResourceChange] {
        (document["serviceAccounts"]?.object ?? [:]).map { email, account in
            let keyID = account["publicKey"]?.string.flatMap(ServiceAccountPublicKey.init)?.keyID
            let own: JSONValue = ["email": .string(email.text), "keyId": .string(keyID ?? "")]
            return ResourceChange(
                scope: scope,
                kind: .serviceAccount,
                resourceID: email.text,
                patch: account.merging(own),
                defaults: ["createdAt": .string(time.rfc3339)]
            )
        }
    }

    private struct ResourceChange {
        let scope: Scope
        let kind: ResourceKind
        let resourceID: String
        let patch: JSONValue
        /// The members of a new resource besides the patch.
        var defaults: JSONValue = [:]

        /// The scope in which operators look for it: a tenant's own.
        var place: Scope { kind == .tenant ? Scope(projectID: scope.projectID, tenantID: resourceID) : scope }

        /// Returns whether the stored resource changed.
        func apply(in transaction: Transaction, sealer: TokenSealer, at time: Timestamp) throws -> Bool {
            let stored = try transaction.resource(scope, kind: kind, resourceID: resourceID)
            let seals = ConfigurationSecrets(sealer: sealer, scope: scope)
            let merged = (stored ?? defaults).merging(try seals.seal(patch, keeping: stored))
            guard merged != stored else { return false }
            let record = ResourceRecord(kind: kind, resourceID: resourceID, document: merged)
            try transaction.putResource(scope, record, at: time)
            let change = ConfigChangeRecord(
                eventID: Base64URL.encode((0..<15).map { _ in UInt8.random(in: .min ... .max) }),
                changedAt: time,
                kind: kind,
                resourceID: resourceID,
                action: stored == nil ? .created : .updated,
                actor: ProjectDeclaration.actor,
                members: ChangedMember.record(from: stored, to: merged)
            )
            try transaction.insertConfigChange(place, change, keeping: ConfigurationHistory.most)
            return true
        }

        /// What an enabled provider lacks in the file; empty for other resources.
        var missing: [String] {
            guard ProviderCollection(kind: kind) != nil else { return [] }
            let config = IdPConfig(providerID: resourceID, document: patch)
            guard config.isEnabled else { return [] }
            if kind == .inboundSamlConfig { return config.saml == nil ? ["parts of idpConfig or spConfig"] : [] }
            let facts = Providers.facts(of: resourceID)
            let hasClient = !config.audiences.isEmpty || facts?.clientID == .never
            var missing = hasClient ? [] : ["client id"]
            let needsSecret = facts?.needsSecret == true || patch["responseType"]?["code"] == true
            if needsSecret, config.clientSecret == nil { missing.append("client secret") }
            if kind == .oauthIdpConfig, config.issuer == nil { missing.append("issuer") }
            return missing
        }

        func warn(_ logger: Logger) {
            let missing = missing
            guard !missing.isEmpty else { return }
            logger.warning(
                "an enabled identity provider lacks settings and refuses every sign-in",
                metadata: ["provider": "\(resourceID)", "missing": "\(missing.joined(separator: ", "))"]
            )
        }
    }
}
