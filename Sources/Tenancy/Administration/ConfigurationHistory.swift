package import Project
package import Storage

/// The latest changes of the configuration, and the way back.
package struct ConfigurationHistory: Sendable {
    let editor: ResourceEditor
    let project: ProjectConfigAdministration
    let tenants: TenantAdministration
    let providers: ProviderAdministration

    /// How many changes of a project or tenant are kept.
    package static let most = 200

    /// Why a change is not taken back.
    package enum RevertError: Error, Sendable, Hashable {
        case unknown
        /// Accounts and keys that are gone do not come back.
        case irreversible
        /// Its values are not kept: they are secret or too long.
        case valuesNotKept
    }

    /// The changes, the latest first.
    package func changes(_ context: CallContext) async throws -> [ConfigChangeRecord] {
        let scope = context.scope
        return try await editor.database.read { try $0.configChanges(scope, limit: Self.most) }
    }

    /// One change.
    ///
    /// - Throws: ``RevertError/unknown`` when no such change is kept.
    package func change(_ eventID: String, context: CallContext) async throws -> ConfigChangeRecord {
        let scope = context.scope
        guard let change = try await editor.database.read({ try $0.configChange(scope, eventID: eventID) }) else {
            throw RevertError.unknown
        }
        return change
    }

    /// The values that the members of a change have now, as answers of the API show them.
    package func present(_ change: ConfigChangeRecord, context: CallContext) async throws -> JSONValue? {
        do {
            return switch change.kind {
            case .config: try await project.get(context)
            case .tenant: try await tenants.get(context)
            case .defaultSupportedIdpConfig, .oauthIdpConfig, .inboundSamlConfig:
                try await providers.get(try Self.collection(change.kind), id: change.resourceID, context: context)
            case .serviceAccount, .iamPolicy: nil
            }
        } catch let error as APIError where [.configurationNotFound, .tenantNotFound].contains(error.code) {
            // Its history outlives a tenant.
            return nil
        }
    }

    /// Whether a change can be taken back.
    package static func isReversible(_ change: ConfigChangeRecord) -> Bool {
        switch change.kind {
        case .serviceAccount, .iamPolicy: return false
        case .tenant where change.action != .updated: return false
        case .config, .tenant, .defaultSupportedIdpConfig, .oauthIdpConfig, .inboundSamlConfig: break
        }
        return change.action == .created && change.kind != .config
            || ChangedMember.all(of: change).contains { !$0.isHidden && !$0.path.isEmpty }
    }

    /// Takes a change back: its members get the values from before, by the rules of every other change, and later changes of other members
    /// stay. Secrets stay as they are now.
    package func takeBack(_ eventID: String, expecting expected: ExpectedResource, context: CallContext) async throws {
        guard context.adminScopes.contains(.config) else { throw APIError(.insufficientPermission) }
        let change = try await change(eventID, context: context)
        guard Self.isReversible(change) else {
            let isFinal = [.serviceAccount, .iamPolicy].contains(change.kind) || change.action != .updated
            throw isFinal ? RevertError.irreversible : .valuesNotKept
        }
        let members = ChangedMember.all(of: change).filter { !$0.isHidden && !$0.path.isEmpty }
        // What is expected was shown without secrets.
        var plain = context
        plain.hidesSecrets = true
        let (body, mask) = Self.body(members, change.kind)
        switch change.kind {
        case .config:
            _ = try await project.update(body, mask: mask, expecting: expected, context: plain)
        case .tenant:
            _ = try await tenants.update(body, mask: mask, expecting: expected, context: plain)
        case .defaultSupportedIdpConfig, .oauthIdpConfig, .inboundSamlConfig:
            try await takeBack(change, to: body, mask, expected, context)
        case .serviceAccount, .iamPolicy: throw RevertError.irreversible
        }
    }

    private func takeBack(
        _ change: ConfigChangeRecord,
        to body: JSONValue,
        _ mask: FieldMask,
        _ expected: ExpectedResource,
        _ context: CallContext
    ) async throws {
        let (collection, id) = (try Self.collection(change.kind), change.resourceID)
        switch change.action {
        case .created:
            try expected.check(try await present(change, context: context))
            try await providers.delete(collection, id: id, context: context)
        case .updated:
            _ = try await providers.update(
                collection,
                id: id,
                body: body,
                mask: mask,
                expecting: expected,
                context: context
            )
        case .deleted:
            try expected.check(nil)
            _ = try await providers.create(collection, id: id, body: body.withoutNulls, context: context)
        }
    }

    // What only the server writes is left out.
    private static func body(_ members: [ChangedMember], _ kind: ResourceKind) -> (JSONValue, FieldMask) {
        var (body, paths): (JSONValue, [[String]]) = ([:], [])
        for member in members {
            guard case .member(let path) = kind.shape.target(of: member.path) else { continue }
            body = body.setting(member.before ?? .null, at: path)
            paths.append(path)
        }
        return (body, FieldMask(paths: paths))
    }

    private static func collection(_ kind: ResourceKind) throws -> ProviderCollection {
        guard let collection = ProviderCollection(kind: kind) else { throw RevertError.irreversible }
        return collection
    }
}
