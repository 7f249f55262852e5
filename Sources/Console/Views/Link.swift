/// A link to a page of this server.
struct Link: Sendable {
    let text: String
    /// An absolute path with or without a query, or only a query (`?page=2`). Anything else is rendered as text without a link.
    let path: String
    var isCurrent = false
}
