import Project

extension ResourceSchema {
    /// Switches that are shown also when they are off (`contract/admin-config.md` §2.2).
    private static let shownWhenOff: Set<String> = [
        "containsLowercaseCharacter", "containsUppercaseCharacter", "containsNumericCharacter",
        "containsNonAlphanumericCharacter", "forceUpgradeOnSignin", "useSmsBotScore", "useSmsTollFraudProtection", "enabled",
        "allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser", "disableAuth", "allowDuplicateEmails",
    ]

    /// A stored resource as an answer shows it: only members of the API, no sealed value, nothing that is empty.
    ///
    /// - Parameters:
    ///   - document: The resource.
    ///   - showsFalse: Whether every switch is shown that was ever set, as the emulator does it.
    /// - Returns: The answer's body, without the members that are not stored.
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
        // Shown by the answer that switches it off, and not again.
        case .bool where name == "useAccountDefender": return value == true ? true : nil
        case .bool: return value == false && !showsFalse && !shownWhenOff.contains(name) ? nil : value.bool.map(JSONValue.bool)
        // A sealed secret is an object where a text is declared: it is never shown.
        case .text, .url, .word, .code: return value.string.flatMap { $0.isEmpty ? nil : .string($0) }
        case .integer: return value.integer.map(JSONValue.integer)
        case .number:
            if case .number = value { return value }
            return value.integer.map(JSONValue.integer)
        case .any: return value
        }
    }
}
