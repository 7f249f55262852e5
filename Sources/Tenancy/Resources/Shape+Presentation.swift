import OrderedCollections
import Project

extension Shape {
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
        presented(document, name: "", showsFalse: showsFalse) ?? [:]
    }

    /// A complete answer with its members in the order in which the resource declares them; the keys of maps stay in their own.
    func arranged(_ answer: JSONValue) -> JSONValue {
        switch (kind, answer) {
        case (.object(let shapes), .object(let members)):
            let known = shapes.compactMap { name, shape in members[name].map { (name, shape.arranged($0)) } }
            return .object(JSONObject(naming: known).merging(members) { first, _ in first })
        case (.list(let shape, _), .array(let elements)): return .array(elements.map(shape.arranged))
        case (.map(let shape), .object(let members)): return .object(members.mapValues(shape.arranged))
        default: return answer
        }
    }

    private func presented(_ value: JSONValue, name: String, showsFalse: Bool) -> JSONValue? {
        switch kind {
        case .object(let shapes):
            guard let members = value.object else { return nil }
            var result: JSONObject = [:]
            for (name, shape) in shapes {
                guard let member = members[name] else { continue }
                result[name] = shape.presented(member, name: name, showsFalse: showsFalse)
            }
            return .object(result)
        case .map(let shape):
            let members = (value.object ?? [:]).compactMapValues { shape.presented($0, name: "", showsFalse: showsFalse) }
            return members.isEmpty ? nil : .object(members)
        case .list(let shape, _):
            let elements = (value.array ?? []).compactMap { shape.presented($0, name: "", showsFalse: showsFalse) }
            return elements.isEmpty ? nil : .array(elements)
        // The answer to the request that switches it off shows `false`; later answers do not.
        case .bool where name == "useAccountDefender": return value == true ? true : nil
        case .bool:
            let isHidden = value == false && !showsFalse && !Self.shownWhenOff.contains(name)
            return isHidden ? nil : value.bool.map(JSONValue.bool)
        // A sealed secret is an object, not the declared text, so it is never shown.
        case .text, .shortText, .word, .enumeration: return value.string.flatMap { $0.isEmpty ? nil : .string($0) }
        case .integer, .int64: return value.integer.map(JSONValue.integer)
        case .number: return value.double == nil ? nil : value
        case .any: return value
        }
    }
}
