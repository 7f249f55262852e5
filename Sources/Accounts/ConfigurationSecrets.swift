import Foundation
import Project
import Tokens

/// Seals the secrets inside a provider's configuration before it is stored (`design/architecture.md` §3, at rest).
struct ConfigurationSecrets {
    let sealer: TokenSealer
    let scope: Scope

    /// - Parameters:
    ///   - document: The resource as somebody wrote it.
    ///   - stored: The resource as it stands; a secret that did not change keeps its sealed form, so that nothing changes.
    /// - Returns: The resource with `{"sealed": …}` in place of each secret.
    /// - Throws: When encryption fails.
    func seal(_ document: JSONValue, keeping stored: JSONValue?) throws -> JSONValue {
        try IdPConfig.secretPaths.reduce(document) { document, path in
            try replace(in: document, path[...]) { secret in
                let old = path.reduce(stored) { $0?[$1] }
                if let old, open(old) == secret { return old }
                return ["sealed": .string(try sealer.seal(Data(secret.utf8), for: .configurationSecret, scope: scope))]
            }
        }
    }

    private func open(_ value: JSONValue) -> String? {
        guard let sealed = value["sealed"]?.string else { return nil }
        return (try? sealer.open(sealed, for: .configurationSecret, scope: scope)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func replace(
        in value: JSONValue,
        _ path: ArraySlice<String>,
        _ transform: (String) throws -> JSONValue
    ) throws -> JSONValue {
        guard let name = path.first else { return try value.string.map(transform) ?? value }
        guard var members = value.object, let member = members[name] else { return value }
        members[name] = try replace(in: member, path.dropFirst(), transform)
        return .object(members)
    }
}
