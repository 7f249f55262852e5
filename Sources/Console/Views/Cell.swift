import Project

/// A value in a table, a list or beside a label.
enum Cell: Sendable {
    /// The console's own text.
    case text(String)
    /// Text that comes from users or clients; it is isolated from its surroundings (Unicode bidirectional algorithm).
    case foreign(String)
    /// An id, a key, an address: in a monospaced font, from left to right.
    case code(String)
    /// A link with a text that may come from users. `path` is as in ``Link/path``.
    case link(text: String, path: String)
    case time(Timestamp)
    case badge(text: String, tone: Tone)
    case number(Int64)
    case none
    case forms([Form])
    case several([Cell])

    /// What the colour of a badge says. The text of the badge says it too.
    enum Tone: String, Sendable, CaseIterable {
        case neutral, positive, caution, negative
    }
}
