import Foundation
import Project

/// `audit.*`: who gets the audit trail as it grows.
package struct AuditSettings: Sendable {
    package struct Syslog: Sendable {
        package let address: Address
        /// Path of a PEM bundle that is trusted besides the system's roots.
        package let caFile: String?
    }

    /// `tls://host:port`
    package struct Address: Sendable {
        /// Host name or address, IPv6 without brackets.
        package let host: String
        package let port: Int

        // RFC 5425 §4.1
        private static let standardPort = 6514

        init?(_ text: String) {
            guard let parts = URLComponents(string: text, encodingInvalidCharacters: false), parts.scheme?.lowercased() == "tls",
                let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil,
                parts.fragment == nil, parts.path.isEmpty || parts.path == "/",
                parts.port.map({ (1...65535).contains($0) }) ?? true
            else { return nil }
            self.host = host.trimmingCharacters(in: ["[", "]"])
            port = parts.port ?? Self.standardPort
        }
    }

    /// `nil` when no syslog server gets the trail.
    package let syslog: Syslog?
    /// `nil` when no web hook gets the trail.
    package let webhook: WebhookSettings.Receiver?

    init(_ reader: SettingsReader, outbound: OutboundSettings) {
        let section = reader.section("syslog")
        let address = section.optional(
            "url",
            .text("`tls://host:port`", isEchoed: false) { Address($0) },
            "syslog server that gets the audit trail (RFC 5424 over TLS); the port defaults to 6514"
        )
        let caFile = section.optional("caFile", .path, "PEM bundle trusted beside the system's roots for the syslog server")
        syslog = address.map { Syslog(address: $0, caFile: caFile) }
        let hook = reader.section("webhook")
        let url = hook.optional("url", .webURL, "receives the audit trail as signed JSON")
        let secret = hook.secret("secret", .text, "key of the HMAC-SHA256 signature")
        outbound.check(url, "url", hook)
        hook.requireTogether("url", "secret")
        webhook = url.flatMap { url in secret.map { WebhookSettings.Receiver(url: url, secret: $0) } }
    }
}
