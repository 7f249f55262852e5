import OrderedCollections
import Project

/// A resource of the v2 API: its members, and those that only the server writes (`Docs/Contract/admin-config.md` §3 to §12).
struct ResourceSchema: Sendable {
    let shape: ResourceShape
    /// Paths of members that are ignored in requests; `*` stands for any key of a map and any element of a list.
    let outputOnly: Set<[String]>

    static let config = ResourceSchema(
        shape: .config,
        outputOnly: Set(
            [
                ["name"], ["subtype"], ["defaultHostingSite"], ["signIn", "hashConfig"], ["client", "apiKey"],
                ["client", "firebaseSubdomain"], ["notification", "sendSms", "smsTemplate"],
                ["blockingFunctions", "triggers", "*", "updateTime"],
            ] + passwordPolicy + mail
        )
    )

    static let tenant = ResourceSchema(
        shape: .object(ResourceShape.tenantMembers),
        outputOnly: Set(
            [["name"], ["tenantId"], ["hashConfig"], ["client", "apiKey"], ["client", "firebaseSubdomain"]] + passwordPolicy
        )
    )

    static let defaultSupportedIdpConfig = ResourceSchema(shape: .defaultSupportedIdpConfig, outputOnly: [["name"]])
    static let oauthIdpConfig = ResourceSchema(shape: .oauthIdpConfig, outputOnly: [["name"], ["warnings"]])
    static let inboundSamlConfig = ResourceSchema(
        shape: .inboundSamlConfig,
        outputOnly: [["name"], ["warnings"], ["spConfig", "spCertificates"]]
    )

    private static let passwordPolicy = [
        ["passwordPolicyConfig", "lastUpdateTime"],
        ["passwordPolicyConfig", "passwordPolicyVersions", "*", "schemaVersion"],
    ]

    private static let mail: [[String]] = {
        let domain = ["customDomain", "pendingCustomDomain", "customDomainState", "domainVerificationRequestTime"]
        return domain.map { ["notification", "sendEmail", "dnsInfo", $0] }
            + templates.map { ["notification", "sendEmail", $0, "customized"] }
    }()

    /// The members of `notification.sendEmail` that are templates.
    static let templates = [
        "resetPasswordTemplate", "verifyEmailTemplate", "changeEmailTemplate", "legacyResetPasswordTemplate",
        "revertSecondFactorAdditionTemplate",
    ]

    /// The target of a path in a mask.
    enum Target: Sendable, Hashable {
        /// A member that may be set, with its path in canonical spelling.
        case member([String])
        /// A member that only the server writes.
        case outputOnly
        /// No member: the name is unknown, or the path goes into a text, number or list.
        case nowhere
    }

    /// Follows a path. Its names may be in camel or snake case.
    func target(of path: [String]) -> Target {
        var shape = shape
        var canonical: [String] = []
        var pattern: [String] = []
        for name in path {
            switch shape {
            case .object(let members):
                let camel = CamelCase.name(name)
                guard let member = members[camel] else { return .nowhere }
                canonical.append(camel)
                pattern.append(camel)
                shape = member
            case .map(let member):
                canonical.append(name)
                pattern.append("*")
                shape = member
            default: return .nowhere
            }
            if outputOnly.contains(pattern) { return .outputOnly }
        }
        return canonical.isEmpty ? .nowhere : .member(canonical)
    }
}

/// Converts member names between the two spellings of proto3 JSON.
enum CamelCase {
    /// `sms_region_config` as `smsRegionConfig`; a name without underscores stays as it is.
    static func name(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "_")) else { return name }
        let parts = name.split(separator: "_")
        guard let first = parts.first else { return name }
        return first + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
