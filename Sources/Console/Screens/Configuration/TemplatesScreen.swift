/// The texts of e-mails.
struct TemplatesScreen: SettingsScreen {
    let tools: ConsoleTools

    static let path = "/console/templates"
    static let section = ConsoleSection.templates
    var isOfProject: Bool { true }
    // Tenants have those of their project.
    static let tenant: [ConfigField] = []

    static let project = ["resetPassword", "verifyEmail", "changeEmail", "revertSecondFactorAddition"].flatMap { kind in
        let template = "notification.sendEmail.\(kind)Template."
        return [
            ConfigField(template + "senderDisplayName", .text, "template.\(kind).sender"),
            ConfigField(template + "subject", .text, "template.\(kind).subject"),
            ConfigField(template + "body", .longText, "template.\(kind).body"),
            ConfigField(template + "replyTo", .text, "template.\(kind).replyTo"),
        ]
    }
}
