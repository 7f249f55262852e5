package import Federation
package import Project

/// All settings of the server, checked and complete: one value per section of the settings file.
package struct Settings: Sendable {
    /// `mode`.
    package let mode: ServerMode
    /// `development.*`.
    package let development: DevelopmentSettings
    /// `server.*`.
    package let server: ServerSettings
    /// `project.*`.
    package let project: ProjectSettings
    /// `admin.*`.
    package let admin: AdminSettings
    /// `console.*`.
    package let console: ConsoleSettings
    /// `database.*`.
    package let database: DatabaseSettings
    /// `secrets.*`.
    package let secrets: SecretsSettings
    /// `tokens.*`.
    package let tokens: TokenSettings
    /// `passwords.*`.
    package let passwords: PasswordSettings
    /// `outbound.*`.
    package let outbound: OutboundSettings
    /// `email.*`.
    package let email: EmailSettings
    /// `sms.*`.
    package let sms: SMSSettings
    /// `apns.*`.
    package let apns: APNsSettings
    /// `recaptcha.*`.
    package let recaptcha: RecaptchaSettings
    /// `endpoints.*`.
    package let endpoints: ProviderEndpoints
    /// `gameCenter.*`.
    package let gameCenter: GameCenterSettings
    /// `passkeys.*`.
    package let passkeys: PasskeySettings
    /// `appLinks.*`.
    package let appLinks: AppLinkSettings
    /// `webhooks.*`.
    package let webhooks: WebhookSettings
    /// `audit.*`.
    package let audit: AuditSettings
    /// `backup.*`.
    package let backup: BackupSettings
    /// `limits.*`.
    package let limits: LimitSettings
    /// `log.*`.
    package let log: LogSettings
    /// `metrics.*`.
    package let metrics: MetricsSettings
    /// `telemetry.*`.
    package let telemetry: TelemetrySettings
    /// Warnings for the log: unknown `POSTERN_…` variables, and settings that are allowed but rarely intended.
    package let warnings: [String]

    /// Reads every section. Problems are recorded in the reader. If there are any, this value must not be used.
    init(_ root: SettingsReader, source: SettingsSource) {
        let meaning = "how much the server trusts its callers"
        let read: ServerMode? = root.optional("mode", .word, otherwise: "`production`", meaning)
        mode = read ?? .production
        let reader = root.inMode(root.isSet("mode") ? read : .production)

        development = DevelopmentSettings(reader.section("development"))
        server = ServerSettings(reader.section("server"), development: development)
        project = ProjectSettings(reader.section("project"))
        admin = AdminSettings(reader.section("admin"))
        console = ConsoleSettings(reader.section("console"))
        database = DatabaseSettings(reader.section("database"))
        secrets = SecretsSettings(reader.section("secrets"))
        tokens = TokenSettings(reader.section("tokens"))
        passwords = PasswordSettings(reader.section("passwords"))
        outbound = OutboundSettings(reader.section("outbound"))
        email = EmailSettings(reader.section("email"))
        sms = SMSSettings(reader.section("sms"), outbound: outbound)
        apns = APNsSettings(reader.section("apns"), outbound: outbound)
        recaptcha = RecaptchaSettings(reader.section("recaptcha"), outbound: outbound)
        endpoints = ProviderEndpoints(reader.section("endpoints"), outbound: outbound)
        gameCenter = GameCenterSettings(reader.section("gameCenter"))
        passkeys = PasskeySettings(reader.section("passkeys"))
        appLinks = AppLinkSettings(reader.section("appLinks"))
        webhooks = WebhookSettings(reader.section("webhooks"), outbound: outbound)
        audit = AuditSettings(reader.section("audit"), outbound: outbound)
        backup = BackupSettings(reader.section("backup"), variables: source.amazon, outbound: outbound)
        limits = LimitSettings(reader.section("limits"))
        log = LogSettings(reader.section("log"))
        metrics = MetricsSettings(reader.section("metrics"))
        telemetry = TelemetrySettings(reader.section("telemetry"), variables: source.openTelemetry)

        let unknown = source.unknownVariables(known: Set(reader.record.keys.map(\.environmentName)))
        warnings = reader.record.warnings + unknown.map { "\($0) is set but is the name of no setting" }
    }
}

extension Settings {
    /// What these settings leave out that users would miss, in sentences for operators. The server starts without it.
    package var gaps: [String] {
        var gaps: [String] = []
        if case .none = email.transport {
            gaps.append("email.transport is not set: no e-mail leaves this server, unless the project has one of its own")
        }
        return gaps
    }

    /// All keys in the order of reading. They are found by reading settings that are all absent.
    package static var documentedKeys: [DocumentedKey] {
        get throws {
            let source = try SettingsSource(file: nil, environment: [:], in: "")
            let reader = SettingsReader(source: source, surroundings: Surroundings(workingDirectory: "", processors: 1))
            _ = Settings(reader, source: source)
            return reader.record.keys
        }
    }
}
