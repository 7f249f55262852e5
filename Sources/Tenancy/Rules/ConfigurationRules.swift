import Passwords
import Project

/// The rules for `Config` and `Tenant` resources (`Docs/Contract/admin-config.md` §3 to §8 and §10). Only changed parts are
/// checked, so a part that was stored under older rules does not block other changes.
struct ConfigurationRules: Sendable {
    let network: NetworkGuard

    /// The paths of members whose place differs between the resources.
    struct Layout: Sendable {
        let secondFactors: String
        let testPhoneNumbers: [String]

        static let config = Layout(secondFactors: "mfa", testPhoneNumbers: ["signIn", "phoneNumber", "testPhoneNumbers"])
        static let tenant = Layout(secondFactors: "mfaConfig", testPhoneNumbers: ["testPhoneNumbers"])
    }

    /// Checks a request's body, regardless of its mask.
    func check(body: JSONValue) throws {
        try BlockingFunctionRules(network: network).check(body["blockingFunctions"])
        let regions = body["smsRegionConfig"]
        if regions?["allowByDefault"]?.object != nil, regions?["allowlistOnly"]?.object != nil {
            throw APIError(.invalidConfig, "smsRegionConfig must have one of allowByDefault and allowlistOnly")
        }
    }

    /// Checks and completes a changed resource.
    func completed(
        _ next: JSONValue,
        stored: JSONValue,
        body: JSONValue,
        layout: Layout,
        at time: Timestamp
    ) throws -> JSONValue {
        var next = next
        func changed(_ path: [String]) -> JSONValue? {
            let value = next.value(at: path)
            return value == stored.value(at: path) ? nil : value
        }
        if let policy = changed(["passwordPolicyConfig"]) {
            _ = try PasswordPolicy(config: policy)
            next["passwordPolicyConfig"] = Self.stamped(policy, at: time)
        }
        if let factors = changed([layout.secondFactors]) { try Self.checkSecondFactors(factors, at: layout.secondFactors) }
        if let numbers = changed(layout.testPhoneNumbers) { try Self.checkTestPhoneNumbers(numbers) }
        if let recaptcha = changed(["recaptchaConfig"]) { try RecaptchaRules.check(recaptcha, body: body["recaptchaConfig"]) }
        if let regions = changed(["smsRegionConfig"]) {
            next["smsRegionConfig"] = try SMSRegionRules.settled(regions, body: body["smsRegionConfig"])
        }
        if let domains = changed(["authorizedDomains"]) { try AuthorizedDomainRules.check(domains) }
        if let notification = changed(["notification"]) {
            next["notification"] = NotificationRules.keepingPassword(notification, stored: stored["notification"])
            try NotificationRules.check(notification, changedFrom: stored["notification"])
        }
        if let quota = changed(["quota", "signUpQuotaConfig"]) { try Self.checkQuota(quota) }
        if let functions = changed(["blockingFunctions"]) {
            next["blockingFunctions"] = BlockingFunctionRules.stamped(functions, stored: stored["blockingFunctions"], at: time)
        }
        // An absent flag means false on the wire; stored as absent it would become the mode's default.
        if let privacy = changed(["emailPrivacyConfig"]), privacy.object != nil {
            let flag = privacy["enableImprovedEmailPrivacy"] ?? false
            next["emailPrivacyConfig"] = ["enableImprovedEmailPrivacy": flag]
        }
        return next
    }

    /// The fictional numbers that a change adds.
    func addedTestPhoneNumbers(_ next: JSONValue, stored: JSONValue, layout: Layout) -> Set<String> {
        func numbers(_ document: JSONValue) -> Set<String> {
            Set((document.value(at: layout.testPhoneNumbers)?.object ?? [:]).keys.map(\.text))
        }
        return numbers(next).subtracting(numbers(stored))
    }

    private static func stamped(_ policy: JSONValue, at time: Timestamp) -> JSONValue {
        var policy = policy
        policy["lastUpdateTime"] = .string(time.rfc3339)
        let versions = (policy["passwordPolicyVersions"]?.array ?? []).map { $0.merging(["schemaVersion": 1]) }
        policy["passwordPolicyVersions"] = .array(versions)
        return policy
    }

    // §4: one entry for TOTP, because entries have no name; phone is not configured here.
    private static func checkSecondFactors(_ config: JSONValue, at place: String) throws {
        let known = ["PHONE_SMS", "PROVIDER_UNSPECIFIED"]
        guard (config["enabledProviders"]?.array ?? []).allSatisfy({ known.contains($0.string ?? "") }) else {
            throw APIError(.invalidConfig, "\(place).enabledProviders may name PHONE_SMS only")
        }
        let providers = config["providerConfigs"]?.array ?? []
        guard providers.count <= 1 else { throw APIError(.invalidConfig, "\(place).providerConfigs may have one element") }
        let intervals = providers.first?["totpProviderConfig"]?["adjacentIntervals"]?.integer ?? 0
        guard (0...10).contains(intervals) else {
            throw APIError(.invalidConfig, "adjacentIntervals must be between 0 and 10")
        }
    }

    // The rules of §7.
    private static func checkTestPhoneNumbers(_ numbers: JSONValue) throws {
        let numbers = numbers.object ?? [:]
        guard numbers.count <= 10 else { throw APIError(.invalidConfig, "testPhoneNumbers may have ten entries at most") }
        for (number, code) in numbers {
            guard number.text.wholeMatch(of: /\+[0-9]{8,15}/) != nil, code.string?.wholeMatch(of: /[0-9]{6}/) != nil else {
                throw APIError(.invalidTestingPhoneNumber)
            }
        }
    }

    // These are protobuf's JSON forms of int64, Timestamp and Duration.
    private static func checkQuota(_ quota: JSONValue) throws {
        func check(_ name: String, _ isValid: (String) -> Bool) throws {
            guard let text = quota[name]?.string, !isValid(text) else { return }
            throw APIError(.invalidConfig, "quota.signUpQuotaConfig.\(name) is malformed")
        }
        try check("quota") { Int64($0).map { $0 >= 0 } ?? false }
        try check("startTime") {
            $0.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z/) != nil
        }
        try check("quotaDuration") { $0.wholeMatch(of: /[0-9]{1,12}(\.[0-9]{1,9})?s/) != nil }
    }
}
