import Project

/// The rules for `recaptchaConfig` (`Docs/Contract/admin-config.md` §6). Unknown enum words are refused while reading.
enum RecaptchaRules {
    /// Checks a changed configuration.
    ///
    /// - Parameter body: It must not switch account defender on while passwords are not protected.
    /// - Throws: `APIError` `RECAPTCHA_NOT_ENABLED`, `INVALID_CONFIG`.
    static func check(_ config: JSONValue, body: JSONValue?) throws {
        let state = config["emailPasswordEnforcementState"]?.string ?? "OFF"
        if body?["useAccountDefender"] == true, config["useAccountDefender"] == true, state == "OFF" {
            throw APIError(.recaptchaNotEnabled, "useAccountDefender needs emailPasswordEnforcementState AUDIT or ENFORCE")
        }
        for (list, score) in [("managedRules", "endScore"), ("tollFraudManagedRules", "startScore")] {
            for rule in config[list]?.array ?? [] where !isScore(rule[score]) {
                throw APIError(.invalidConfig, "\(list).\(score) must be between 0 and 1, in tenths")
            }
        }
        for key in config["recaptchaKeys"]?.array ?? [] {
            let name = key["key"]?.string ?? ""
            guard name.wholeMatch(of: /projects\/[^\/\s]{1,128}\/keys\/[^\/\s]{1,256}/) != nil, key["type"]?.string != nil else {
                throw APIError(.invalidConfig, "recaptchaKeys must have a key projects/PROJECT/keys/KEY and a type")
            }
        }
    }

    private static func isScore(_ value: JSONValue?) -> Bool {
        let score: Double
        switch value {
        case nil: score = 0
        case .integer(let number): score = Double(clamping: number)
        case .number(let number): score = number
        default: return false
        }
        let tenths = score * 10
        return (0...1).contains(score) && abs(tenths - tenths.rounded()) < 1e-6
    }
}

extension Double {
    fileprivate init(clamping number: Int64) { self = Double(min(max(number, -2), 2)) }
}
