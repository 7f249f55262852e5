import Federation
package import Project

/// Where the metadata of a SAML provider comes from.
package enum MetadataSource: Sendable {
    /// It is fetched from there.
    case url(String)
    case xml([UInt8])
}

extension ProviderAdministration {
    /// Takes entity id, address and certificates of a SAML provider from its metadata. A provider that is not configured yet is
    /// configured, switched off, with this server's usual names.
    ///
    /// - Throws: `APIError` by §11.1, and `INVALID_CONFIG` for metadata that cannot be fetched or used, or is of another provider
    ///   than the one that is switched on.
    package func importMetadata(id: String, from source: MetadataSource, context: CallContext) async throws -> JSONValue {
        let collection = ProviderCollection.inboundSamlConfigs
        guard collection.isID(id) else { throw APIError(.invalidConfigID) }
        try await gate.passIfTenant(context.scope)
        let provider =
            switch source {
            case .url(let url): try await metadata(at: url)
            case .xml(let xml): try await saml.metadata.idpConfig(in: xml)
            }
        do {
            let stored = try await get(collection, id: id, context: context)
            try Self.checkSame(provider, stored)
        } catch let error as APIError where error.code == .configurationNotFound {
            let body: JSONValue = ["enabled": false, "idpConfig": provider, "spConfig": usualNames(id, context.scope)]
            return try await create(collection, id: id, body: body, context: context)
        }
        let paths = (provider.object ?? [:]).keys.map { "idpConfig.\($0.text)" }
        return try await update(
            collection,
            id: id,
            body: ["idpConfig": provider],
            mask: try FieldMask(paths.joined(separator: ",")),
            context: context
        )
    }

    // The accounts of a provider's users stay with its id. Another provider must not speak for them by a wrong paste.
    private static func checkSame(_ provider: JSONValue, _ stored: JSONValue) throws {
        guard stored["enabled"] == true, let known = stored["idpConfig"]?["idpEntityId"]?.string, !known.isEmpty,
            !bytesEqual(known, provider["idpEntityId"]?.string)
        else { return }
        throw APIError(.invalidConfig, "The metadata is of another provider. Switch this one off before it is exchanged.")
    }

    private func metadata(at url: String) async throws -> JSONValue {
        guard WebAddress(configured: url, network: rules.network) != nil else {
            throw APIError(.invalidConfig, "The address of the metadata must be an absolute https URL.")
        }
        return try await saml.metadata.idpConfig(at: url)
    }

    // Entity ids are names. Ours is the address at which the metadata of this server for the provider is found.
    private func usualNames(_ id: String, _ scope: Scope) -> JSONValue {
        let callback = saml.callback()
        let base = String(callback.dropLast("/handler".utf8.count))
        let tenant = scope.tenantID.map { "?" + PercentEncoding.form([("tid", $0)]) } ?? ""
        return ["spEntityId": .string("\(base)/saml/\(id)/metadata\(tenant)"), "callbackUri": .string(callback)]
    }
}
