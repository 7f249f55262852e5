import Foundation
import Logging
package import Project
import Storage
import Tokens

/// Creates, reads, lists, changes and removes identity provider configurations of a project or tenant
/// (`Docs/Contract/admin-config.md` §11).
package struct ProviderAdministration: Sendable {
    let editor: ResourceEditor
    let rules: ProviderRules
    let gate: TenantGate
    let probe: IssuerProbe
    let saml: SAMLAdministration
    let mode: ModeRules
    let logger: Logger

    private static let defaultPageSize = 20
    private static let maximumPageSize = 100

    package func create(
        _ collection: ProviderCollection,
        id: String,
        body: JSONValue,
        context: CallContext
    ) async throws -> JSONValue {
        try await gate.passIfTenant(context.scope)
        guard !id.isEmpty else { throw APIError(.missingConfigID) }
        guard collection.isID(id) else {
            throw APIError(collection == .defaultSupportedIdpConfigs ? .invalidProviderID : .invalidConfigID)
        }
        let body = try collection.kind.shape.read(body)
        guard body.withoutNulls.object?.isEmpty == false else { throw APIError(.missingConfig) }
        let created: JSONValue = ["createdAt": .string(editor.environment.now().rfc3339)]
        let place = place(collection, id, context.scope)
        let stored = try await editor.edit(place, context: context) { stored in
            guard stored == nil else { throw APIError(.configurationExists) }
            let next = body.withoutNulls.merging(created)
            return .put(try await checked(next, stored: nil, body: body, collection, id))
        }
        return try await presented(stored ?? [:], collection, place, context)
    }

    /// Reads one configuration.
    ///
    /// - Throws: `APIError` `CONFIGURATION_NOT_FOUND`, `TENANT_NOT_FOUND`.
    package func get(_ collection: ProviderCollection, id: String, context: CallContext) async throws -> JSONValue {
        let place = try await existing(collection, id, context)
        guard let stored = try await editor.stored(place) else { throw APIError(.configurationNotFound) }
        return try await presented(stored, collection, place, context)
    }

    /// Changes a configuration.
    ///
    /// - Parameters:
    ///   - mask: The members to change. Without a mask nothing changes, except for built-in providers, where all members do
    ///     (§2.1).
    ///   - context: When the issuer or client id changes, only a full administrator keeps the stored client secret.
    package func update(
        _ collection: ProviderCollection,
        id: String,
        body: JSONValue,
        mask: FieldMask?,
        expecting expected: ExpectedResource? = nil,
        context: CallContext
    ) async throws -> JSONValue {
        let place = try await existing(collection, id, context)
        let body = try collection.kind.shape.read(body)
        let changesNothing = mask == nil && collection != .defaultSupportedIdpConfigs
        let update = ResourceUpdate(body: body, mask: mask, absentClears: true, refusesUnknownPaths: true)
        let stored = try await editor.edit(place, context: context) { stored in
            guard let stored else { throw APIError(.configurationNotFound) }
            try await expected?.check(presented(stored, collection, place, context))
            if changesNothing { return .keep }
            var next = try update.applied(to: stored, shape: collection.kind.shape)
            if !context.maySeeSecrets { next = Self.withoutMovedSecret(next, stored: stored) }
            return next == stored ? .keep : .put(try await checked(next, stored: stored, body: body, collection, id))
        }
        return try await presented(stored ?? [:], collection, place, context)
    }

    // An administrator who may not read the secret must not have it sent to another issuer or used for another client.
    private static func withoutMovedSecret(_ next: JSONValue, stored: JSONValue) -> JSONValue {
        guard next["clientSecret"] == stored["clientSecret"], ["issuer", "clientId"].contains(where: { next[$0] != stored[$0] })
        else { return next }
        return next.setting(nil, at: ["clientSecret"])
    }

    /// Removes a configuration. Accounts keep their links, but the provider can no longer sign in.
    package func delete(_ collection: ProviderCollection, id: String, context: CallContext) async throws {
        try await editor.edit(try await existing(collection, id, context), context: context) { stored in
            guard stored != nil else { throw APIError(.configurationNotFound) }
            return .remove
        }
    }

    /// Lists a page of configurations, the oldest first.
    ///
    /// - Parameter pageSize: The number of configurations; 0 for 20, at most 100.
    /// - Throws: `APIError` `INVALID_PAGE_SELECTION`, `TENANT_NOT_FOUND`.
    package func list(
        _ collection: ProviderCollection,
        pageSize: Int64,
        pageToken: String,
        context: CallContext
    ) async throws -> JSONValue {
        let scope = context.scope
        try await gate.passIfTenant(scope)
        guard pageSize >= 0 else { throw InvalidArgument("pageSize must not be negative") }
        let limit = pageSize == 0 ? Self.defaultPageSize : Int(min(pageSize, Int64(Self.maximumPageSize)))
        let begin = try pageToken.isEmpty ? nil : place(ofToken: pageToken, collection, scope)
        let all = try await editor.database.read { try $0.resources(scope, kind: collection.kind) }
        let behind = all.map { (key: Self.key($0), record: $0) }.sorted { $0.key < $1.key }
            .drop { key, _ in begin.map { key <= $0 } ?? false }
        let own = try await serviceCertificates(collection, behind.prefix(limit).map(\.record.document))
        let shown = behind.prefix(limit).map {
            presented($0.record.document, collection, place(collection, $0.record.resourceID, scope), context, own)
        }
        var answer: JSONValue = [collection.rawValue: .array(shown)]
        if behind.count > limit, let last = behind.prefix(limit).last {
            answer["nextPageToken"] = .string(try token(last.key, collection, scope))
        }
        return answer
    }

    // Configurations from the project file have no creation time and come first.
    private static func key(_ record: ResourceRecord) -> String {
        "\(record.document["createdAt"]?.string ?? "") \(record.resourceID)"
    }

    // The token is sealed, so that callers cannot invent one, and bound to its list (threat case TEN-06).
    private func token(_ key: String, _ collection: ProviderCollection, _ scope: Scope) throws -> String {
        try editor.sealer.seal(Data("\(collection.rawValue) \(key)".utf8), for: .pageToken, scope: scope)
    }

    private func place(ofToken token: String, _ collection: ProviderCollection, _ scope: Scope) throws -> String {
        let opened = try? editor.sealer.open(token, for: .pageToken, scope: scope)
        guard let text = opened.map({ String(decoding: $0, as: UTF8.self) }), text.hasPrefix("\(collection.rawValue) ") else {
            throw APIError(.invalidPageSelection)
        }
        return String(text.dropFirst(collection.rawValue.count + 1))
    }

    private func existing(
        _ collection: ProviderCollection,
        _ id: String,
        _ context: CallContext
    ) async throws -> ResourceEditor.Place {
        try await gate.passIfTenant(context.scope)
        guard collection.isID(id) else { throw APIError(.configurationNotFound) }
        return place(collection, id, context.scope)
    }

    private func place(_ collection: ProviderCollection, _ id: String, _ scope: Scope) -> ResourceEditor.Place {
        let tenant = scope.tenantID.map { "/tenants/\($0)" } ?? ""
        return .init(
            scope: scope,
            kind: collection.kind,
            resourceID: id,
            name: "projects/\(scope.projectID)\(tenant)/\(collection.rawValue)/\(id)"
        )
    }

    private func checked(
        _ next: JSONValue,
        stored: JSONValue?,
        body: JSONValue,
        _ collection: ProviderCollection,
        _ id: String
    ) async throws -> JSONValue {
        let next = try rules.completed(next, stored: stored, body: body, collection: collection, id: id)
        for warning in rules.warnings(of: next, at: editor.environment.now()) {
            logger.warning("a provider's configuration needs a look", metadata: ["provider": "\(id)", "warning": "\(warning)"])
        }
        if mode.checksProviderConfigurations, collection == .oauthIdpConfigs, IssuerProbe.isNeeded(next, stored: stored),
            let issuer = next["issuer"]?.string, rules.isIssuer(issuer)
        {
            try await probe.check(issuer)
        }
        return next
    }

    private func presented(
        _ document: JSONValue,
        _ collection: ProviderCollection,
        _ place: ResourceEditor.Place,
        _ context: CallContext
    ) async throws -> JSONValue {
        presented(document, collection, place, context, try await serviceCertificates(collection, [document]))
    }

    // Our keys are made when a provider is to have its requests signed.
    private func serviceCertificates(_ collection: ProviderCollection, _ documents: [JSONValue]) async throws -> [String] {
        guard collection == .inboundSamlConfigs else { return [] }
        let signs = documents.contains { $0.value(at: ["idpConfig", "signRequest"]) == true }
        return try await saml.keys.certificates(makesKeys: signs)
    }

    // Full administrators see the client secret. Apple's key is never shown (`Docs/Contract/rulings.md` 12).
    private func presented(
        _ document: JSONValue,
        _ collection: ProviderCollection,
        _ place: ResourceEditor.Place,
        _ context: CallContext,
        _ serviceCertificates: [String]
    ) -> JSONValue {
        let secrets = ConfigurationSecrets(sealer: editor.sealer, scope: place.scope)
        let opened =
            context.maySeeSecrets
            ? secrets.opened(document, path: ["clientSecret"]) : document.setting(nil, at: ["clientSecret"])
        let shown = collection.kind.shape.presented(opened, showsFalse: true)
        var answer = shown.filled(from: ["enabled": false]).setting(.string(place.name), at: ["name"])
        let now = editor.environment.now()
        let warnings = rules.warnings(of: document, at: now)
        if document["spConfig"] != nil, !serviceCertificates.isEmpty {
            let entries = serviceCertificates.map(SAMLAdministration.entry)
            answer = answer.setting(.array(entries), at: ["spConfig", "spCertificates"])
        }
        return collection.kind.shape.arranged(
            warnings.isEmpty ? answer : answer.setting(.array(warnings.map(JSONValue.string)), at: ["warnings"])
        )
    }
}
