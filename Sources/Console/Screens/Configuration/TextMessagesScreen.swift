import Accounts
import Messaging
import Project
import Settings

/// Text messages: the regions they may go to, fictional numbers for tests, the limits, and a message to try the way out.
struct TextMessagesScreen: SettingsScreen {
    let tools: ConsoleTools

    static let path = "/console/sms"
    static let section = ConsoleSection.sms
    static let project = regions + [ConfigField("signIn.phoneNumber.testPhoneNumbers", "testNumbers")]
    static let tenant = regions + [ConfigField("testPhoneNumbers", "testNumbers")]

    private static let regions = [
        ConfigField("smsRegionConfig.allowByDefault.disallowedRegions"),
        ConfigField("smsRegionConfig.allowlistOnly.allowedRegions"),
    ]

    func blocks(_ visit: ConsoleVisit, _: JSONValue) async throws -> [Block] {
        let (texts, person, limits) = (visit.texts, try visit.person, tools.settings.limits.phone)
        let facts = [
            ("sms.perNumber", limits.perNumberPerHour), ("sms.perPrefix", limits.perPrefixPerHour),
            ("sms.perAddress", limits.perAddressPerHour), ("sms.perDay", limits.perDay), ("sms.tries", limits.maxTries),
            ("sms.codeSeconds", limits.codeSeconds),
        ].map { Fact(label: texts[$0.0], value: .number(Int64($0.1))) }
        let blocks: [Block] = [.heading(texts["sms.limits"]), .paragraph(texts["sms.limitsText"]), .facts(facts)]
        guard person.role.scopes.isSuperset(of: .all) else { return blocks }
        guard tools.useCases.codes.smsTest.canSend else { return blocks + [.paragraph(texts["sms.noTransport"])] }
        return blocks + [.heading(texts["sms.test"])] + test(visit, person)
    }

    private func test(_ visit: ConsoleVisit, _ person: ConsoleOperator) -> [Block] {
        let texts = visit.texts
        guard person.isConfirmed else {
            return ConfirmationScreen.first(texts["sms.confirmFirst"], backTo: visit.link(Self.path), texts)
        }
        let field = Field(
            name: "number",
            label: texts["users.phone"],
            hint: texts["user.phoneHint"],
            isRequired: true,
            maximumLength: 32,
            isCode: true
        )
        return [
            .form(
                Form(
                    action: Self.path,
                    fields: [field],
                    hidden: visit.tenantFields + [(name: "do", value: "test")],
                    button: texts["sms.send"]
                )
            )
        ]
    }

    private enum Action: String {
        case test
        case save = ""
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        guard try visit.form.action(Action.self) == .test else { return try await save(visit) }
        let (texts, person, context) = (visit.texts, try visit.person, try visit.call())
        try person.require(.all)
        try person.requireConfirmation()
        try await tools.useCases.codes.smsTest.send(
            to: visit.form["number"],
            text: texts.text("sms.testText", ["project": tools.projectID]),
            locale: texts.language.rawValue,
            context: context
        )
        return .redirect(visit.link(Self.path), done: "sent")
    }
}
