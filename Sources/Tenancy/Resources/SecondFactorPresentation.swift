import Project

/// How second factors are presented (`Docs/Contract/admin-config.md` §2.2 and §4).
enum SecondFactorPresentation {
    /// Adds the states to a section that is shown; the Node Admin SDK fails without them.
    static func completed(_ answer: JSONValue, at name: String) -> JSONValue {
        guard let section = answer[name] else { return answer }
        var completed = section.filled(from: ["state": "DISABLED"])
        if let providers = section["providerConfigs"]?.array {
            let missing: JSONValue = ["state": "DISABLED", "totpProviderConfig": [:]]
            completed["providerConfigs"] = .array(providers.map { $0.filled(from: missing) })
        }
        return answer.setting(completed, at: [name])
    }
}
