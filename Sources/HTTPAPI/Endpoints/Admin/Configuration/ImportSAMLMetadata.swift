import HTTPTypes
import Project
import Tenancy

/// `POST v2/projects/{project}[/tenants/{tenant}]/inboundSamlConfigs/{id}/metadata`, an addition of Postern: takes entity id, address
/// and certificates from a provider's metadata (`Docs/Providers/SAML.md`).
struct ImportSAMLMetadata: AdminEndpoint {
    static let summary = "Configures a SAML provider by its metadata."
    let level: AdminLevel
    let providers: ProviderAdministration

    private static let maximumBytes = 512 * 1024

    var route: Route { .admin(.post, .changeConfiguration, "\(level.path)/inboundSamlConfigs/{id}/metadata") }
    var content: AdminContent { AdminContent(request: Schema(.samlMetadata), answer: .provider(.inboundSamlConfigs)) }

    func handle(_ call: AdminCall) async throws -> JSONValue {
        let source: MetadataSource
        switch (call.body["metadataUrl"]?.string, call.body["metadata"]?.string) {
        case (let url?, nil): source = .url(url)
        case (nil, let xml?) where xml.utf8.count <= Self.maximumBytes: source = .xml(Array(xml.utf8))
        default: throw InvalidArgument("either metadataUrl or metadata is needed, of at most \(Self.maximumBytes) bytes")
        }
        return try await providers.importMetadata(id: call.id, from: source, context: call.context)
    }
}
