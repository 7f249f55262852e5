/// When calls must bring a reCAPTCHA Enterprise token: `recaptchaConfig` of a v2 `Config` or `Tenant`
/// (`Docs/Contract/admin-config.md` §6).
package struct RecaptchaPolicy: Sendable, Hashable {
    /// What happens to calls without a good token.
    package enum Enforcement: String, Sendable {
        /// Tokens are not looked at.
        case off = "OFF"
        /// Tokens are judged and nothing is refused.
        case audit = "AUDIT"
        /// Calls without a good token are refused.
        case enforce = "ENFORCE"
    }

    package enum Platform: String, Sendable {
        case web = "WEB"
        case ios = "IOS"
        case android = "ANDROID"
    }

    /// For passwords and e-mail.
    package let emailPassword: Enforcement
    package let phone: Enforcement
    /// `useSmsBotScore`; `false` when phone numbers are not protected.
    package let usesSMSBotScore: Bool
    /// `useSmsTollFraudProtection`; `false` when phone numbers are not protected.
    package let usesSMSTollFraudProtection: Bool
    private let keys: [Platform: String]
    private let blockedScores: Double?

    /// Reads a `recaptchaConfig`. An unknown state counts as off.
    package init(config: JSONValue?) {
        let state = { (name: String) in config?[name]?.string.flatMap(Enforcement.init) ?? .off }
        emailPassword = state("emailPasswordEnforcementState")
        phone = state("phoneEnforcementState")
        usesSMSBotScore = phone != .off && config?["useSmsBotScore"]?.bool == true
        usesSMSTollFraudProtection = phone != .off && config?["useSmsTollFraudProtection"]?.bool == true
        blockedScores = (config?["managedRules"]?.array ?? []).filter { $0["action"]?.string == "BLOCK" }
            .compactMap { $0["endScore"]?.double }.max()
        let pairs = (config?["recaptchaKeys"]?.array ?? []).compactMap { entry -> (Platform, String)? in
            guard let platform = entry["type"]?.string.flatMap(Platform.init), let key = entry["key"]?.string,
                Self.parts(key).count == 4
            else { return nil }
            return (platform, key)
        }
        keys = Dictionary(pairs) { first, _ in first }
    }

    /// Whether tokens are looked at on any kind of call.
    package var isInUse: Bool { emailPassword != .off || phone != .off }

    /// Whether a token of this score, from 0 to 1, is good enough: `managedRules` block up to their `endScore`.
    package func accepts(score: Double) -> Bool { blockedScores.map { score > $0 } ?? true }

    /// The key of a platform, `projects/PROJECT/keys/KEY`.
    package func key(for platform: Platform) -> String? { keys[platform] }

    /// The last part of a platform's key, which pages show to reCAPTCHA.
    package func siteKey(for platform: Platform) -> String? { keys[platform].flatMap { Self.parts($0).last } }

    private static func parts(_ key: String) -> [String] { key.split(separator: "/").map(String.init) }
}
