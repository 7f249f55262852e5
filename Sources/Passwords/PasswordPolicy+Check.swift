package import Project

extension PasswordPolicy {
    /// A requirement that a password does not meet.
    package enum Violation: Sendable, Hashable {
        case minimumLength(Int)
        case maximumLength(Int)
        case missingLowercase
        case missingUppercase
        case missingNumeric
        case missingNonAlphanumeric

        /// `notificationCode` of a sign-in's `userNotifications` (`Docs/Contract/admin-config.md` §5).
        package var code: String {
            switch self {
            case .minimumLength: "MINIMUM_PASSWORD_LENGTH"
            case .maximumLength: "MAXIMUM_PASSWORD_LENGTH"
            case .missingLowercase: "MISSING_LOWERCASE_CHARACTER"
            case .missingUppercase: "MISSING_UPPERCASE_CHARACTER"
            case .missingNumeric: "MISSING_NUMERIC_CHARACTER"
            case .missingNonAlphanumeric: "MISSING_NON_ALPHANUMERIC_CHARACTER"
            }
        }

        /// `notificationMessage`, and the item of the refusal's list (`Docs/Contract/client-accounts.md` §17).
        package var message: String {
            switch self {
            case .minimumLength(let length): "Password must contain at least \(length) characters"
            case .maximumLength(let length): "Password must contain at most \(length) characters"
            case .missingLowercase: "Password must contain a lower case character"
            case .missingUppercase: "Password must contain an upper case character"
            case .missingNumeric: "Password must contain a numeric character"
            case .missingNonAlphanumeric: "Password must contain a non-alphanumeric character"
            }
        }
    }

    /// The characters that count as non-alphanumeric (`Docs/Contract/admin-config.md` §5).
    package static let nonAlphanumericCharacters = "^$*.[]{}()?\"!@#%&/\\,><':;|_~`".map(String.init)

    private static let nonAlphanumericBytes = Set(nonAlphanumericCharacters.joined().utf8)

    /// The requirements of this policy that a password does not meet, whether or not the policy is enforced.
    ///
    /// Letters and digits are those of ASCII, as in the SDKs' own checks.
    package func violations(of password: String) -> [Violation] {
        var violations: [Violation] = []
        let length = password.utf16.count
        if length < minimumLength { violations.append(.minimumLength(minimumLength)) }
        if let maximumLength, length > maximumLength { violations.append(.maximumLength(maximumLength)) }
        let lacks = { (isWanted: (UInt8) -> Bool) in !password.utf8.contains(where: isWanted) }
        if requiresLowercase, lacks({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) {
            violations.append(.missingLowercase)
        }
        if requiresUppercase, lacks({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) {
            violations.append(.missingUppercase)
        }
        if requiresNumeric, lacks({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            violations.append(.missingNumeric)
        }
        if requiresNonAlphanumeric, lacks(Self.nonAlphanumericBytes.contains) { violations.append(.missingNonAlphanumeric) }
        return violations
    }

    /// Refuses a new password that breaks this policy. If the policy is not enforced, only the least length counts.
    ///
    /// - Throws: ``APIError`` with `PASSWORD_DOES_NOT_MEET_REQUIREMENTS`, or `WEAK_PASSWORD` if no policy is enforced.
    package func check(_ password: String) throws {
        let unmet = unmet(by: password)
        guard !unmet.isEmpty else { return }
        guard isEnforced else {
            throw APIError(.weakPassword, "Password should be at least \(Self.leastLength) characters")
        }
        throw Self.refusal(unmet)
    }

    /// The requirements that a new password does not meet; empty for a password that ``check(_:)`` accepts.
    package func unmet(by password: String) -> [Violation] {
        guard isEnforced else { return password.utf16.count < Self.leastLength ? [.minimumLength(Self.leastLength)] : [] }
        return violations(of: password)
    }

    /// All requirements of ``check(_:)``, to be shown before a password is chosen.
    package var requirements: [Violation] {
        guard isEnforced else { return [.minimumLength(Self.leastLength)] }
        var requirements = [Violation.minimumLength(minimumLength)]
        if let maximumLength { requirements.append(.maximumLength(maximumLength)) }
        if requiresLowercase { requirements.append(.missingLowercase) }
        if requiresUppercase { requirements.append(.missingUppercase) }
        if requiresNumeric { requirements.append(.missingNumeric) }
        if requiresNonAlphanumeric { requirements.append(.missingNonAlphanumeric) }
        return requirements
    }

    /// The refusal that lists violations (`Docs/Contract/client-accounts.md` §17).
    package static func refusal(_ violations: [Violation]) -> APIError {
        let list = violations.map(\.message).joined(separator: ", ")
        return APIError(.passwordDoesNotMeetRequirements, "Missing password requirements: [\(list)]")
    }

    /// The answer of `GET v2/passwordPolicy` (`Docs/Contract/admin-config.md` §5).
    ///
    /// The JS SDK reports a criterion whenever its member is present, so only required criteria are written.
    package var publicJSON: JSONValue {
        var options: JSONObject = ["minPasswordLength": .integer(Int64(minimumLength))]
        if let maximumLength { options["maxPasswordLength"] = .integer(Int64(maximumLength)) }
        if requiresLowercase { options["containsLowercaseCharacter"] = true }
        if requiresUppercase { options["containsUppercaseCharacter"] = true }
        if requiresNumeric { options["containsNumericCharacter"] = true }
        if requiresNonAlphanumeric { options["containsNonAlphanumericCharacter"] = true }
        return [
            "customStrengthOptions": .object(options),
            "allowedNonAlphanumericCharacters": .array(Self.nonAlphanumericCharacters.map(JSONValue.string)),
            "enforcementState": isEnforced ? "ENFORCE" : "OFF",
            "forceUpgradeOnSignin": .bool(forcesUpgradeOnSignIn),
            "schemaVersion": 1,
        ]
    }
}
