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
        if let problem = listed.lazy.compactMap(problem).first { throw APIError(.invalidConfig, problem) }
        return .array(listed.filter { seen.insert($0).inserted }.map(JSONValue.string))
    }

    /// What is wrong with an entry; `nil` for a host's name, an address and an extension of Chrome.
    static func problem(with domain: String) -> String? {
        if HostName(domain) != nil || isExtension(domain) { return nil }
        let shown = String(decoding: domain.utf8.prefix(100), as: UTF8.self)
        return "\(shown) is no domain: a host's name in ASCII (xn--… for other letters) without scheme, port and path"
    }

    private static func isExtension(_ text: String) -> Bool {
        text.utf8.count <= 96 && text.wholeMatch(of: /chrome-extension:\/\/[a-z0-9]{1,64}/) != nil
    }
}
