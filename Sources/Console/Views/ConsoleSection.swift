/// A part of the console that the navigation leads to.
enum ConsoleSection: String, Sendable, CaseIterable {
    case overview, users, signInDiagnosis, signInMethods, tenants, templates, sms, policies, domains, hooks, serviceAccounts, keys
    case audit, events, configuration, imports, exports, backups, operators, approvals, connect, development, profile
}
