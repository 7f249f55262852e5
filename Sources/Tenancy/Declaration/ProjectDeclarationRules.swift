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
        problems += secretProblems(of: document["config"], at: "config.") + providerSecretProblems(of: document, at: "")
        for (tenantID, tenant) in document["tenants"]?.object ?? [:] {
            if tenantID.text.isEmpty || !KeyLength.fits(tenantID.text, KeyLength.tenantID) {
                let name = TerminalText.printable(String(decoding: tenantID.text.utf8.prefix(KeyLength.tenantID), as: UTF8.self))
                problems.append("tenants.\(name) must be named by 1 to \(KeyLength.tenantID) bytes without U+0000")
            }
            let place = "tenants.\(tenantID)."
            problems += providerProblems(of: tenant, at: place)
            problems += secretProblems(of: tenant, at: place) + providerSecretProblems(of: tenant, at: place)
        }
        return problems.sorted()
    }

    private static let file: Shape = {
        let providers = Shape.Members(
            uniqueKeysWithValues: ProviderCollection.allCases.map { ($0.rawValue, Shape.map($0.kind.shape)) }
        )
        let tenant = Shape.tenantMembers.merging(providers) { $1 }
        let own: Shape.Members = [
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

    private static func providerSecretProblems(of document: JSONValue, at place: String) -> [String] {
        ProviderCollection.allCases.flatMap { collection in
            (document[collection.rawValue]?.object ?? [:]).flatMap { id, provider in
                secretProblems(of: provider, at: "\(place)\(collection.rawValue).\(id).")
            }
        }
    }

    // The store would refuse them only when the file is applied.
    private static func secretProblems(of resource: JSONValue?, at place: String) -> [String] {
        ConfigurationSecrets.paths.compactMap { path in
            guard let secret = path.reduce(resource, { $0?[$1] })?.string else { return nil }
            let isTaken = TokenSealer.takes(secret.utf8.count, for: .configurationSecret)
            return isTaken ? nil : "\(place)\(path.joined(separator: ".")) is too long"
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
