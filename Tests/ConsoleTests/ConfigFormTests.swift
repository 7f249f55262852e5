import Messaging
import Project
import Tenancy
import Testing

@testable import Console

@Suite("Forms of configuration")
struct ConfigFormTests {
    @Test("have fields of members that there are, each with a label")
    func members() throws {
        let screens: [any SettingsScreen.Type] = [
            DomainsScreen.self, HooksScreen.self, MethodsScreen.self, PoliciesScreen.self, TemplatesScreen.self,
            TextMessagesScreen.self,
        ]
        let texts = try ConsoleTexts.of(.english)
        let forms =
            screens.flatMap { [ConfigForm(of: .config, $0.project), ConfigForm(of: .tenant, $0.tenant)] }
            + ["oidc.x", "saml.x", "apple.com", "google.com"].map(ProviderScreen.form)
        for field in forms.flatMap(\.fields) {
            #expect(field.shape != .any, "\(field.path)")
            #expect(texts[field.text] != field.text, "\(field.text)")
        }
    }

    @Test("change what was filled in, keep other secrets and a list's other members, and remove what an empty address stands in")
    func change() throws {
        let length = "passwordPolicyConfig.passwordPolicyVersions.0.customStrengthOptions.minPasswordLength"
        let intervals = "mfa.providerConfigs.0.totpProviderConfig.adjacentIntervals"
        let form = ConfigForm(
            of: .config,
            [
                ConfigField("blockingFunctions.triggers.beforeCreate.functionUri"), ConfigField("signIn.email.enabled"),
                ConfigField("notification.sendEmail.smtp.password"),
                ConfigField("notification.sendEmail.verifyEmailTemplate.body"),
                ConfigField("mfa.enabledProviders", choices: ["PHONE_SMS"]), ConfigField("authorizedDomains"),
                ConfigField(length), ConfigField(intervals),
            ]
        )
        let document: JSONValue = [
            "blockingFunctions": ["triggers": ["beforeCreate": ["functionUri": "https://f"]]],
            "passwordPolicyConfig": ["passwordPolicyVersions": [["customStrengthOptions": ["maxPasswordLength": 20]]]],
        ]
        let posted = ConsoleForm([
            (name: "signIn.email.enabled", value: "on"), (name: "mfa.enabledProviders.PHONE_SMS", value: "on"),
            (name: "authorizedDomains", value: " a\r\nb\r\n"), (name: length, value: "8"), (name: intervals, value: "3"),
            (name: "notification.sendEmail.verifyEmailTemplate.body", value: "x\r\ny"),
        ])
        let change = try #require(try form.change(posted, of: document))
        let expected: JSONValue = [
            "blockingFunctions": ["triggers": ["beforeCreate": .null]], "signIn": ["email": ["enabled": true]],
            "notification": ["sendEmail": ["verifyEmailTemplate": ["body": "x\ny"]]], "authorizedDomains": ["a", "b"],
            "mfa": ["enabledProviders": ["PHONE_SMS"], "providerConfigs": [["totpProviderConfig": ["adjacentIntervals": 3]]]],
            "passwordPolicyConfig": [
                "passwordPolicyVersions": [["customStrengthOptions": ["maxPasswordLength": 20, "minPasswordLength": 8]]]
            ],
        ]
        #expect(change.body == expected)
    }
}
