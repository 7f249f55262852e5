import Project
import Testing

@testable import Settings

@Suite("Transports and databases")
struct TransportTests {
    @Test(arguments: [
        ("smtp://mail.example.com", 587, false), ("smtps://mail.example.com", 465, true), ("smtp://[::1]:25", 25, false),
    ])
    func smtpServers(url: String, port: Int, isImplicitTLS: Bool) async throws {
        let email = try await Workspace().load(
            "mode: development\nemail: {transport: smtp, from: 'Postern <no-reply@example.com>'}\n",
            [
                "POSTERN_EMAIL_SMTP_URL": url, "POSTERN_EMAIL_SMTP_USERNAME": "user", "POSTERN_EMAIL_SMTP_PASSWORD": "word",
            ]
        ).email
        guard case .smtp(let server) = email.transport else { throw Unexpected() }
        #expect(server.port == port && server.isImplicitTLS == isImplicitTLS)
        #expect(server.host == (url.contains("::1") ? "::1" : "mail.example.com"))
        #expect(server.from == "Postern <no-reply@example.com>")
        #expect(server.credentials?.username == "user" && server.credentials?.password.reveal() == "word")
    }

    @Test func smtpWithoutCredentials() async throws {
        let email = try await Workspace().load(
            "mode: development\nemail: {transport: smtp, from: a@b.c, smtp: {url: 'smtp://127.0.0.1:2525'}}\n"
        ).email
        guard case .smtp(let server) = email.transport else { throw Unexpected() }
        #expect(server.credentials == nil)
    }

    @Test func twilio() async throws {
        let sms = try await Workspace().load(
            "mode: development\nsms: {transport: twilio, twilio: {accountSid: AC1, from: +16505550100, authToken: t}}\n"
        ).sms
        guard case .twilio(let account) = sms.transport else { throw Unexpected() }
        #expect(account.accountSID == "AC1" && account.from == "+16505550100")
        #expect(account.authToken.reveal() == "t" && account.baseURL.text == "https://api.twilio.com")
    }

    @Test func webhook() async throws {
        let sms = try await Workspace().load(
            "mode: development\nsms: {transport: webhook, webhook: {url: 'https://h.example.com/sms?a=1', secret: s}}\n"
        ).sms
        guard case .webhook(let hook) = sms.transport else { throw Unexpected() }
        #expect(hook.url.text == "https://h.example.com/sms?a=1" && hook.secret.reveal() == "s")
    }

    @Test func appleKeyRecaptchaSiteAndReceiver() async throws {
        let settings = try await Workspace().load(
            """
            mode: development
            apns: {keyId: K, teamId: T, privateKeyFile: k.p8, baseURL: 'http://127.0.0.1:1'}
            recaptcha: {siteKey: s, secret: r}
            webhooks: {url: 'https://h.example.com/', secret: w}
            """
        )
        #expect(settings.apns.key?.id == "K" && settings.apns.key?.teamID == "T" && settings.apns.key?.privateKeyFile == "k.p8")
        #expect(settings.apns.baseURL.isSecure == false)
        #expect(settings.recaptcha.site?.key == "s" && settings.recaptcha.site?.secret.reveal() == "r")
        #expect(settings.webhooks.receiver?.url.text == "https://h.example.com/")
    }

    @Test func databases() async throws {
        guard case .sqlite("a/b.db") = DatabaseSettings.Location("sqlite:a/b.db") else { throw Unexpected() }
        guard case .sqliteMemory = DatabaseSettings.Location("sqlite::memory:") else { throw Unexpected() }
        guard case .postgresql(let uri) = DatabaseSettings.Location("postgresql://u:p@h/d") else { throw Unexpected() }
        #expect(uri.reveal() == "postgresql://u:p@h/d")
        for wrong in ["", "a.db", "sqlite:", "sqlite::file:", "mysql://h", "postgresql:h", "sqlite:a\nb"] {
            #expect(DatabaseSettings.Location(wrong) == nil)
        }
    }
}

@Suite("Addresses")
struct AddressTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3/8", "10.9.9.9", true),
        ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.128/25", "192.0.2.200", true), ("192.0.2.1", "192.0.2.1", true),
        ("192.0.2.1", "192.0.2.2", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
        ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false), ("::1", "::1", true),
        ("10.0.0.0/8", "::ffff:10.0.0.1", true), ("255.255.255.255/32", "255.255.255.255", true),
    ])
    func blocksContainTheirAddresses(block: String, address: String, isInside: Bool) throws {
        let block = try #require(CIDR(block))
        #expect(block.contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0/8", "::/129", "a", "1.2.3.4/8/8",
        "::ffff:1.2.3.4/100",
    ])
    func otherTextIsNoBlock(text: String) {
        #expect(CIDR(text) == nil)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com", "https://", "https:///x", "https://u@example.com", "https://u:p@example.com",
        "https://example.com/#f", "https://exa mple.com", "https://example.com:99999", "https://example.com:0", "//example.com",
        "https://example.com/\n",
    ])
    func otherTextIsNoURL(text: String) {
        #expect(WebURL(text) == nil)
    }

    @Test func originsAreAsBrowsersSendThem() {
        #expect(WebURL("HTTPS://Example.com:443/a?b")?.origin == "https://example.com")
        #expect(WebURL("http://[::1]:9099/")?.origin == "http://[::1]:9099")
        #expect(WebURL("http://example.com:443")?.origin == "http://example.com:443")
    }
}
