import Project

/// Decides the hosts of links into apps (`Docs/Contract/client-accounts.md` §12.2, rule 3b; ruling 29, threat case OOB-09).
enum LinkDomainRule {
    // This is Firebase's text. The tests of its SDKs compare it.
    private static let refusal = """
        The provided hosting link domain is not configured in Firebase Hosting or is not owned by the current project. \
        This cannot be a default hosting domain (web.app or firebaseapp.com).
        """

    // Google's own hosting domains. A link there would leave Postern with its code.
    private static let defaultDomains = ["web.app", "firebaseapp.com"].compactMap(HostName.init)

    /// Reads a link domain.
    ///
    /// - Parameter domains: `authorizedDomains`, which must list exactly this host.
    /// - Throws: `APIError` `INVALID_HOSTING_LINK_DOMAIN`.
    static func host(_ text: String, domains: [String]) throws -> HostName {
        guard let host = HostName(text), AuthorizedHosts(domains, publicURL: nil).listed.contains(host),
            !defaultDomains.contains(where: { $0.authorizes(host) })
        else { throw APIError(.invalidHostingLinkDomain, refusal) }
        return host
    }
}
