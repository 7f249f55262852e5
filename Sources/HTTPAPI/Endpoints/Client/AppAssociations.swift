import Federation
import HTTPTypes
import Hummingbird
import Project
import Settings
import Tenancy

/// What Apple's and Google's systems read before an app opens links of this host by itself (`Docs/Contract/web-handler.md` §1). The
/// documents claim the page for links in e-mails and nothing else, so that every other page stays in the browser.
struct AppAssociations: Sendable {
    let configurations: ConfigurationStore
    /// `project.id`
    let project: Scope
    /// `appLinks.*`
    let apps: AppLinkSettings

    private static let headers: HTTPFields = [.cacheControl: "public, max-age=3600"]
    private static let claimed: JSONValue = ["/": .string(LinkForwarding.path)]
    private static let relation = "delegate_permission/common.handle_all_urls"

    /// Adds the routes. Without an app there is no document, as on hosts without apps.
    func add(to table: inout RouteTable) {
        let apple = Operation(
            name: "AppleAppSiteAssociation",
            summary: "The apps of Apple's platforms that open links in e-mails.",
            answers: [200: .json(Schema(["type": "object"]))]
        )
        table.add(.get, "/.well-known/apple-app-site-association", apple) { _, _ in
            let ids = try await appleIDs()
            guard !ids.isEmpty else { throw TransportError.notFound }
            let details: JSONValue = ["appIDs": .array(ids.map(JSONValue.string)), "components": [Self.claimed]]
            return try JSONAnswer.response(["applinks": ["details": [details]]] as JSONValue, headers: Self.headers)
        }
        let android = Operation(
            name: "AssetLinks",
            summary: "The apps on Android that open links in e-mails.",
            answers: [200: .json(Schema(["type": "array"]))]
        )
        table.add(.get, "/.well-known/assetlinks.json", android) { _, _ in
            guard !apps.androidApps.isEmpty else { throw TransportError.notFound }
            return try JSONAnswer.response(statements, headers: Self.headers)
        }
    }

    private func appleIDs() async throws -> [String] {
        guard let team = apps.appleTeamID else { return [] }
        if let own = apps.appleBundleIDs { return own.map { "\(team).\($0)" } }
        let provider = try await configurations.configuration(of: project).identityProviders[AppleProvider.providerID]
        return (provider?.bundleIDs ?? []).map { "\(team).\($0)" }
    }

    private var statements: JSONValue {
        var names: [String] = []
        for app in apps.androidApps where !names.contains(app.name) { names.append(app.name) }
        return .array(
            names.map { name in
                let fingerprints = apps.androidApps.filter { $0.name == name }.map { JSONValue.string($0.fingerprint) }
                let target: JSONValue = [
                    "namespace": "android_app", "package_name": .string(name),
                    "sha256_cert_fingerprints": .array(fingerprints),
                ]
                // Android has read the paths here since version 15; before, the app's manifest alone names them.
                let extensions: JSONValue = ["dynamic_app_link_components": [Self.claimed]]
                return [
                    "relation": [.string(Self.relation)], "target": target,
                    "relation_extensions": .object([MemberName(Self.relation): extensions]),
                ]
            }
        )
    }
}
