/// What a template reads, by name. A name in a template begins with a dot, so that a value that is missing is not looked for in
/// what surrounds it.
typealias Values = [String: Any]

/// The rendering of one page: what its parts share.
struct Rendering {
    let texts: ConsoleTexts
    /// As ``PageContext/csrf``.
    let csrf: String?
    private var lastID = 0

    init(texts: ConsoleTexts, csrf: String?) {
        self.texts = texts
        self.csrf = csrf
    }

    /// Makes an id that is used once on the page.
    mutating func id() -> String {
        lastID += 1
        return "c\(lastID)"
    }
}

/// A value that is there, under a name for templates.
func section(_ value: String?) -> Any {
    if let value { return ["text": value] as Values }
    return false
}
