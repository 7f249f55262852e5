/// A part of a screen. Blocks stand one below the other.
enum Block: Sendable {
    case heading(String)
    case paragraph(String)
    case notice(Notice)
    /// Labels with their values.
    case facts([Fact])
    case table(Table)
    case form(Form)
    case chart(Chart)
    /// Text to copy: lines for an app, an address, a file.
    case code(label: String, text: String)
    case list([Cell])
    /// A page of this server inside the page, without scripts, forms and an origin. `path` is as in ``Link/path``.
    case frame(title: String, path: String)
    /// The navigation inside a section. The current item has ``Link/isCurrent``.
    case links([Link])
    /// Blocks side by side where the window is wide enough.
    case columns([[Block]])
    /// Blocks that open on demand.
    case details(summary: String, [Block])
    /// Small forms of one button each, side by side.
    case toolbar([Form])
}

/// A label with its value.
struct Fact: Sendable {
    let label: String
    let value: Cell
}
