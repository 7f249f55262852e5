import Foundation
import Project
import Testing

@testable import Settings

@Suite("Rules between settings")
struct RuleTests {
    /// Problems of an environment in development mode.
    private func development(_ environment: [String: String]) async throws -> [String] {
        try await Workspace().problems("mode: development\n", environment)
    }

    /// Problems of an environment added to what production needs.
    private func production(_ environment: [String: String]) async throws -> [String] {
        try await Workspace().problems(nil, productionEnvironment.merging(environment) { $1 })
    }

    @Test(arguments: ["127.0.0.1", "127.8.8.8", "::1", "localhost", "LOCALHOST", "::ffff:127.0.0.1"])
    func developmentListensOnLoopback(host: String) async throws {
        #expect(try await development(["POSTERN_SERVER_HOST": host]).isEmpty)
    }

    @Test(arguments: ["0.0.0.0", "::", "192.168.1.4", "example.com", "localhost.example.com", "::ffff:10.0.0.1"])
    func developmentOnAnyOtherHostNeedsTheSwitch(host: String) async throws {
        let problems = try await development(["POSTERN_SERVER_HOST": host])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("server.host: expected a loopback address when mode is development") == true)
        #expect(try await development(["POSTERN_SERVER_HOST": host, "POSTERN_DEVELOPMENT_ALLOW_REMOTE": "true"]).isEmpty)
    }

    @Test func developmentKeepsTheAdminListenerOnLoopbackToo() async throws {
        let environment = ["POSTERN_SERVER_ADMIN_HOST": "0.0.0.0", "POSTERN_SERVER_ADMIN_PORT": "9100"]
        #expect(try await development(environment).first?.hasPrefix("server.adminHost: expected a loopback address") == true)
        #expect(try await production(environment).isEmpty)
    }

    @Test(arguments: ["POSTERN_DEVELOPMENT_ALLOW_REMOTE", "POSTERN_DEVELOPMENT_SIGN_TOKENS"], ["true", "false"])
    func productionRefusesDevelopmentSwitches(variable: String, value: String) async throws {
        let problems = try await production([variable: value])
        #expect(problems.count == 1)
        #expect(problems.first?.hasSuffix("not allowed when mode is production (environment variable \(variable))") == true)
    }

    @Test(arguments: ["POSTERN_PROJECT_ID", "POSTERN_PROJECT_API_KEYS", "POSTERN_SECRETS_MASTER_KEY"])
    func productionNeeds(variable: String) async throws {
        let problems = try await production([variable: ""])
        #expect(problems.count == 1)
        #expect(problems.first?.contains(": missing: expected") == true && problems.first?.contains(variable) == true)
    }

    @Test func anEmptyListOfAPIKeysIsNoList() async throws {
        let workspace = try Workspace()
        var environment = productionEnvironment
        environment["POSTERN_PROJECT_API_KEYS"] = nil
        let problems = try await workspace.problems("project: {apiKeys: []}\n", environment)
        #expect(problems == ["project.apiKeys: expected at least one API key (settings.yaml:1:20)"])
    }

    @Test(arguments: ["demo-test", "fake-project-id", "a", "123"])
    func projectIDsOfEmulatorUsersAreAccepted(id: String) async throws {
        #expect(try await Workspace().load("mode: development\n", ["POSTERN_PROJECT_ID": id]).project.id == id)
    }

    @Test(arguments: ["Demo", "a b", "a/b", "é", String(repeating: "a", count: 65)])
    func otherProjectIDsAreNot(id: String) async throws {
        #expect(try await development(["POSTERN_PROJECT_ID": id]).first?.hasPrefix("project.id: expected") == true)
    }

    @Test(arguments: [
        (["POSTERN_SERVER_TLS_CERTIFICATE_FILE": "c.pem"], "server.tls.privateKeyFile"),
        (["POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": "k.pem"], "server.tls.certificateFile"),
        (["POSTERN_SERVER_ADMIN_HOST": "127.0.0.1"], "server.adminPort"),
        (["POSTERN_SERVER_ADMIN_PORT": "9100"], "server.adminHost"),
        (["POSTERN_EMAIL_SMTP_USERNAME": "u"], "email.smtp.password"),
        (["POSTERN_RECAPTCHA_SITE_KEY": "k"], "recaptcha.secret"),
        (["POSTERN_WEBHOOKS_URL": "https://hook.example.com/a"], "webhooks.secret"),
        (["POSTERN_APNS_KEY_ID": "k", "POSTERN_APNS_TEAM_ID": "t"], "apns.privateKeyFile"),
        (["POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_FROM": "a@b.c"], "email.smtp.url"),
        (["POSTERN_EMAIL_TRANSPORT": "smtp", "POSTERN_EMAIL_SMTP_URL": "smtp://h"], "email.from"),
        (
            ["POSTERN_SMS_TRANSPORT": "twilio", "POSTERN_SMS_TWILIO_ACCOUNT_SID": "s", "POSTERN_SMS_TWILIO_FROM": "+1"],
            "sms.twilio.authToken"
        ),
        (["POSTERN_SMS_TRANSPORT": "webhook", "POSTERN_SMS_WEBHOOK_URL": "https://h.example.com"], "sms.webhook.secret"),
    ])
    func keysThatComeTogether(environment: [String: String], missing: String) async throws {
        let problems = try await production(environment)
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.hasPrefix("\(missing): missing: expected") == true, "\(problems)")
    }

    @Test func theAdminListenerIsNotThePublicOne() async throws {
        let problems = try await development([
            "POSTERN_SERVER_ADMIN_HOST": "127.0.0.1", "POSTERN_SERVER_ADMIN_PORT": "9099",
        ])
        #expect(problems.first?.hasPrefix("server.adminPort: expected an address other than") == true)
    }

    @Test(arguments: [
        "POSTERN_ENDPOINTS_APPLE", "POSTERN_ENDPOINTS_GITHUB_API", "POSTERN_ENDPOINTS_GOOGLE_TOKEN_INFO", "POSTERN_APNS_BASE_URL",
        "POSTERN_RECAPTCHA_VERIFY_URL", "POSTERN_SMS_TWILIO_BASE_URL", "POSTERN_SMS_WEBHOOK_URL", "POSTERN_WEBHOOKS_URL",
    ])
    func plainHTTPNeedsPrivateNetworks(variable: String) async throws {
        var environment = [variable: "http://127.0.0.1:9098/x"]
        if variable == "POSTERN_WEBHOOKS_URL" { environment["POSTERN_WEBHOOKS_SECRET"] = "s" }
        #expect(try await development(environment).isEmpty)
        let problems = try await production(environment)
        #expect(problems.count == 1)
        #expect(problems.first?.contains("expected an https URL, as outbound.allowPrivateNetworks is false") == true)
        environment["POSTERN_OUTBOUND_ALLOW_PRIVATE_NETWORKS"] = "true"
        #expect(try await production(environment).isEmpty)
    }

    @Test(arguments: [
        ("POSTERN_SERVER_PORT", "65536"), ("POSTERN_SERVER_PORT", "-1"), ("POSTERN_TOKENS_ID_TOKEN_SECONDS", "59"),
        ("POSTERN_TOKENS_ID_TOKEN_SECONDS", "86401"), ("POSTERN_LIMITS_PHONE_CODE_SECONDS", "0"),
        ("POSTERN_LIMITS_PASSWORD_FAILURES_PER_ACCOUNT", "101"), ("POSTERN_LIMITS_SESSION_IDLE_DAYS", "-1"),
        ("POSTERN_DATABASE_POOL_SIZE", "0"), ("POSTERN_OUTBOUND_TIMEOUT_SECONDS", "0"), ("POSTERN_LOG_LEVEL", "verbose"),
        ("POSTERN_LOG_FORMAT", "xml"), ("POSTERN_MODE", "test"), ("POSTERN_DATABASE_URL", "postgres"),
        ("POSTERN_DATABASE_URL", "sqlite:"), ("POSTERN_DATABASE_URL", "sqlite::disk:"),
        ("POSTERN_SERVER_PUBLIC_URL", "auth.example.com"),
        ("POSTERN_SERVER_PUBLIC_URL", "https://auth.example.com/"), ("POSTERN_SERVER_PUBLIC_URL", "ftp://auth.example.com"),
        ("POSTERN_ENDPOINTS_GOOGLE", "https://a.example.com?x=1"), ("POSTERN_SERVER_HOST", "[::1]"),
        ("POSTERN_SERVER_HOST", "a b"),
        ("POSTERN_SERVER_TRUSTED_PROXIES", "10.0.0.0/33"), ("POSTERN_SERVER_TRUSTED_PROXIES", "proxy.example.com"),
        ("POSTERN_EMAIL_SMTP_URL", "mail.example.com:25"), ("POSTERN_EMAIL_FROM", "nobody"),
        ("POSTERN_PASSKEYS_RP_ID", "https://a.example"),
        ("POSTERN_PASSKEYS_ORIGINS", "https://app.example.com/"), ("POSTERN_PASSKEYS_ORIGINS", "HTTPS://app.example.com"),
        ("POSTERN_ADMIN_TOKEN", String(repeating: "x", count: 31)),
        ("POSTERN_SECRETS_MASTER_KEY", Data(repeating: 1, count: 31).base64EncodedString()),
        ("POSTERN_METRICS_ENABLED", "2"), ("POSTERN_SERVER_PORT", " 80"),
    ])
    func valuesOutOfRangeAreRefused(variable: String, value: String) async throws {
        let problems = try await development([variable: value])
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.contains(": expected ") == true)
        #expect(problems.first?.hasSuffix("(environment variable \(variable))") == true)
    }

    @Test func theEnvironmentsKeyGoesBeforeTheFilesKeyFile() async throws {
        let workspace = try Workspace()
        let settings = try await workspace.load("secrets: {masterKeyFile: /run/secrets/key}\n", productionEnvironment)
        guard case .bytes(let key) = settings.secrets.masterKey else { throw Unexpected() }
        #expect(key.reveal() == [UInt8](repeating: 7, count: 32))

        var environment = productionEnvironment
        let text = environment.removeValue(forKey: "POSTERN_SECRETS_MASTER_KEY") ?? ""
        environment["POSTERN_SECRETS_MASTER_KEY_FILE"] = "other"
        let reverse = try await workspace.load("secrets: {masterKey: \(text)}\n", environment)
        guard case .file("other") = reverse.secrets.masterKey else { throw Unexpected() }
    }

    @Test func keyAndKeyFileInOnePlaceAreRefused() async throws {
        let problems = try await production(["POSTERN_SECRETS_MASTER_KEY_FILE": "key"])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("secrets.masterKey: expected either this or secrets.masterKeyFile, found both") == true)
    }

    @Test func masterKeysAreBase64OfThirtyTwoBytes() {
        let bytes = [UInt8](0..<32)
        let text = Data(bytes).base64EncodedString()
        #expect(SecretsSettings.MasterKey.decode(text) == bytes)
        #expect(SecretsSettings.MasterKey.decode(text + "\n") == bytes)
        for wrong in ["", "x", String(text.dropLast(4)), text + text] {
            #expect(SecretsSettings.MasterKey.decode(wrong) == nil)
        }
    }

    @Test("apps that open links are named by a team, bundle ids, and packages with a certificate's SHA-256")
    func appLinks() async throws {
        let print = Array(repeating: "0a", count: 32).joined(separator: ":")
        let good = [
            "POSTERN_APP_LINKS_APPLE_TEAM_ID": "ABCDE12345",
            "POSTERN_APP_LINKS_APPLE_BUNDLE_IDS": "com.example.app,com.example.a-b",
            "POSTERN_APP_LINKS_ANDROID_APPS": "com.example.app=\(print),com.example.app=\(print)",
        ]
        #expect(try await production(good).isEmpty)
        let settings = try await Workspace().load(nil, productionEnvironment.merging(good) { $1 })
        #expect(settings.appLinks.androidApps.map(\.fingerprint) == Array(repeating: print.uppercased(), count: 2))
        let bad = [
            "APPLE_TEAM_ID": ["ABCDE1234", "abcde12345", "ABCDE12345.com.example"],
            "APPLE_BUNDLE_IDS": ["com.example.*", "com..app", "com/example"],
            "ANDROID_APPS": ["com.example.app", "example=\(print)", "a.b=\(print):00", "a.b=0a:0b", "a.b=*"],
        ]
        for (name, values) in bad {
            for value in values {
                let environment = good.merging(["POSTERN_APP_LINKS_\(name)": value]) { $1 }
                #expect(try await production(environment).count == 1, "\(value)")
            }
        }
        let alone = ["POSTERN_APP_LINKS_APPLE_BUNDLE_IDS": "com.example.app"]
        #expect(try await production(alone).first?.hasPrefix("appLinks.appleTeamId") == true)
    }
}

/// A value is not the expected case.
struct Unexpected: Error {}
