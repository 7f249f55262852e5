package import Project
import Storage
import Tokens

/// Compares what runs with the project file, and writes what runs as such a file.
package struct ProjectComparison: Sendable {
    let editor: ResourceEditor

    /// A member that the file and the store do not have alike.
    package struct Difference: Sendable, Hashable {
        /// The resource, as the file names it.
        package let place: String
        package let path: [String]
        /// The file's value; `nil` where the file says nothing.
        package let declared: JSONValue?
        package let running: JSONValue?
        /// Whether the values are not shown.
        package let isSecret: Bool
    }

    private static let mostTenants = 1000

    /// Finds the differences: first what the next start would change, then what the file says nothing of.
    package func differences(
        from declaration: ProjectDeclaration,
        context: CallContext
    ) async throws -> (changes: [Difference], additions: [Difference]) {
        let (declared, sealer) = (declaration.resources(of: context.scope.projectID), editor.sealer)
        let stored = try await stored(context.scope.projectID)
        var (changes, additions): ([Difference], [Difference]) = ([], [])
        for resource in Set(stored.keys).union(declared.keys) {
            let (patch, document) = (declared[resource], stored[resource])
            let seals = ConfigurationSecrets(sealer: sealer, scope: resource.scope)
            let sealed = try patch.map { try seals.seal($0, keeping: document) }
            let next: JSONValue? = sealed.map { patch in (document ?? [:] as JSONValue).merging(patch) }
            if let next {
                changes += ChangedMember.changes(from: document ?? [:], to: next, at: []).map { member in
                    Difference(resource.place, member, declared: member.after, running: member.before)
                }
            }
            additions += ChangedMember.changes(from: sealed ?? [:], to: document ?? [:], at: [])
                .filter { member in sealed?.value(at: member.path) == nil && !Self.own.contains(member.path.last ?? "") }
                .map { Difference(resource.place, $0, declared: nil, running: $0.after) }
        }
        func sorted(_ differences: [Difference]) -> [Difference] {
            differences.sorted { ($0.place, $0.path.joined(separator: ".")) < ($1.place, $1.path.joined(separator: ".")) }
        }
        return (sorted(changes), sorted(additions))
    }

    // What the server writes by itself, and a file has no place for.
    private static let own: Set<String> = [
        "createdAt", "updateTime", "lastUpdateTime", "schemaVersion", "keyId", "email", "held", "heldKey", "heldPublicKey",
        "publicKey",
    ]

    /// What runs, as a project file. In place of secrets it names environment variables.
    package func export(_ context: CallContext) async throws -> JSONValue {
        var file: JSONValue = [:]
        for (resource, document) in try await stored(context.scope.projectID).sorted(by: { $0.key.place < $1.key.place }) {
            var shown = resource.kind.shape.presented(document, showsFalse: true)
            for path in ConfigurationSecrets.paths where document.value(at: path)?["sealed"] != nil {
                shown = shown.setting(["env": .string(resource.variable(path))], at: path)
            }
            file = file.setting(shown, at: resource.path)
        }
        return file
    }

    private func stored(_ projectID: String) async throws -> [DeclaredResource: JSONValue] {
        try await editor.database.read { transaction in
            let project = Scope(projectID: projectID)
            let tenants = try transaction.resources(project, kind: .tenant, limit: Self.mostTenants)
            let scopes = [project] + tenants.map { Scope(projectID: projectID, tenantID: $0.resourceID) }
            var found: [DeclaredResource: JSONValue] = [:]
            for scope in scopes {
                for record in try transaction.resources(scope) where record.kind != .iamPolicy {
                    found[DeclaredResource(scope: scope, kind: record.kind, id: record.resourceID)] = record.document
                }
            }
            return found
        }
    }
}

extension ProjectComparison.Difference {
    fileprivate init(_ place: String, _ member: ChangedMember, declared: JSONValue?, running: JSONValue?) {
        self.init(place: place, path: member.path, declared: declared, running: running, isSecret: member.isHidden)
    }
}

/// A resource that a project file can have.
struct DeclaredResource: Sendable, Hashable {
    let scope: Scope
    let kind: ResourceKind
    let id: String

    /// Where the file has it.
    var path: [String] {
        let tenant = scope.tenantID.map { ["tenants", $0] } ?? []
        switch kind {
        case .config: return ["config"]
        case .tenant: return ["tenants", id]
        case .serviceAccount: return ["serviceAccounts", id]
        case .defaultSupportedIdpConfig: return tenant + ["defaultSupportedIdpConfigs", id]
        case .oauthIdpConfig: return tenant + ["oauthIdpConfigs", id]
        case .inboundSamlConfig: return tenant + ["inboundSamlConfigs", id]
        case .iamPolicy: return tenant + ["iamPolicy"]
        }
    }

    /// The path as a text.
    var place: String { path.joined(separator: ".") }

    /// The environment variable in which an exported file expects a secret.
    func variable(_ secret: [String]) -> String {
        let names = (path + secret.suffix(1)).joined(separator: "_")
        let words = names.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: UInt8(ascii: "_")
            }
        }
        return "PROJECT_" + String(decoding: words, as: UTF8.self)
    }
}
