import Foundation
import Project

/// The rules for `notification` (`Docs/Contract/admin-config.md` §3).
enum NotificationRules {
    private static let maximumBody = 64 * 1024
    private static let maximumLine = 500
    // Each may become a long link in both forms of a message, which has a bound of its own.
    private static let maximumPlaceholders = 12

    /// Checks the changed parts.
    ///
    /// - Throws: `APIError` `INVALID_CONFIG`.
    static func check(_ notification: JSONValue, changedFrom stored: JSONValue?) throws {
        if let locale = notification["defaultLocale"]?.string, !locale.isEmpty,
            locale.wholeMatch(of: /[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,8}/) == nil
        {
            throw invalid("notification.defaultLocale must be a language tag")
        }
        let mail = notification["sendEmail"]
        let old = stored?["sendEmail"]
        if let server = mail?["smtp"], server != old?["smtp"] { try check(server: server) }
        if mail?["method"] == "CUSTOM_SMTP", mail?["smtp"]?["host"]?.string?.isEmpty ?? true {
            throw invalid("notification.sendEmail.smtp.host is needed for CUSTOM_SMTP")
        }
        for name in Shape.mailTemplates {
            if let template = mail?[name], template != old?[name] { try check(template: template, name) }
        }
        if let callback = mail?["callbackUri"]?.string, !callback.isEmpty, mail?["callbackUri"] != old?["callbackUri"] {
            // Browsers open this page, Postern does not call it, so private networks are allowed.
            guard WebAddress(configured: callback, network: NetworkGuard(allowPrivateNetworks: true)) != nil else {
                throw invalid("notification.sendEmail.callbackUri must be an absolute URL")
            }
        }
    }

    /// Keeps the mail server's password when a request lacks it, because reads never show it. The password is dropped when the
    /// server or its user changes.
    static func keepingPassword(_ notification: JSONValue, stored: JSONValue?) -> JSONValue {
        let path = ["sendEmail", "smtp"]
        // A mask may have left the stored, sealed password in its place. A new password is not sealed yet, so the two differ.
        guard let server = notification.value(at: path), let old = stored?.value(at: path), let password = old["password"],
            server["password"] == nil || server["password"] == password
        else { return notification }
        let isKept = ["host", "port", "username", "securityMode"].allSatisfy { server[$0] == old[$0] }
        return notification.setting(isKept ? password : nil, at: path + ["password"])
    }

    private static func check(server: JSONValue) throws {
        if let sender = server["senderEmail"]?.string, !sender.isEmpty, EmailAddress.canonical(sender) == nil {
            throw invalid("notification.sendEmail.smtp.senderEmail must be an e-mail address")
        }
        if let host = server["host"]?.string, !host.isEmpty, !MailServerHost.isValid(host) {
            throw invalid("notification.sendEmail.smtp.host must be a host's name")
        }
        if let port = server["port"]?.integer, !(1...65_535).contains(port) {
            throw invalid("notification.sendEmail.smtp.port must be between 1 and 65535")
        }
        for name in ["username", "password"] { try checkLine(server[name], "smtp.\(name)") }
    }

    private static func check(template: JSONValue, _ name: String) throws {
        for member in ["senderLocalPart", "subject", "senderDisplayName", "replyTo"] {
            try checkLine(template[member], "\(name).\(member)")
        }
        guard (template["body"]?.string?.utf8.count ?? 0) <= maximumBody else {
            throw invalid("notification.sendEmail.\(name).body is too long")
        }
        let placeholders = (template["body"]?.string ?? "").matches(of: /%(?:LINK|EMAIL|NEW_EMAIL|APP_NAME|DISPLAY_NAME)%/)
        guard placeholders.count <= maximumPlaceholders else {
            throw invalid("notification.sendEmail.\(name).body has more than \(maximumPlaceholders) placeholders")
        }
    }

    // These texts become part of headers and of commands to the mail server (threat case OOB-05).
    private static func checkLine(_ value: JSONValue?, _ name: String) throws {
        guard let text = value?.string else { return }
        guard text.utf8.count <= maximumLine, !text.unicodeScalars.contains(where: CharacterSet.controlCharacters.contains) else {
            throw invalid("notification.sendEmail.\(name) must be one short line")
        }
    }

    private static func invalid(_ detail: String) -> APIError { APIError(.invalidConfig, detail) }
}
