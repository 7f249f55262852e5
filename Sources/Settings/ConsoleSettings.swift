import Project

/// `console.*`: the operators' pages.
package struct ConsoleSettings: Sendable {
    /// Whether the console is served at all.
    package let isEnabled: Bool
    /// Whether the public listener serves it, too.
    package let isPublic: Bool
    /// How long a session lasts without a request.
    package let idleTime: Duration
    /// How long a session lasts in any case.
    package let sessionTime: Duration
    /// Whether operators may sign in as a user.
    package let allowsImpersonation: Bool
    /// The custom claim whose users nobody may sign in as.
    package let impersonationForbiddenClaim: String
    /// Whether what hurts many users needs a second operator's consent.
    package let requiresApprovals: Bool
    private let configuredURL: WebURL?

    /// The address at which browsers reach the console: operators' passkeys are bound to its host.
    ///
    /// - Returns: The configured address; else the private listener as `localhost`, for which browsers demand no TLS; else the
    ///   public one.
    package func url(_ server: ServerSettings, publicPort: Int, adminPort: Int) -> WebURL {
        if let configuredURL { return configuredURL }
        if server.admin != nil { return WebURL(isSecure: false, host: "localhost", port: adminPort) }
        let url = server.publicURL(boundTo: publicPort)
        // A passkey belongs to a name, never to an address.
        guard server.configuredPublicURL == nil, IPAddress(url.host)?.isLoopback == true else { return url }
        return WebURL(isSecure: url.isSecure, host: "localhost", port: publicPort)
    }

    init(_ reader: SettingsReader) {
        isEnabled = reader.value("enabled", .boolean, default: true, "whether the console is served at `/console`")
        let named = reader.optional(
            "public",
            .boolean,
            otherwise: "`false`; `true` in development",
            "whether the public listener serves the console, too"
        )
        isPublic = named ?? (reader.rules?.servesConsoleInPublic == true)
        configuredURL = reader.optional(
            "url",
            .baseURL,
            otherwise: "`http://localhost:PORT` of the private listener, or `server.publicURL`",
            "where browsers reach the console; its host is that of operators' passkeys"
        )
        idleTime = .seconds(
            60
                * reader.value(
                    "idleMinutes",
                    .integer(in: 1...1440),
                    default: 30,
                    "after how long without a request operators are signed out"
                )
        )
        sessionTime = .seconds(
            3600
                * reader.value(
                    "sessionHours",
                    .integer(in: 1...168),
                    default: 12,
                    "after how long operators are signed out in any case"
                )
        )
        allowsImpersonation = reader.value(
            "impersonation",
            .boolean,
            default: false,
            "whether owners and administrators may sign in as a user, with a reason that the audit trail keeps"
        )
        impersonationForbiddenClaim = reader.value(
            "impersonationForbiddenClaim",
            .text,
            default: "admin",
            "custom claim whose users nobody may sign in as, unless it is `false` or `null`"
        )
        requiresApprovals = reader.value(
            "approvals",
            .boolean,
            default: false,
            "whether deleting several users, exports with hashes, downloads of backups, changes of signing keys, of owners and of "
                + "administrators, and making service accounts and tokens need another operator's consent"
        )
        if let url = configuredURL, WebAddress(url.text) == nil {
            reader.refuse("url", "expected a host of letters, digits and hyphens (xn--… for other letters)")
        }
    }
}
