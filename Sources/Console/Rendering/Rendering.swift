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
