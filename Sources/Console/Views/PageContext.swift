import Messaging

/// What is around a screen: who sees it, and what the operator may open.
struct PageContext: Sendable {
    let texts: ConsoleTexts
    /// The token of the operator's session; `nil` before a sign-in.
    var csrf: String?
    /// The project that the console shows.
    var project: String?
    var operatorName: String?
    var roleName: String?
    /// Links of the operator's own menu, such as the profile.
    var operatorLinks: [Link] = []
    /// Items of one group follow each other.
    var navigation: [NavigationItem] = []
    var isDevelopment = false
    /// Warnings that stand above every screen.
    var banners: [String] = []

    var language: EmailLanguage { texts.language }
}

/// An item of the navigation. It is current when the page is of its section.
struct NavigationItem: Sendable {
    let label: String
    let path: String
    let section: ConsoleSection
    /// The heading of the items beside it.
    let group: String
}
