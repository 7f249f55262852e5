package import Project

/// Which passwords users may choose: `passwordPolicyConfig` of a v2 `Config` or `Tenant` (`Docs/Contract/admin-config.md` §5).
package struct PasswordPolicy: Sendable, Hashable {
    /// Whether the policy is in force (`passwordPolicyEnforcementState`).
    package let isEnforced: Bool
    /// Whether a sign-in with an old password that breaks the policy is refused (`forceUpgradeOnSignin`).
    package let forcesUpgradeOnSignIn: Bool
    package let requiresLowercase: Bool
    package let requiresUppercase: Bool
    package let requiresNumeric: Bool
    package let requiresNonAlphanumeric: Bool
    /// Least length, in UTF-16 code units as the JS SDK counts: 6 to 30.
    package let minimumLength: Int
    /// Greatest length in the same unit, at most 4096; `nil` when none is set.
    package let maximumLength: Int?

    /// The least length that always holds (`Docs/Contract/admin-accounts.md` §11).
    package static let leastLength = 6

    /// The policy of a project or tenant that never configured one.
    package static let none = PasswordPolicy()

    private init() {
        isEnforced = false
        forcesUpgradeOnSignIn = false
        requiresLowercase = false
        requiresUppercase = false
        requiresNumeric = false
        requiresNonAlphanumeric = false
        minimumLength = Self.leastLength
        maximumLength = nil
    }

    /// Reads a `passwordPolicyConfig`, from a request or from the store.
    ///
    /// - Throws: ``APIError`` with `INVALID_CONFIG` for unknown states, lengths out of range or crossed, members of the wrong
    ///   type, and anything but exactly one version.
    package init(config: JSONValue?) throws {
        guard let config, config != .null else {
            self = .none
            return
        }
        guard config.object != nil else { throw Self.invalid("passwordPolicyConfig must be an object") }
        isEnforced = try Self.isEnforced(config)
        forcesUpgradeOnSignIn = try Self.flag("forceUpgradeOnSignin", of: config)
        guard let versions = config["passwordPolicyVersions"]?.array, versions.count == 1 else {
            throw Self.invalid("passwordPolicyVersions must have exactly one element")
        }
        let options = versions[0]["customStrengthOptions"] ?? [:]
        requiresLowercase = try Self.flag("containsLowercaseCharacter", of: options)
        requiresUppercase = try Self.flag("containsUppercaseCharacter", of: options)
        requiresNumeric = try Self.flag("containsNumericCharacter", of: options)
        requiresNonAlphanumeric = try Self.flag("containsNonAlphanumericCharacter", of: options)
        minimumLength = try Self.length("minPasswordLength", of: options, in: Self.leastLength...30) ?? Self.leastLength
        maximumLength = try Self.length("maxPasswordLength", of: options, in: 1...4096)
        if let maximumLength, maximumLength < minimumLength {
            throw Self.invalid("maxPasswordLength must not be below minPasswordLength")
        }
    }

    private static func isEnforced(_ config: JSONValue) throws -> Bool {
        switch config["passwordPolicyEnforcementState"] {
        case .string("ENFORCE"), .integer(2): return true
        case nil, .null, .string("OFF"), .integer(1), .string("PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED"), .integer(0):
            return false
        default: throw invalid("passwordPolicyEnforcementState must be OFF or ENFORCE")
        }
    }

    private static func flag(_ name: String, of object: JSONValue) throws -> Bool {
        switch object[name] {
        case nil, .null: return false
        case .bool(let flag): return flag
        default: throw invalid("\(name) must be boolean")
        }
    }

    // In the protocol's JSON, zero stands for a number that was never set.
    private static func length(_ name: String, of object: JSONValue, in range: ClosedRange<Int>) throws -> Int? {
        let value: Int64?
        switch object[name] {
        case nil, .null: return nil
        case .integer(let number): value = number
        case .string(let text): value = Int64(text)
        default: value = nil
        }
        if value == 0 { return nil }
        guard let value, let length = Int(exactly: value), range.contains(length) else {
            throw invalid("\(name) must be between \(range.lowerBound) and \(range.upperBound)")
        }
        return length
    }

    private static func invalid(_ detail: String) -> APIError { APIError(.invalidConfig, detail) }
}
