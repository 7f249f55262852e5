/// Whether second factors are used, and which: `mfa` of a `Config`, `mfaConfig` of a `Tenant`
/// (`Docs/Contract/admin-config.md` §4).
package struct MFAPolicy: Sendable, Hashable {
    /// `state` is `ENABLED` or `MANDATORY`.
    package let isOn: Bool
    /// Codes by SMS may be enrolled and shown.
    package let allowsSMS: Bool
    /// How many steps before and after the current one a TOTP code may be from; `nil` when TOTP is off.
    package let totpAdjacentIntervals: Int?

    private static let defaultAdjacentIntervals = 5
    private static let adjacentIntervals: ClosedRange<Int64> = 0...10

    /// Reads the object.
    package init(config: JSONValue?, isOnByDefault: Bool) {
        guard let config else {
            isOn = isOnByDefault
            allowsSMS = isOnByDefault
            totpAdjacentIntervals = isOnByDefault ? Self.defaultAdjacentIntervals : nil
            return
        }
        isOn = Self.isEnabled(config["state"])
        allowsSMS = isOn && (config["enabledProviders"]?.array ?? []).contains("PHONE_SMS")
        let totp = (config["providerConfigs"]?.array ?? []).first { $0["totpProviderConfig"] != nil }
        if let totp, Self.isEnabled(totp["state"]) {
            let named = totp["totpProviderConfig"]?["adjacentIntervals"]?.integer
            let clamped = named.map { min(max($0, Self.adjacentIntervals.lowerBound), Self.adjacentIntervals.upperBound) }
            totpAdjacentIntervals = clamped.map { Int($0) } ?? Self.defaultAdjacentIntervals
        } else {
            totpAdjacentIntervals = nil
        }
    }

    private static func isEnabled(_ state: JSONValue?) -> Bool { state == "ENABLED" || state == "MANDATORY" }
}
