import Accounts
import Messaging
import Project

/// One message as its readers see it, in each language, and a test mail.
struct TemplateScreen: ConsoleScreen {
    let tools: ConsoleTools

    static let path = "/console/templates/{id}"
    var needs: AdminScopes? { .read }

    static let languageField = "language"

    /// The address of a message's screen.
    static func path(of purpose: EmailPurpose) -> String { "\(TemplatesScreen.path)/\(purpose.rawValue)" }

    /// The message that the path names.
    static func purpose(_ visit: ConsoleVisit) throws -> EmailPurpose {
        guard let purpose = EmailPurpose(rawValue: visit["id"]) else { throw ConsoleFailure.unknownPage }
        return purpose
    }

    /// The language of a form or query; the operator's own unless told otherwise.
    static func language(_ visit: ConsoleVisit) -> EmailLanguage {
        (visit.form.value(languageField) ?? visit.query.value(languageField)).flatMap(EmailLanguage.init(rawValue:))
            ?? visit.texts.language
    }

    func show(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (texts, person, context) = (visit.texts, try visit.person, try visit.call())
        let (purpose, language) = (try Self.purpose(visit), Self.language(visit))
        let message = try await tools.useCases.codes.mailTest.sample(purpose, in: language, for: person.email, context: context)
        let links = EmailLanguage.allCases.map { other in
            Link(
                text: other.rawValue,
                path: visit.link(Self.path(of: purpose), [(name: Self.languageField, value: other.rawValue)]),
                isCurrent: other == language
            )
        }
        var facts = [
            Fact(label: texts["templates.from"], value: .foreign(Self.shown(message.from))),
            Fact(label: texts["templates.subject"], value: .foreign(message.subject)),
        ]
        if let replyTo = message.replyTo {
            facts.insert(Fact(label: texts["templates.replyTo"], value: .foreign(Self.shown(replyTo))), at: 1)
        }
        var blocks: [Block] = [
            .links(links), .facts(facts), .code(label: texts["templates.text"], text: message.text),
        ]
        if message.html != nil {
            let query = [(name: Self.languageField, value: language.rawValue)]
            blocks.append(
                .frame(title: texts["templates.html"], path: visit.link(TemplateFrameScreen.path(of: purpose), query))
            )
        }
        if person.role.scopes.contains(.config) {
            let form = Form(
                action: Self.path(of: purpose),
                hidden: visit.tenantFields + [(name: Self.languageField, value: language.rawValue)],
                button: texts.text("templates.send", ["email": person.email])
            )
            blocks.append(.toolbar([form]))
        }
        return .page(ConsolePage(title: texts["templates.\(purpose.rawValue)"], section: .templates, blocks: blocks))
    }

    private static func shown(_ mailbox: Mailbox) -> String {
        mailbox.name.map { "\($0) <\(mailbox.address)>" } ?? mailbox.address
    }

    func act(_ visit: ConsoleVisit) async throws -> ConsoleAnswer {
        let (person, purpose, language) = (try visit.person, try Self.purpose(visit), Self.language(visit))
        try person.require(.config)
        try await tools.useCases.codes.mailTest.send(purpose, in: language, to: person.email, context: try visit.call())
        let query = [(name: Self.languageField, value: language.rawValue)]
        return .redirect(visit.link(Self.path(of: purpose), query), done: "sent")
    }
}
