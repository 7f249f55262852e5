import Foundation
import Messaging
import Project

/// What a page shows, before it is HTML.
struct Page: Sendable {
    let language: EmailLanguage
    /// The app that the page speaks for; `nil` before that is known.
    var app: String?
    let title: String
    /// HTML: texts of ours, in which values are escaped.
    var paragraphs: [String] = []
    var alert: List?
    var form: Form?
    /// Where a link leads on to.
    var next: URLComponents?
    /// What opens an app; ``next`` is for web pages.
    var appLink: Link?
    /// Whether a button leads back to where the browser came from; its script has to run.
    var hasWayBack = false
    /// What runs on the page.
    var script: Script?

    /// A sentence and its items.
    struct List: Sendable {
        let lead: String
        let items: [String]
    }

    /// A link with a text of its own.
    struct Link: Sendable {
        let address: String
        let label: String
    }

    /// Scripts, and what they need to know.
    struct Script: Sendable {
        /// Absolute paths or URLs.
        let sources: [String]
        /// What marks the scripts that may run: random, for one answer (CSP Level 3 §7.1).
        let nonce: String
        var data: JSONValue?
        /// Further sources for the policy (`script-src`, `frame-src`).
        var policy = Policy()
        /// What somebody without scripts is told.
        var needed: String?

        /// What a foreign script on the page needs.
        struct Policy: Sendable {
            var scripts: [String] = []
            var frames: [String] = []
            var connections: [String] = []
        }
    }

    /// A form that posts to a page of ours.
    struct Form: Sendable {
        /// Relative to `/__/auth/`.
        var action = "action"
        /// Hidden fields.
        var fields: [(name: String, value: String)]
        let button: String
        var password: Password?
        /// The site key of reCAPTCHA, which the button then asks first.
        var captcha: String?
    }

    /// The field for a new password.
    struct Password: Sendable {
        /// For password managers.
        let username: String
        let requirements: List
    }
}
