package import Project

/// The parts of a message that a project has customised (`Docs/Contract/admin-config.md` §3). Absent and empty parts stay built
/// in.
package struct EmailTemplateOverride: Sendable, Hashable {
    package enum BodyFormat: String, Sendable {
        case plainText = "PLAIN_TEXT"
        case html = "HTML"
    }

    /// Replaces the part before the `@` of the sender's address.
    package let senderLocalPart: String?
    package let senderDisplayName: String?
    package let replyTo: String?
    /// May contain the placeholders `%APP_NAME%`, `%DISPLAY_NAME%`, `%EMAIL%`, `%NEW_EMAIL%` and `%LINK%`, as may the body.
    package let subject: String?
    package let body: String?
    package let bodyFormat: BodyFormat

    /// Reads a template of `notification.sendEmail`. Members of another type count as absent.
    package init(document: JSONValue) {
        func text(_ key: String) -> String? { document[key]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        senderLocalPart = text("senderLocalPart")
        senderDisplayName = text("senderDisplayName")
        replyTo = text("replyTo")
        subject = text("subject")
        body = text("body")
        bodyFormat = text("bodyFormat").flatMap(BodyFormat.init(rawValue:)) ?? .plainText
    }

    /// Replaces the placeholders. Inserted values are not searched again, so a value that looks like a placeholder stays as it
    /// is.
    static func fill(_ template: String, _ values: EmailValues, escape: (String) -> String) -> String {
        template.replacing(/%(LINK|EMAIL|NEW_EMAIL|APP_NAME|DISPLAY_NAME)%/) { match in
            switch match.1 {
            case "LINK": escape(values.link)
            case "EMAIL": escape(values.email)
            case "NEW_EMAIL": escape(values.newEmail ?? "")
            case "APP_NAME": escape(values.appName)
            default: escape(values.greetingName ?? "")
            }
        }
    }
}
