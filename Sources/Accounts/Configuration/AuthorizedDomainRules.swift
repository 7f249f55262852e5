import Project

/// What `authorizedDomains` may name (`contract/admin-config.md` §8).
enum AuthorizedDomainRules {
    private static let maximumDomains = 1000

    /// The domains in lower case, each once.
    ///
    /// - Throws: `APIError` `INVALID_CONFIG` for what is neither a host's name, nor an address, nor an extension of Chrome.
    static func settled(_ domains: JSONValue) throws -> JSONValue {
        let listed = (domains.array ?? []).compactMap(\.string).map { $0.lowercased() }
        guard listed.count <= maximumDomains else {
            throw APIError(.invalidConfig, "authorizedDomains may have \(maximumDomains) elements at most")
        }
        var seen: Set<String> = []
        for domain in listed where !isDomain(domain) {
            throw APIError(.invalidConfig, "\(domain.prefix(100)) is no domain: a host's name without scheme, port and path")
        }
        return .array(listed.filter { seen.insert($0).inserted }.map(JSONValue.string))
    }

    private static func isDomain(_ text: String) -> Bool {
        if IPAddress(text) != nil { return true }
        if text.wholeMatch(of: /chrome-extension:\/\/[a-z0-9]{1,64}/) != nil { return true }
        // An e-mail's domain is held to the same rule.
        return text.utf8.count <= 253 && EmailAddress.canonical("a@" + text) != nil
    }
}
