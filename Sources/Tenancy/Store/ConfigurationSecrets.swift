import Foundation
package import Project
package import Tokens

/// Seals the secrets inside a provider's configuration before it is stored (`Docs/Architecture.md#secrets-and-tokens`, at rest).
package struct ConfigurationSecrets: Sendable {
    private let sealer: TokenSealer
    private let scope: Scope

    /// The paths of a provider's secrets.
    package static let providerPaths = Shape.defaultSupportedIdpConfig.secretPaths
    static let paths = providerPaths + Shape.config.secretPaths

    package init(sealer: TokenSealer, scope: Scope) {
        self.sealer = sealer
        self.scope = scope
    }

    /// - Parameters:
    ///   - document: The resource, with secrets in clear or sealed.
    ///   - stored: An unchanged secret keeps its sealed form, so that the resource stays equal.
    /// - Returns: The resource with `{"sealed": …}` in place of each secret.
    func seal(_ document: JSONValue, keeping stored: JSONValue?) throws -> JSONValue {
        try Self.paths.reduce(document) { document, path in
            try replace(in: document, path[...]) { secret in
                if secret.isEmpty { return "" }
                let old = path.reduce(stored) { $0?[$1] }
                if let old, open(old) == secret { return old }
                do {
                    return ["sealed": .string(try sealer.seal(Data(secret.utf8), for: .configurationSecret, scope: scope))]
                } catch is TokenSealer.TooLong {
                    throw InvalidArgument("\(path.joined(separator: ".")) is too long.")
                }
            }
        }
    }

    /// Opens one secret of a document for use; a secret that cannot be opened is left out.
    package func opened(_ document: JSONValue, path: [String]) -> JSONValue {
        guard let name = path.first, var members = document.object, let member = members[name] else { return document }
        if path.count == 1 {
            members[name] = open(member).map(JSONValue.string)
        } else {
            members[name] = opened(member, path: Array(path.dropFirst()))
        }
        return .object(members)
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
