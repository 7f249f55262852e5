import Foundation
import Messaging
import Project
import Testing

@Suite("Texts of messages")
struct EmailTemplatesTests {
    private let templates: EmailTemplates
    private let sender: Mailbox
    private let link = "https://app.example/__/auth/action?mode=resetPassword&oobCode=abc&lang=en"

    init() throws {
        templates = try EmailTemplates()
        sender = try Mailbox(address: "noreply@mail.example", name: "Example")
    }

    private func values(appName: String = "Example App", displayName: String? = nil) throws -> EmailValues {
        try EmailValues(
            appName: appName,
            email: "ada@example.org",
            newEmail: "new@example.org",
            displayName: displayName,
            link: link
        )
    }

    private func message(
        _ purpose: EmailPurpose = .passwordReset,
        _ language: EmailLanguage = .english,
        values: EmailValues? = nil,
        override: JSONValue? = nil
    ) throws -> EmailMessage {
        try templates.message(
            purpose,
            to: "ada@example.org",
            from: sender,
            language: language,
            values: values ?? self.values(),
            override: override.map(EmailTemplateOverride.init(document:))
        )
    }

    @Test("every purpose has a complete text in every language", arguments: EmailLanguage.allCases, EmailPurpose.allCases)
    func complete(language: EmailLanguage, purpose: EmailPurpose) throws {
        let message = try message(purpose, language)
        let html = try #require(message.html)
        #expect(message.subject.contains("Example App"))
        #expect(message.text.contains("\n\(link)\n"))
        #expect(message.language == language.rawValue)
        for text in [message.subject, message.text, html] {
            #expect(!text.contains("{{") && !text.contains("}}") && !text.contains("&amp;amp;"))
        }
        #expect(html.contains("<html lang=\"\(language.rawValue)\" dir=\"\(language == .arabic ? "rtl" : "ltr")\">"))
        #expect(html.components(separatedBy: link.replacing("&", with: "&amp;")).count == 4)
        // The HTML has nothing that a mail program would fetch.
        #expect(!html.contains("<img") && !html.contains("src=") && !html.contains("url(") && !html.contains("<link"))
        if purpose == .recoverEmail {
            #expect(message.text.contains("ada@example.org") && message.text.contains("new@example.org"))
        }
        _ = try MIMEEncoder.encode(message, stamp: sampleStamp)
    }

