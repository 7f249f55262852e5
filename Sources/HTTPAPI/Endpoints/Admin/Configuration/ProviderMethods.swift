import Federation
import HTTPTypes
import Project
import Tenancy

// Identity providers (`Docs/Contract/admin-config.md` §11).
extension AdminMethod {
    /// The configured providers of one kind, of the project or of a tenant.
    static func of(
        _ collection: ProviderCollection,
        at level: AdminLevel,
        _ providers: ProviderAdministration
    ) -> [AdminMethod] {
        let path = "\(level.path)/\(collection.rawValue)"
        let resource = Schema(.provider(collection))
        return [
            // The id stands in the query.
            AdminMethod(
                name: "CreateProviderConfig",
                summary: "Configures an identity provider.",
                route: .admin(.post, .changeConfiguration, path),
                query: [collection.idParameter: .string],
                request: resource,
                answer: resource
            ) { call in
                let id = try call.query.string(collection.idParameter) ?? ""
                return try await providers.create(collection, id: id, body: call.body, context: call.context)
            },
            AdminMethod(
                name: "GetProviderConfig",
                summary: "Reads the configuration of an identity provider.",
                route: .admin(.get, .readConfiguration, "\(path)/{id}"),
                answer: resource
            ) { try await providers.get(collection, id: $0.id, context: $0.context) },
            AdminMethod(
                name: "ListProviderConfigs",
                summary: "Lists the configured identity providers.",
                route: .admin(.get, .readConfiguration, path),
                query: PageQuery.parameters,
                answer: PageQuery.answer(collection.rawValue, of: resource)
            ) {
                let page = try PageQuery($0.query)
                return try await providers.list(collection, pageSize: page.size, pageToken: page.token, context: $0.context)
            },
            AdminMethod(
                name: "UpdateProviderConfig",
                summary: "Changes the configuration of an identity provider.",
                route: .admin(.patch, .changeConfiguration, "\(path)/{id}"),
                request: resource,
                answer: resource,
                takesMask: true
            ) { try await providers.update(collection, id: $0.id, body: $0.body, mask: $0.mask, context: $0.context) },
            AdminMethod(
                name: "DeleteProviderConfig",
                summary: "Removes the configuration of an identity provider.",
                route: .admin(.delete, .changeConfiguration, "\(path)/{id}")
            ) {
                try await providers.delete(collection, id: $0.id, context: $0.context)
                return [:]
            },
        ]
    }

    /// The providers that Postern knows by itself (`Docs/Contract/admin-config.md` §11.4). One page holds all of them.
    static var listDefaultSupportedIdps: AdminMethod {
        AdminMethod(
            name: "ListDefaultSupportedIdps",
            summary: "Lists the identity providers that Postern knows by itself.",
            route: Route(method: .get, access: .adminOnly(.readConfiguration), path: "v2/defaultSupportedIdps"),
            answer: PageQuery.answer("defaultSupportedIdps", of: Schema(answer: DefaultIdp.self))
        ) { _ in
            let all = Providers.builtIn.map { provider -> JSONValue in
                ["idpId": .string(provider.id), "description": .string(provider.label)]
            }
            return ["defaultSupportedIdps": .array(all)]
        }
    }

    private struct DefaultIdp: Decodable {
        let idpId: String
        let description: String
    }

    private static let maximumMetadataBytes = 512 * 1024

    /// An addition of Postern: takes entity id, address and certificates from a provider's metadata (`Docs/Providers/SAML.md`).
    static func importSAMLMetadata(at level: AdminLevel, _ providers: ProviderAdministration) -> AdminMethod {
        AdminMethod(
            name: "ImportSAMLMetadata",
            summary: "Configures a SAML provider by its metadata.",
            route: .admin(.post, .changeConfiguration, "\(level.path)/inboundSamlConfigs/{id}/metadata"),
            request: Schema([
                "type": "object", "properties": ["metadataUrl": ["type": "string"], "metadata": ["type": "string"]],
            ]),
            answer: Schema(.provider(.inboundSamlConfigs))
        ) { call in
            let source: MetadataSource
            switch (call.body["metadataUrl"]?.string, call.body["metadata"]?.string) {
            case (let url?, nil): source = .url(url)
            case (nil, let xml?) where xml.utf8.count <= Self.maximumMetadataBytes: source = .xml(Array(xml.utf8))
            default:
                throw InvalidArgument("either metadataUrl or metadata is needed, of at most \(Self.maximumMetadataBytes) bytes")
            }
            return try await providers.importMetadata(id: call.id, from: source, context: call.context)
        }
    }
}
