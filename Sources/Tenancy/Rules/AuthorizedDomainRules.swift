import Project

/// The rules for `authorizedDomains` (`Docs/Contract/admin-config.md` §8).
enum AuthorizedDomainRules {
    private static let maximumDomains = 1000

    /// Checks the domains. They are stored as they are set, for tools that compare what they set with what they read (ruling 39).
    ///
    /// - Throws: `APIError` `INVALID_CONFIG` for an entry that is not a host name, an address or a Chrome extension.
    static func check(_ domains: JSONValue) throws {
        let listed = (domains.array ?? []).compactMap(\.string).map { $0.lowercased() }
        guard listed.count <= maximumDomains else {
            throw APIError(.invalidConfig, "authorizedDomains may have \(maximumDomains) elements at most")
        }
        if let problem = listed.lazy.compactMap(problem).first { throw APIError(.invalidConfig, problem) }
    }

    /// Describes the fault of an entry; `nil` for a host name, an address or a Chrome extension.
    static func problem(with domain: String) -> String? {
        if HostName(domain) != nil || isExtension(domain) { return nil }
        let shown = String(decoding: domain.utf8.prefix(100), as: UTF8.self)
        return "\(shown) is no domain: a host's name in ASCII (xn--… for other letters) without scheme, port and path"
    }

    private static func isExtension(_ text: String) -> Bool {
        text.utf8.count <= 96 && text.wholeMatch(of: /chrome-extension:\/\/[a-z0-9]{1,64}/) != nil
    }
}
