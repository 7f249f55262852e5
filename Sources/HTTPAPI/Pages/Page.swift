import Foundation
import Messaging
import Project

/// The content of a page, before it is rendered.
struct Page: Sendable {
    let language: EmailLanguage
    /// The app that the page belongs to; `nil` while it is unknown.
    var app: String?
    let title: String
    var paragraphs: [HTML] = []
    var alert: List?
    var form: Form?
    /// The address of the link that leads on.
    var next: URLComponents?
    /// The link that opens an app; ``next`` is for web pages.
    var appLink: Link?
    /// Whether the page has a button that goes back; it needs the page's script.
    var hasWayBack = false
    var script: Script?

    init(_ language: EmailLanguage, app: String? = nil, title: String) {
        self.language = language
        self.app = app
        self.title = title
    }

    init(_ language: EmailLanguage, app: String? = nil, _ message: PageTexts.Message) {
        self.init(language, app: app, title: message.title)
        paragraphs = [.text(message.text)]
    }

    /// A sentence and a list of items.
    struct List: Sendable {
        let lead: String
        let items: [String]
    }

    /// A link with its own text.
    struct Link: Sendable {
        let address: String
        let label: String
    }

    struct Script: Sendable {
        /// The scripts' absolute paths or URLs.
        let sources: [String]
        /// The nonce of the scripts that may run: random, for one answer (CSP Level 3 §7.1).
        let nonce: String
        var data: JSONValue?
        /// Further sources for the page's policy.
        var policy = Policy()
        /// The message for browsers without scripts.
        var needed: String?

        /// The policy sources that a script of another site needs.
        struct Policy: Sendable {
            var scripts: [String] = []
            var frames: [String] = []
            var connections: [String] = []
            /// Where forms go instead of to this server.
            var forms: [String] = []
        }
    }

    /// A form that posts to a page of this server, or to one that the page's policy names.
    struct Form: Sendable {
        /// The target, relative to `/__/auth/`, or a URL.
        var action = "action"
        /// Hidden fields.
        var fields: [(name: String, value: String)]
        let button: String
        var password: Password?
        /// The reCAPTCHA site key; with it, the button asks reCAPTCHA first.
        var captcha: String?
    }

    /// The field for a new password.
    struct Password: Sendable {
        /// The account's address, for password managers.
        let username: String
        let requirements: List
    }
}
