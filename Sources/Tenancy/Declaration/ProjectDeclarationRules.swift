import OrderedCollections
import Project
import Tokens

/// The rules for a declarative project file (`Docs/Configuration.md`).
enum ProjectDeclarationRules {
    /// Lists the errors of a file, one line for each, with its place.
    static func problems(of document: JSONValue) -> [String] {
        var problems = file.problems(of: document, at: "")
        problems += providerProblems(of: document, at: "") + serviceAccountProblems(of: document)
        problems += domainProblems(of: document["config"]?["authorizedDomains"])
        for (tenantID, tenant) in document["tenants"]?.object ?? [:] {
            problems += providerProblems(of: tenant, at: "tenants.\(tenantID).")
        }
        return problems.sorted()
    }

    private static let file: ResourceShape = {
        let providers = ResourceShape.Members(
            uniqueKeysWithValues: ProviderCollection.allCases.map { ($0.rawValue, ResourceShape.map($0.schema.shape)) }
        )
        let tenant = ResourceShape.tenantMembers.merging(providers) { $1 }
        let own: ResourceShape.Members = [
            "config": .config, "tenants": .map(.object(tenant)), "serviceAccounts": .map(.serviceAccount),
        ]
        return .object(own.merging(providers) { $1 })
    }()

    private static func providerProblems(of document: JSONValue, at place: String) -> [String] {
        ProviderCollection.allCases.flatMap { collection in
            (document[collection.rawValue]?.object ?? [:]).keys.filter { !collection.isID($0.text) }.map {
                "\(place)\(collection.rawValue).\($0) \(collection.idRule)"
            }
        }
    }

    private static func domainProblems(of domains: JSONValue?) -> [String] {
        (domains?.array ?? []).compactMap(\.string).compactMap { domain in
            AuthorizedDomainRules.problem(with: domain.lowercased()).map { "config.authorizedDomains: \($0)" }
        }
    }

    private static func serviceAccountProblems(of document: JSONValue) -> [String] {
        (document["serviceAccounts"]?.object ?? [:]).flatMap { email, account in
            let place = "serviceAccounts.\(email)"
            var problems: [String] = []
            if EmailAddress.canonical(email.text) != email.text {
                problems.append("\(place) must be an e-mail address in lower case")
            }
            if account["publicKey"]?.string.flatMap(ServiceAccountPublicKey.init) == nil {
                problems.append("\(place).publicKey must be an RSA public key or certificate in PEM, of 2048 to 8192 bits")
            }
            return problems
        }
    }
}
