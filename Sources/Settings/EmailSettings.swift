import Foundation
import Project

/// `email.*`: how the server sends mail.
package struct EmailSettings: Sendable {
    package enum Transport: Sendable {
        /// No mail is sent. Operations that need mail fail.
        case none
        /// Mail is written to the log.
        case log
        /// Mail goes to a submission server.
        case smtp(SMTPServer)
    }

    /// A submission server (RFC 6409).
    package struct SMTPServer: Sendable {
        /// Name or address, IPv6 without brackets.
        package let host: String
        package let port: Int
        /// TLS from the first byte (`smtps`, RFC 8314) rather than STARTTLS.
        package let isImplicitTLS: Bool
        /// `nil` when the server needs none.
        package let credentials: Credentials?
        /// Envelope and header sender.
        package let from: String

        fileprivate init?(_ address: Address?, credentials: Credentials?, from: String?) {
            guard let address, let from else { return nil }
            host = address.host
            port = address.port
            isImplicitTLS = address.isImplicitTLS
            self.credentials = credentials
            self.from = from
        }
    }

    /// The user name and password for a submission server.
    package struct Credentials: Sendable {
        /// User name.
        package let username: String
        package let password: Secret<String>
    }

    package let transport: Transport

    /// Whether mail leaves this server, and is not written to the log.
    package var leaves: Bool {
        switch transport {
        case .none, .log: false
        case .smtp: true
        }
    }

    private enum Word: String, CaseIterable { case log, smtp }

    fileprivate struct Address: Sendable {
        let host: String
        let port: Int
        let isImplicitTLS: Bool

        init?(_ text: String) {
            guard
                let parts = URLComponents(string: text, encodingInvalidCharacters: false),
                let scheme = parts.scheme?.lowercased(), scheme == "smtp" || scheme == "smtps",
                let host = parts.host, !host.isEmpty,
                parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
                parts.path.isEmpty || parts.path == "/",
                parts.port.map({ (1...65535).contains($0) }) ?? true
            else {
                return nil
            }
            self.host = host.trimmingCharacters(in: ["[", "]"])
            isImplicitTLS = scheme == "smtps"
            port = parts.port ?? (isImplicitTLS ? 465 : 587)
        }
    }

    init(_ reader: SettingsReader) {
        let word: Word? = reader.optional(
            "transport",
            .word,
            otherwise: "`log` in development; none in production",
            "how e-mail leaves the server"
        )
        let from = reader.optional(
            "from",
            .text("an e-mail address, with or without a name") { $0.isPlainText && $0.contains("@") ? $0 : nil },
            "sender of every message; required with `smtp`"
        )
        let smtp = reader.section("smtp")
        let address = smtp.optional(
            "url",
            .text("`smtp://host:port` or `smtps://host:port`", isEchoed: false) { Address($0) },
            "submission server; ports default to 587 and 465, STARTTLS is required unless loopback"
        )
        let username = smtp.optional("username", .text, "user name for it")
        let password = smtp.secret("password", .text, "password for it")
        smtp.requireTogether("username", "password")

        if word == .smtp {
            smtp.require("url", "as email.transport is smtp")
            reader.require("from", "as email.transport is smtp")
        }
        let credentials = username.flatMap { name in password.map { Credentials(username: name, password: $0) } }
        switch word ?? (reader.rules?.logsMessagesByDefault == true ? .log : nil) {
        case .smtp:
            transport = SMTPServer(address, credentials: credentials, from: from).map(Transport.smtp) ?? .none
        case .log:
            transport = .log
        case nil:
            transport = .none
        }
        if case .log = transport, reader.rules?.warnsOfExposure == true {
            reader.warn("email.transport is log: one-time links will be written to the log")
        }
    }
}
