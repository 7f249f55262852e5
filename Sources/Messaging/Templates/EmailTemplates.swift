import Foundation

/// Makes messages of purposes and values in every built-in language, with the customised parts of a project.
///
/// Text and HTML have the same content. The HTML loads nothing, so opening a message is not reported to anyone.
package struct EmailTemplates: Sendable {
    private let texts: Translations<EmailTexts>
    private let htmlLayout: TextTemplate
    private let textLayout: TextTemplate

    /// Reads the built-in texts.
    package init() throws {
        texts = try EmailTexts.all.get()
        htmlLayout = try TextTemplate(String(decoding: PackageResources.layout_html, as: UTF8.self))
        textLayout = try TextTemplate(String(decoding: PackageResources.layout_txt, as: UTF8.self))
    }

    /// Makes a message.
    ///
    /// - Throws: ``EmailMessageError`` for an unusable address or a line end in a customised header; ``EmailTemplateError``.
    package func message(
        _ purpose: EmailPurpose,
        to recipient: String,
        from sender: Mailbox,
        language: EmailLanguage,
        values: EmailValues,
        override: EmailTemplateOverride? = nil
    ) throws -> EmailMessage {
        var address = sender.address
        if let localPart = override?.senderLocalPart { address = "\(localPart)@\(sender.domain)" }
        let content = try content(purpose, language, values, override)
        let message = EmailMessage(
            from: try Mailbox(address: address, name: override?.senderDisplayName ?? sender.name),
            replyTo: try override?.replyTo.map { try Mailbox(parsing: $0) },
            to: try Mailbox(address: recipient),
            subject: content.subject,
            text: content.text,
            html: content.html,
            language: language.rawValue
        )
        try message.validate()
        return message
    }

    private func content(
        _ purpose: EmailPurpose,
        _ language: EmailLanguage,
        _ values: EmailValues,
        _ override: EmailTemplateOverride?
    ) throws -> (subject: String, text: String, html: String?) {
        let texts = try texts.of(language)
        guard let own = texts.purposes[purpose] else { throw EmailTemplateError.texts(language.rawValue) }
        let subject =
            override?.subject.map { EmailTemplateOverride.fill($0, values) { $0 } }
            ?? own.subject.render(Self.dictionary(values, texts) { $0 })
        guard let body = override?.body else {
            return (
                subject,
                render(texts, own, language, subject: subject, values, isHTML: false),
                render(texts, own, language, subject: subject, values, isHTML: true)
            )
        }
        guard body.utf8.count <= EmailMessage.maximumLength else { throw EmailMessageError.tooLong }
        switch override?.bodyFormat {
        case .html:
            let html = EmailTemplateOverride.fill(body, values, escape: HTMLText.escape)
            return (subject, PlainText.of(html), html)
        default:
            return (subject, EmailTemplateOverride.fill(body, values) { $0 }, nil)
        }
    }

    private func render(
        _ texts: EmailTexts,
        _ own: EmailTexts.Purpose,
        _ language: EmailLanguage,
        subject: String,
        _ values: EmailValues,
        isHTML: Bool
    ) -> String {
        func escape(_ text: String) -> String { isHTML ? HTMLText.escape(text) : text }
        // In HTML, `bdi` isolates each value from the direction of the text around it.
        let inside = Self.dictionary(values, texts) { isHTML ? "<bdi>\(HTMLText.escape($0))</bdi>" : $0 }
        return (isHTML ? htmlLayout : textLayout).render(
            layout: [
                "language": language.rawValue,
                "direction": texts.direction,
                "subject": escape(subject),
                "greeting": (values.greetingName == nil ? texts.greeting : texts.greetingWithName).render(inside),
                "intro": own.intro.map { $0.render(inside) },
                "action": own.action.render(inside),
                "link": escape(values.link),
                "linkHint": texts.linkHint.render(inside),
                "outro": own.outro.map { $0.render(inside) },
                "signature": texts.signature.render(inside),
            ] as [String: Any]
        )
    }

    private static func dictionary(
        _ values: EmailValues,
        _ texts: EmailTexts,
        _ prepare: (String) -> String
    ) -> [String: String] {
        let changes = values.changes.compactMap { change in
            texts.changes[change.name]?.render(["provider": prepare(EmailValues.clean(change.provider ?? ""))])
        }
        return [
            "appName": prepare(values.appName),
            "email": prepare(values.email),
            "newEmail": prepare(values.newEmail ?? ""),
            "name": prepare(values.greetingName ?? ""),
            "change": changes.joined(separator: "; "),
        ]
    }
}
