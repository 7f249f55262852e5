/// Which of its two tables of rules the server follows. Only what starts a server or names the mode reads the mode itself; everything else
/// has the ``rules``.
package enum ServerMode: String, Sendable, Hashable, CaseIterable {
    case production
    case development

    package var rules: ModeRules { self == .production ? .production : .development }
}
