import Accounts
import Project
import Storage

/// Second factors and the password policy, and how many users they concern.
struct PoliciesScreen: SettingsScreen {
    let tools: ConsoleTools

    static let path = "/console/policies"
    static let section = ConsoleSection.policies

    private static let strength = "passwordPolicyConfig.passwordPolicyVersions.0.customStrengthOptions."

    private static let password = [
        ConfigField("passwordPolicyConfig.passwordPolicyEnforcementState", "passwordPolicy"),
        ConfigField("passwordPolicyConfig.forceUpgradeOnSignin", "forceUpgrade"),
        ConfigField(strength + "minPasswordLength", "minimumLength"),
        ConfigField(strength + "maxPasswordLength", "maximumLength"),
        ConfigField(strength + "containsLowercaseCharacter", "lowercase"),
        ConfigField(strength + "containsUppercaseCharacter", "uppercase"),
        ConfigField(strength + "containsNumericCharacter", "digit"),
        ConfigField(strength + "containsNonAlphanumericCharacter", "symbol"),
    ]

    static let project = factors("mfa") + password
    static let tenant = factors("mfaConfig") + password

    func blocks(_ visit: ConsoleVisit, _: JSONValue) async throws -> [Block] {
        let texts = visit.texts
        let census = try await tools.useCases.operators.policyEffect.census(try visit.call())
        func fact(_ label: String, _ count: Int) -> Fact {
            let shown = census.isPartial ? texts.text("policies.atLeast", ["count": "\(count)"]) : "\(count)"
            return Fact(label: texts[label], value: .text(shown))
        }
        let blocks: [Block] = [
            .heading(texts["policies.effect"]), .paragraph(texts["policies.effectText"]),
            .facts([
                fact("policies.users", census.examined), fact("policies.withPassword", census.withPassword),
                fact("policies.withoutFactor", census.withoutSecondFactor),
            ]),
        ]
        guard census.isPartial else { return blocks }
        return blocks + [.paragraph(texts.text("policies.partial", ["count": "\(census.examined)"]))]
    }

    private static func factors(_ member: String) -> [ConfigField] {
        [
            ConfigField("\(member).state", "mfa"),
            ConfigField("\(member).enabledProviders", "mfaProviders", choices: ["PHONE_SMS"]),
        ]
    }
}
