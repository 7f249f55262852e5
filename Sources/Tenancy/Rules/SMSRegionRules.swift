import Project

/// The rules for `smsRegionConfig`, which has one of two variants (`Docs/Contract/admin-config.md` §3).
enum SMSRegionRules {
    private static let variants = [("allowByDefault", "disallowedRegions"), ("allowlistOnly", "allowedRegions")]

    /// Removes the variant that the request did not set, and writes regions in capitals.
    static func settled(_ config: JSONValue, body: JSONValue?) throws -> JSONValue {
        var config = config
        for (variant, list) in variants {
            guard config[variant] != nil else { continue }
            let isOther = config.object?.count == 2 && body?[variant]?.object == nil
            if isOther {
                config[variant] = nil
                continue
            }
            let regions = (config[variant]?[list]?.array ?? []).compactMap(\.string).map { $0.uppercased() }
            guard regions.allSatisfy({ $0.wholeMatch(of: /[A-Z]{2}/) != nil }), regions.count <= 676 else {
                throw APIError(.invalidConfig, "\(list) must name regions by two letters")
            }
            guard !regions.isEmpty else { continue }
            config = config.setting(.array(regions.map(JSONValue.string)), at: [variant, list])
        }
        return config
    }
}
