import Project
import Tokens

/// What a declarative project file may say (`design/configuration.md`).
enum ProjectDeclarationRules {
    /// What is wrong with a file, one line for each thing, each naming its place.
    static func problems(of document: JSONValue) -> [String] {
        var problems = file.problems(of: document, at: "")
        problems += providerProblems(of: document, at: "") + serviceAccountProblems(of: document)
        for (tenantID, tenant) in document["tenants"]?.object ?? [:] {
            problems += providerProblems(of: tenant, at: "tenants.\(tenantID).")
        }
        return problems.sorted()
    }

    /// The collections of provider configurations, with the shapes of their resources.
    static let collections: [(name: String, shape: ResourceShape)] = [
        ("defaultSupportedIdpConfigs", .defaultSupportedIdpConfig), ("oauthIdpConfigs", .oauthIdpConfig),
    ]

    private static let file: ResourceShape = {
        let providers = Dictionary(uniqueKeysWithValues: collections.map { ($0.name, ResourceShape.map($0.shape)) })
            .merging(["inboundSamlConfigs": .map(.any)]) { $1 }
        let tenant = ResourceShape.tenantMembers.merging(providers) { $1 }
        let own: [String: ResourceShape] = [
            "config": .config, "tenants": .map(.object(tenant)), "serviceAccounts": .map(.serviceAccount),
        ]
        return .object(own.merging(providers) { $1 })
    }()

    // `contract/admin-config.md` §11.4.
    private static let defaultProviders = [
        "google.com", "facebook.com", "apple.com", "twitter.com", "github.com", "microsoft.com", "yahoo.com", "linkedin.com",
        "playgames.google.com", "gc.apple.com",
    ]

    private static func providerProblems(of document: JSONValue, at place: String) -> [String] {
        collections.flatMap { collection in
            (document[collection.name]?.object ?? [:]).keys.flatMap { providerID in
                idProblems(providerID, collection: collection.name, at: "\(place)\(collection.name).\(providerID)")
            }
        }
    }

    private static func serviceAccountProblems(of document: JSONValue) -> [String] {
        (document["serviceAccounts"]?.object ?? [:]).flatMap { email, account in
            let place = "serviceAccounts.\(email)"
            var problems: [String] = []
            if EmailAddress.canonical(email) != email { problems.append("\(place) must be an e-mail address in lower case") }
            if account["publicKey"]?.string.flatMap(ServiceAccountPublicKey.init) == nil {
                problems.append("\(place).publicKey must be an RSA public key or certificate in PEM, of 2048 to 8192 bits")
            }
            return problems
        }
    }

    private static func idProblems(_ providerID: String, collection: String, at name: String) -> [String] {
        if collection == "oauthIdpConfigs" {
            let isValid = providerID.wholeMatch(of: /oidc\.[A-Za-z0-9._-]{1,32}/) != nil
            return isValid ? [] : ["\(name) must be named oidc. and up to 32 letters, digits, '.', '-' or '_'"]
        }
        return defaultProviders.contains(providerID) ? [] : ["\(name) is no provider that Postern knows"]
    }
}
