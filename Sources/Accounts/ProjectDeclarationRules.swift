import Project

/// What a declarative project file may say (`design/configuration.md`): a misspelt member is refused rather than passed over.
enum ProjectDeclarationRules {
    /// What is wrong with a file, one line for each thing, each naming its place.
    static func problems(of document: JSONValue) -> [String] {
        guard document.object != nil else { return ["the file must be a map"] }
        var problems = unknown(in: document, at: "", known: ["config", "tenants"] + collections.map(\.name))
        problems += unknown(in: document["config"], at: "config", known: configMembers)
        problems += providerProblems(of: document, at: "")
        for (tenantID, tenant) in document["tenants"]?.object ?? [:] {
            let place = "tenants.\(tenantID)"
            problems += unknown(in: tenant, at: place, known: tenantMembers + collections.map(\.name))
            problems += providerProblems(of: tenant, at: place + ".")
        }
        return problems.sorted()
    }

    /// The collections of provider configurations, with the members of their resources.
    static let collections: [(name: String, members: [String])] = [
        (
            "defaultSupportedIdpConfigs",
            ["name", "enabled", "clientId", "clientSecret", "additionalClientIds", "appleSignInConfig"]
        ),
        (
            "oauthIdpConfigs",
            ["name", "enabled", "displayName", "issuer", "clientId", "clientSecret", "additionalClientIds", "responseType"]
        ),
    ]

    // `contract/admin-config.md` §11.4.
    private static let defaultProviders = [
        "google.com", "facebook.com", "apple.com", "twitter.com", "github.com", "microsoft.com", "yahoo.com", "linkedin.com",
        "playgames.google.com", "gc.apple.com",
    ]

    // `contract/admin-config.md` §3.
    private static let configMembers = [
        "signIn", "notification", "quota", "monitoring", "multiTenant", "authorizedDomains", "client", "mfa",
        "blockingFunctions", "smsRegionConfig", "autodeleteAnonymousUsers", "recaptchaConfig", "passwordPolicyConfig",
        "emailPrivacyConfig", "mobileLinksConfig",
    ]

    // `contract/admin-config.md` §12.
    private static let tenantMembers = [
        "displayName", "allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser", "disableAuth", "mfaConfig",
        "testPhoneNumbers", "inheritance", "client", "smsRegionConfig", "recaptchaConfig", "passwordPolicyConfig",
        "emailPrivacyConfig", "monitoring", "autodeleteAnonymousUsers", "mobileLinksConfig",
    ]

    private static func providerProblems(of document: JSONValue, at place: String) -> [String] {
        collections.flatMap { collection in
            (document[collection.name]?.object ?? [:]).flatMap { providerID, resource in
                let name = "\(place)\(collection.name).\(providerID)"
                guard resource.object != nil else { return ["\(name) must be a map"] }
                return unknown(in: resource, at: name, known: collection.members)
                    + idProblems(providerID, collection: collection.name, at: name)
                    + memberProblems(of: resource, at: name)
            }
        }
    }

    private static func idProblems(_ providerID: String, collection: String, at name: String) -> [String] {
        if collection == "oauthIdpConfigs" {
            let isValid = providerID.wholeMatch(of: /oidc\.[A-Za-z0-9._-]{1,32}/) != nil
            return isValid ? [] : ["\(name) must be named oidc. and up to 32 letters, digits, '.', '-' or '_'"]
        }
        return defaultProviders.contains(providerID) ? [] : ["\(name) is no provider that Postern knows"]
    }

    private static func memberProblems(of resource: JSONValue, at name: String) -> [String] {
        var problems: [String] = []
        func expect(_ member: String, _ expectation: String, _ holds: (JSONValue) -> Bool) {
            if let value = resource[member], value != .null, !holds(value) { problems.append("\(name).\(member) \(expectation)") }
        }
        expect("enabled", "must be true or false") { $0.bool != nil }
        for member in ["clientId", "clientSecret", "displayName"] { expect(member, "must be a text") { $0.string != nil } }
        expect("additionalClientIds", "must be a list of texts") { $0.array?.allSatisfy { $0.string != nil } ?? false }
        expect("issuer", "must be an absolute https or http URL") { value in
            ["https://", "http://"].contains { value.string?.hasPrefix($0) ?? false }
        }
        if let bundles = resource["appleSignInConfig"]?["bundleIds"], bundles.array?.allSatisfy({ $0.string != nil }) != true {
            problems.append("\(name).appleSignInConfig.bundleIds must be a list of texts")
        }
        return problems
    }

    private static func unknown(in value: JSONValue?, at place: String, known: [String]) -> [String] {
        guard let value, value != .null else { return [] }
        guard let members = value.object else { return ["\(place) must be a map"] }
        return members.keys.filter { !known.contains($0) }.map { name in
            "\(place.isEmpty ? name : "\(place).\(name)") is unknown; expected one of \(known.sorted().joined(separator: ", "))"
        }
    }
}
