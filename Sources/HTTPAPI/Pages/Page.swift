import Foundation
import Messaging

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

    /// A sentence and its items.
    struct List: Sendable {
        let lead: String
        let items: [String]
    }

    /// A form that posts to the action page.
    struct Form: Sendable {
        /// Hidden fields.
        var fields: [(name: String, value: String)]
        let button: String
        var password: Password?
    }

    /// The field for a new password.
    struct Password: Sendable {
        /// For password managers.
        let username: String
        let requirements: List
    }
}