    @Test("languages differ from one another")
    func distinct() throws {
        for purpose in EmailPurpose.allCases {
            #expect(
                try Set(EmailLanguage.allCases.map { try message(purpose, $0).subject }).count == EmailLanguage.allCases.count
            )
        }
    }

    @Test("values are escaped in HTML and only there, also before a combining mark")
    func escaping() throws {
        let hostile = "A&B <b>\"x\"</b> \"\u{301} onload='x'"
        let message = try message(values: values(appName: hostile))
        let html = try #require(message.html)
        #expect(message.text.contains(hostile))
        #expect(html.contains("A&amp;B &lt;b&gt;&quot;x&quot;&lt;/b&gt; &quot;\u{301} onload=&#39;x&#39;"))
        #expect(!html.unicodeScalars.elementsEqual(hostile.unicodeScalars) && !html.contains("<b>"))
    }

    @Test("mustache in a value stays text")
    func noTemplateInjection() throws {
        #expect(try message(values: values(appName: "{{link}} {{#intro}}")).text.contains("{{link}} {{#intro}}"))
    }

    @Test("line ends and marks of direction in a value are dropped, so no header and no line can be forged")
    func cleaning() throws {
        let message = try message(values: values(appName: "Ex\r\nBcc: eve@example.org\u{202E}\u{2028}"))
        #expect(message.subject == "Reset your password for ExBcc: eve@example.org")
        #expect(!message.text.contains("\u{202E}"))
    }

    @Test("a name greets, an advertisement does not")
    func greeting() throws {
        #expect(try message(values: values(displayName: "Ada J. Lovelace")).text.hasPrefix("Hello Ada J. Lovelace,\n"))
        for name in [
            "win at evil.example", "https://evil.example", "eve@evil.example", "50% off!", "evil。example",
            String(repeating: "a", count: 61),
        ] {
            let message = try message(values: values(displayName: name))
            #expect(message.text.hasPrefix("Hello,\n"))
            #expect(!message.text.contains(name))
        }
    }

    @Test(
        "only web addresses are linked",
        arguments: [
            "javascript:alert(1)", "data:text/html,x", "myapp://x", "//x", "https:///x", "https://a b", "https://a\r\nb", "",
        ]
    )
    func links(link: String) {
        #expect(throws: EmailTemplateError.link) { try EmailValues(appName: "A", email: "a@b.c", link: link) }
    }

    // MARK: What a project customises

    @Test("a project's subject, text and sender replace the built-in ones")
    func overridePlain() throws {
        let message = try message(
            override: [
                "senderLocalPart": "auth", "senderDisplayName": "Große App", "replyTo": "help@other.example",
                "bodyFormat": "PLAIN_TEXT",
                "subject": "%APP_NAME%: %EMAIL%", "body": "Hi %DISPLAY_NAME%, %LINK% for %EMAIL% (%NEW_EMAIL%), 100%",
            ]
        )
        #expect(message.from == (try Mailbox(address: "auth@mail.example", name: "Große App")))
        #expect(message.replyTo?.address == "help@other.example")
        #expect(message.subject == "Example App: ada@example.org")
        #expect(message.text == "Hi , \(link) for ada@example.org (new@example.org), 100%")
        #expect(message.html == nil)
    }

    @Test("a project's HTML gets escaped values, and a text part that is complete by itself")
    func overrideHTML() throws {
        let body =
            "<style>p{color:red}</style><p>Hello &amp; welcome %APP_NAME%</p><p><a href='%LINK%'>Reset it</a></p><p>%LINK%</p>"
        let message = try message(values: values(appName: "<A>"), override: ["body": .string(body), "bodyFormat": "HTML"])
        let html = try #require(message.html)
        #expect(html.contains("welcome &lt;A&gt;</p>"))
        #expect(html.contains("<a href='\(link.replacing("&", with: "&amp;"))'>"))
        #expect(message.text == "Hello & welcome <A>\nReset it: \(link)\n\(link)\n")
        #expect(message.subject == "Reset your password for <A>")
    }

    @Test(
        "a damaged HTML body still makes a text, and a huge one is refused",
        arguments: ["<", "<a", "<!-- x", "<style>x", "</a>x<"]
    )
    func damagedHTML(body: String) throws {
        let message = try message(override: ["body": .string("%LINK% <br/>" + body), "bodyFormat": "HTML"])
        #expect(message.text.hasPrefix("\(link)\n"))
        let huge = String(repeating: body, count: EmailMessage.maximumLength)
        #expect(throws: EmailMessageError.tooLong) {
            try self.message(override: ["body": .string(huge + "xx"), "bodyFormat": "HTML"])
        }
    }

    @Test("a value that looks like a placeholder is not filled in again")
    func placeholderInValue() throws {
        let message = try message(values: values(appName: "%LINK%"), override: ["body": "%APP_NAME%"])
        #expect(message.text == "%LINK%")
    }

    @Test("a customised header cannot carry another one")
    func overrideInjection() throws {
        for document: JSONValue in [
            ["subject": "a\r\nBcc: eve@example.org"], ["senderDisplayName": "a\r\nBcc: x"],
            ["senderLocalPart": "a@evil.example,b"],
            ["senderLocalPart": "a\r\nX: y"], ["replyTo": "a@example.org\r\nBcc: eve@example.org"],
        ] {
            #expect(throws: EmailMessageError.self) { try message(override: document) }
        }
    }

    // MARK: Languages

    @Test(
        "the app's locale comes first, then the browser's by weight, then the project's, then English",
        arguments: [
            ("fr", "de", nil, EmailLanguage.french), ("fr-CA", nil, nil, .french), ("fr_CA", nil, nil, .french),
            ("zh-Hant-TW", nil, nil, .chinese), ("xx", "de-AT,en;q=0.5", nil, .german),
            (nil, "en;q=0.3, ja;q=0.8", nil, .japanese),
            (nil, "ar;q=0, bn;q=0.1", nil, .bengali), (nil, "*", "es", .spanish), (nil, nil, nil, .english),
            (nil, ";;;,,q=,en;q=x", nil, .english), ("DE", nil, nil, .german), (nil, "de;q=0.5,fr;q=0.5", nil, .german),
            (nil, "fr;q=nan,de;q=0.2", nil, .german), ("tlh", "xx", "yy", .english),
        ] as [(String?, String?, String?, EmailLanguage)]
    )
    func negotiation(firebase: String?, accept: String?, project: String?, expected: EmailLanguage) {
        #expect(EmailLanguage.negotiate(firebaseLocale: firebase, acceptLanguage: accept, projectDefault: project) == expected)
    }
}
