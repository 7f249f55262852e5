/// Second factors and the password policy.
struct PoliciesScreen: SettingsScreen {
    let tools: ConsoleTools

    static let path = "/console/policies"
    static let section = ConsoleSection.policies

    private static let strength = "passwordPolicyConfig.passwordPolicyVersions.0.customStrengthOptions."

    private static let password = [
        ConfigField("passwordPolicyConfig.passwordPolicyEnforcementState", .word(["OFF", "ENFORCE"]), "passwordPolicy"),
        ConfigField("passwordPolicyConfig.forceUpgradeOnSignin", .flag, "forceUpgrade"),
        ConfigField(strength + "minPasswordLength", .number, "minimumLength"),
        ConfigField(strength + "maxPasswordLength", .number, "maximumLength"),
        ConfigField(strength + "containsLowercaseCharacter", .flag, "lowercase"),
        ConfigField(strength + "containsUppercaseCharacter", .flag, "uppercase"),
        ConfigField(strength + "containsNumericCharacter", .flag, "digit"),
        ConfigField(strength + "containsNonAlphanumericCharacter", .flag, "symbol"),
    ]

    static let project = factors("mfa") + password
    static let tenant = factors("mfaConfig") + password

    private static func factors(_ member: String) -> [ConfigField] {
        [
            ConfigField("\(member).state", .word(["DISABLED", "ENABLED", "MANDATORY"]), "mfa"),
            ConfigField("\(member).enabledProviders", .words(["PHONE_SMS"]), "mfaProviders"),
        ]
    }
}
