package import Project

/// `sms.*`: how the server sends text messages.
package struct SMSSettings: Sendable {
    /// The transport of text messages.
    package enum Transport: Sendable {
        /// No message is sent. Operations that need one fail.
        case none
        /// Messages are written to the log.
        case log
        /// Twilio's Messages API.
        case twilio(Twilio)
        /// A web hook of the operator's own (ruling 16).
        case webhook(Webhook)
    }

    package struct Twilio: Sendable {
        package let accountSID: String
        package let authToken: Secret<String>
        /// Sender: a number or a messaging service's SID.
        package let from: String
        package let baseURL: WebURL
    }

    /// A web hook that signed messages are posted to.
    package struct Webhook: Sendable {
        package let url: WebURL
        /// Key of the HMAC-SHA256 signature.
        package let secret: Secret<String>
    }

    /// The transport of text messages.
    package let transport: Transport
    /// The host of the app's pages, into which browsers fill codes; `nil` goes by the request's origin.
    package let autofillDomain: HostName?

    private enum Word: String, CaseIterable { case log, twilio, webhook }

    init(_ reader: SettingsReader, outbound: OutboundSettings) {
        let word: Word? = reader.optional(
            "transport",
            .word,
            otherwise: "`log` in development; none in production",
            "how text messages leave the server"
        )
        autofillDomain = reader.optional(
            "autofillDomain",
            .text("a host name") { HostName($0).flatMap { $0.address == nil ? $0 : nil } },
            otherwise: "the host of the request's `Origin`, if `authorizedDomains` lists it",
            "host of the app's pages, into which browsers fill codes from text messages"
        )
        let twilio = Self.twilio(reader.section("twilio"), isNeeded: word == .twilio, outbound)
        let webhook = Self.webhook(reader.section("webhook"), isNeeded: word == .webhook, outbound)

        switch word ?? (reader.rules?.logsMessagesByDefault == true ? .log : nil) {
        case .twilio: transport = twilio.map(Transport.twilio) ?? .none
        case .webhook: transport = webhook.map(Transport.webhook) ?? .none
        case .log: transport = .log
        case nil: transport = .none
        }
        if case .log = transport, reader.rules?.warnsOfExposure == true {
            reader.warn("sms.transport is log: one-time codes will be written to the log")
        }
    }

    private static func twilio(_ reader: SettingsReader, isNeeded: Bool, _ outbound: OutboundSettings) -> Twilio? {
        let accountSID = reader.optional("accountSid", .text, "Twilio account SID; required with `twilio`")
        let authToken = reader.secret("authToken", .text, "Twilio auth token; required with `twilio`")
        let from = reader.optional("from", .text, "sending number or messaging service SID; required with `twilio`")
        let baseURL = reader.value(
            "baseURL",
            .baseURL,
            default: WebURL(https: "api.twilio.com"),
            "base URL of Twilio's API"
        )
        outbound.check(baseURL, "baseURL", reader)
        if isNeeded {
            for name in ["accountSid", "authToken", "from"] { reader.require(name, "as sms.transport is twilio") }
        }
        guard let accountSID, let authToken, let from else { return nil }
        return Twilio(accountSID: accountSID, authToken: authToken, from: from, baseURL: baseURL)
    }

    private static func webhook(_ reader: SettingsReader, isNeeded: Bool, _ outbound: OutboundSettings) -> Webhook? {
        let url = reader.optional("url", .webURL, "receives each message as JSON; required with `webhook`")
        let secret = reader.secret("secret", .text, "key of the HMAC-SHA256 signature; required with `webhook`")
        outbound.check(url, "url", reader)
        if isNeeded {
            for name in ["url", "secret"] { reader.require(name, "as sms.transport is webhook") }
        }
        return url.flatMap { url in secret.map { Webhook(url: url, secret: $0) } }
    }
}
