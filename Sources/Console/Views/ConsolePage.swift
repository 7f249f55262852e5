/// The content of a screen, before it is rendered.
struct ConsolePage: Sendable {
    /// The heading of the screen, and the first part of the browser's title.
    let title: String
    /// The item of the navigation that is current.
    var section: ConsoleSection?
    var blocks: [Block] = []
    /// What came of the last action; it stands above the blocks.
    var notice: Notice?
    /// Whether the page is one small card without navigation: the pages before a sign-in.
    var isNarrow = false
    /// Whether the action was refused because somebody else has changed what it was about (RFC 9110 §15.5.10).
    var isConflict = false

    /// The page as the answer to a form that another's change has overtaken.
    func refusing(_ labels: [String], _ texts: ConsoleTexts) -> ConsolePage {
        var page = self
        page.notice = Notice(kind: .warning, text: texts["config.stale"], items: labels)
        page.isConflict = true
        return page
    }
}

extension ConsolePage {
    /// The page of a section, which has its heading from the section.
    init(_ section: ConsoleSection, _ texts: ConsoleTexts, _ blocks: [Block]) {
        self.init(title: texts["section.\(section.rawValue)"], section: section, blocks: blocks)
    }
}
