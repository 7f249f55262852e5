import Project

/// `passkeys.*`: the relying party of WebAuthn (ruling 19).
package struct PasskeySettings: Sendable {
    private let configuredID: String?
    private let configuredOrigins: [String]?

    /// The relying party id: the configured one, or the host of the public URL.
    package func rpID(publicURL: WebURL) -> String {
        configuredID ?? publicURL.host
    }

    /// The origins that ceremonies may come from: the configured ones, or that of the public URL.
    package func origins(publicURL: WebURL) -> [String] {
        configuredOrigins ?? [publicURL.origin]
    }

    init(_ reader: SettingsReader) {
        configuredID = reader.optional(
            "rpId",
            .text("a domain name in lower case") { text in
                HostName(text).flatMap { $0.address == nil && $0.text == text ? text : nil }
            },
            otherwise: "host of `server.publicURL`",
            "WebAuthn relying party id"
        )
        configuredOrigins = reader.optional(
            "origins",
            .list(of: "origins such as `https://app.example.com` or `android:apk-key-hash:…`") { Self.isOrigin($0) ? $0 : nil },
            otherwise: "origin of `server.publicURL`",
            "origins that passkey ceremonies may come from"
        )
        if configuredOrigins?.isEmpty == true { reader.refuse("origins", "expected at least one origin") }
    }

    /// Origins are compared exactly, so only the form that clients send is accepted.
    private static func isOrigin(_ text: String) -> Bool {
        if text.wholeMatch(of: /android:apk-key-hash:[A-Za-z0-9_-]+/) != nil { return true }
        return WebAddress(text)?.origin == text
    }
}

/// `webhooks.*`: the receiver of events about accounts (ruling 16).
package struct WebhookSettings: Sendable {
    /// A receiver of signed events.
    package struct Receiver: Sendable {
        /// The URL that events are posted to.
        package let url: WebURL
        /// Key of the HMAC-SHA256 signature.
        package let secret: Secret<String>
    }

    /// `nil` when events are not posted.
    package let receiver: Receiver?

    init(_ reader: SettingsReader, outbound: OutboundSettings) {
        let url = reader.optional("url", .webURL, "receives events about accounts as signed JSON")
        let secret = reader.secret("secret", .text, "key of the HMAC-SHA256 signature")
        outbound.check(url, "url", reader)
        reader.requireTogether("url", "secret")
        receiver = url.flatMap { url in secret.map { Receiver(url: url, secret: $0) } }
    }
}
