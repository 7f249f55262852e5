import Project

extension ResourceSchema {
    /// Switches that are shown even when they are off (`contract/admin-config.md` §2.2).
    private static let shownWhenOff: Set<String> = [
        "containsLowercaseCharacter", "containsUppercaseCharacter", "containsNumericCharacter",
        "containsNonAlphanumericCharacter", "forceUpgradeOnSignin", "useSmsBotScore", "useSmsTollFraudProtection", "enabled",
        "allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser", "disableAuth", "allowDuplicateEmails",
    ]

    /// Makes the answer for a stored resource: only members of the API, without sealed values and empty members.
    ///
    /// - Parameters:
    ///   - document: The resource.
    ///   - showsFalse: Whether every stored switch is shown, as in the emulator.
    /// - Returns: The answer's body. Members that are not stored are still missing.
    func presented(_ document: JSONValue, showsFalse: Bool) -> JSONValue {
        Self.presented(document, shape, name: "", showsFalse: showsFalse) ?? [:]
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
            for (name, member) in members {
                guard let shape = shapes[name.text] else { continue }
                result[name] = presented(member, shape, name: name.text, showsFalse: showsFalse)
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
