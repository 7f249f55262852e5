import Project
import Testing

@testable import Passwords

@Suite("Password policy")
struct PasswordPolicyTests {
    private static func config(_ state: String = "ENFORCE", _ options: JSONValue = [:], force: Bool = false) -> JSONValue {
        [
            "passwordPolicyEnforcementState": .string(state), "forceUpgradeOnSignin": .bool(force),
            "passwordPolicyVersions": [["customStrengthOptions": options, "schemaVersion": 1]],
            "lastUpdateTime": "2026-01-01T00:00:00Z",
        ]
    }

    // The policy that the Node Admin SDK sends.
    private static let everything: JSONValue = [
        "containsLowercaseCharacter": true, "containsUppercaseCharacter": true, "containsNumericCharacter": true,
        "containsNonAlphanumericCharacter": true, "minPasswordLength": 8, "maxPasswordLength": 12,
    ]

    private static func code(_ body: () throws -> Void) -> APIError? {
        do {
            try body()
            return nil
        } catch {
            return error as? APIError
        }
    }

    @Test(
        "names what a password lacks",
        arguments: [
            ("Aa1!aaaa", []), ("Aa1!aaaaaaaa", []), ("Aa1!aaa", [.minimumLength(8)]), ("Aa1!aaaaaaaaa", [.maximumLength(12)]),
            ("AA1!AAAA", [.missingLowercase]), ("aa1!aaaa", [.missingUppercase]), ("Aaa!aaaa", [.missingNumeric]),
            ("Aa1aaaaa", [.missingNonAlphanumeric]), ("Aa1 aaaa", [.missingNonAlphanumeric]),
            ("Aa1-aaaa", [.missingNonAlphanumeric]),
            ("Ää١!öööö", [.missingLowercase, .missingUppercase, .missingNumeric]),
            ("", [.minimumLength(8), .missingLowercase, .missingUppercase, .missingNumeric, .missingNonAlphanumeric]),
        ] as [(String, [PasswordPolicy.Violation])]
    )
    func violations(password: String, expected: [PasswordPolicy.Violation]) throws {
        #expect(try PasswordPolicy(config: Self.config("ENFORCE", Self.everything)).violations(of: password) == expected)
    }

    @Test("counts each character of the contract's list as non-alphanumeric")
    func nonAlphanumeric() throws {
        let policy = try PasswordPolicy(config: Self.config("ENFORCE", ["containsNonAlphanumericCharacter": true]))
        #expect(PasswordPolicy.nonAlphanumericCharacters.count == 29)
        for character in PasswordPolicy.nonAlphanumericCharacters { #expect(policy.violations(of: "abcdef" + character).isEmpty) }
    }

    @Test("counts length as the JS SDK does")
    func length() throws {
        let policy = try PasswordPolicy(config: Self.config())
        #expect(policy.violations(of: "😀😀😀").isEmpty)
        #expect(policy.violations(of: "éééé\u{301}") == [.minimumLength(6)])
    }

    @Test("refuses with a list of what is missing")
    func refusal() throws {
        let policy = try PasswordPolicy(config: Self.config("ENFORCE", Self.everything))
        let error = Self.code { try policy.check("aaaa") }
        #expect(
            error?.message == """
                PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain at least 8 characters, \
                Password must contain an upper case character, Password must contain a numeric character, \
                Password must contain a non-alphanumeric character]
                """
        )
        #expect(Self.code { try policy.check("Aa1!aaaa") } == nil)
    }

    @Test("asks for six characters where nothing is enforced")
    func weak() throws {
        for policy in try [.none, PasswordPolicy(config: Self.config("OFF", Self.everything)), PasswordPolicy(config: .null)] {
            let error = Self.code { try policy.check("12345") }
            #expect(error?.message == "WEAK_PASSWORD : Password should be at least 6 characters")
            #expect(Self.code { try policy.check("123456") } == nil)
        }
    }

    @Test("gives the codes that sign-ins notify")
    func codes() {
        let all: [PasswordPolicy.Violation] = [
            .minimumLength(6), .maximumLength(9), .missingLowercase, .missingUppercase, .missingNumeric, .missingNonAlphanumeric,
        ]
        #expect(
            all.map(\.code) == [
                "MINIMUM_PASSWORD_LENGTH", "MAXIMUM_PASSWORD_LENGTH", "MISSING_LOWERCASE_CHARACTER",
                "MISSING_UPPERCASE_CHARACTER",
                "MISSING_NUMERIC_CHARACTER", "MISSING_NON_ALPHANUMERIC_CHARACTER",
            ]
        )
    }

    @Test("is shown to clients with those criteria only that hold")
    func publicJSON() throws {
        let options: JSONValue = ["containsNumericCharacter": true, "containsUppercaseCharacter": false, "minPasswordLength": 0]
        let policy = try PasswordPolicy(config: Self.config("ENFORCE", options, force: true))
        var json = policy.publicJSON
        #expect(json["allowedNonAlphanumericCharacters"]?.array?.count == 29)
        json["allowedNonAlphanumericCharacters"] = nil
        #expect(
            json == [
                "customStrengthOptions": ["containsNumericCharacter": true, "minPasswordLength": 6],
                "enforcementState": "ENFORCE", "forceUpgradeOnSignin": true, "schemaVersion": 1,
            ]
        )
        #expect(PasswordPolicy.none.publicJSON["enforcementState"] == "OFF")
        #expect(
            try PasswordPolicy(config: Self.config("OFF", Self.everything)).publicJSON["customStrengthOptions"] == Self.everything
        )
    }

    @Test(
        "is refused when it makes no sense",
        arguments: [
            "ENFORCE", config("SOMETIMES"), config("ENFORCE", ["minPasswordLength": 5]),
            config("ENFORCE", ["minPasswordLength": 31]),
            config("ENFORCE", ["maxPasswordLength": 4097]), config("ENFORCE", ["maxPasswordLength": 5]),
            config("ENFORCE", ["minPasswordLength": 10, "maxPasswordLength": 9]),
            config("ENFORCE", ["minPasswordLength": "eight"]),
            config("ENFORCE", ["containsNumericCharacter": "yes"]), config("OFF", ["minPasswordLength": -6]),
            ["passwordPolicyEnforcementState": "ENFORCE"], ["passwordPolicyVersions": []],
            ["passwordPolicyVersions": [[:], [:]]],
            ["passwordPolicyVersions": [:]], ["forceUpgradeOnSignin": 1, "passwordPolicyVersions": [[:]]],
        ] as [JSONValue]
    )
    func nonsense(config: JSONValue) {
        #expect(Self.code { _ = try PasswordPolicy(config: config) }?.code == .invalidConfig)
    }
}
