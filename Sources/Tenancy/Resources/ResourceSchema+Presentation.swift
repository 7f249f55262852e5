import OrderedCollections
import Project

extension ResourceSchema {
    /// Switches that are shown even when they are off (`Docs/Contract/admin-config.md` §2.2).
    private static let shownWhenOff: Set<String> = [
        "containsLowercaseCharacter", "containsUppercaseCharacter", "containsNumericCharacter",
        "containsNonAlphanumericCharacter", "forceUpgradeOnSignin", "useSmsBotScore", "useSmsTollFraudProtection", "enabled",
        "allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser", "disableAuth", "allowDuplicateEmails",
    ]

    /// Makes the answer for a stored resource: only members of the API, without sealed values and empty members.
    ///
    /// - Parameter showsFalse: Whether every stored switch is shown, as in the emulator.
    /// - Returns: Members that are not stored are still missing.
    func presented(_ document: JSONValue, showsFalse: Bool) -> JSONValue {
        Self.presented(document, shape, name: "", showsFalse: showsFalse) ?? [:]
    }

    /// A complete answer with its members in the order in which the resource declares them; the keys of maps stay in their own.
    func arranged(_ answer: JSONValue) -> JSONValue { Self.arranged(answer, shape) }

    private static func arranged(_ value: JSONValue, _ shape: ResourceShape) -> JSONValue {
        switch (shape, value) {
        case (.object(let shapes), .object(let members)):
            let known = shapes.compactMap { name, shape in members[name].map { (name, arranged($0, shape)) } }
            return .object(JSONObject(naming: known).merging(members) { first, _ in first })
        case (.list(let shape), .array(let elements)): return .array(elements.map { arranged($0, shape) })
        case (.map(let shape), .object(let members)): return .object(members.mapValues { arranged($0, shape) })
        default: return value
        }
    }

    private static func presented(
        _ value: JSONValue,
        _ shape: ResourceShape,
        name: String,
        showsFalse: Bool
    ) -> JSONValue? {
        switch shape {
        case .object(let shapes):
            guard let members = value.object else { return nil }
            var result: JSONObject = [:]
            for (name, shape) in shapes {
                guard let member = members[name] else { continue }
                result[name] = presented(member, shape, name: name, showsFalse: showsFalse)
            }
            return .object(result)
        case .map(let shape):
            let members = (value.object ?? [:]).compactMapValues { presented($0, shape, name: "", showsFalse: showsFalse) }
            return members.isEmpty ? nil : .object(members)
        case .list(let shape):
            let elements = (value.array ?? []).compactMap { presented($0, shape, name: "", showsFalse: showsFalse) }
            return elements.isEmpty ? nil : .array(elements)
        // The answer to the request that switches it off shows `false`; later answers do not.
        case .bool where name == "useAccountDefender": return value == true ? true : nil
        case .bool: return value == false && !showsFalse && !shownWhenOff.contains(name) ? nil : value.bool.map(JSONValue.bool)
        // A sealed secret is an object, not the declared text, so it is never shown.
        case .text, .url, .word, .code: return value.string.flatMap { $0.isEmpty ? nil : .string($0) }
        case .integer: return value.integer.map(JSONValue.integer)
        case .number:
            if case .number = value { return value }
            return value.integer.map(JSONValue.integer)
        case .any: return value
        }
    }
}
