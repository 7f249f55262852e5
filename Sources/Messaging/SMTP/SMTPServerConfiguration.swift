package import Project

/// A submission server (RFC 6409) and its connection settings.
package struct SMTPServerConfiguration: Sendable {
    /// How the connection is encrypted. Every certificate of a server is verified.
    package enum Security: Sendable, Hashable {
        /// TLS from the first byte (`smtps`, RFC 8314).
        case implicitTLS
        /// STARTTLS (RFC 3207). It is required, except on loopback, where it is used if the server offers it.
        case startTLS
    }

    /// The user name and password for the server.
    package struct Credentials: Sendable {
        package let username: String
        package let password: String

        package init(username: String, password: String) {
            self.username = username
            self.password = password
        }
    }

    /// Name or address, IPv6 without brackets.
    package let host: String
    package let port: Int
    package let security: Security
    /// `nil` when the server needs none.
    package let credentials: Credentials?

    package init(host: String, port: Int, security: Security, credentials: Credentials? = nil) {
        self.host = host
        self.port = port
        self.security = security
        self.credentials = credentials
    }

    /// Reads `notification.sendEmail.smtp` of a project's configuration (`Docs/Contract/admin-config.md` §3). Its password must
    /// be opened.
    ///
    /// - Returns: `nil` when it names no server, or a server that cannot stand in a URL.
    package init?(document: JSONValue) {
        guard let host = document["host"]?.string, MailServerHost.isValid(host) else { return nil }
        let isImplicitTLS = document["securityMode"]?.string == "SSL"
        // Some clients write 64-bit integers as strings in JSON.
        let given = document["port"].flatMap { $0.integer ?? $0.string.flatMap(Int64.init) } ?? (isImplicitTLS ? 465 : 587)
        guard let port = Int(exactly: given), (1...65535).contains(port) else { return nil }
        var credentials: Credentials?
        if let username = document["username"]?.string, !username.isEmpty {
            credentials = Credentials(username: username, password: document["password"]?.string ?? "")
        }
        self.init(host: host, port: port, security: isImplicitTLS ? .implicitTLS : .startTLS, credentials: credentials)
    }

    /// Whether the server is on this machine, so that the connection cannot be tapped.
    var isLoopback: Bool {
        host == "localhost" || host == "::1" || (host.hasPrefix("127.") && host.allSatisfy { $0 == "." || $0.isNumber })
    }

    /// The URL for libcurl. Its path is the name in EHLO.
    func url(clientName: String) -> String {
        let scheme = security == .implicitTLS ? "smtps" : "smtp"
        let authority = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(authority):\(port)/\(clientName)"
    }
}
