import Foundation
import Logging
import Project
import Testing

@testable import Federation
@testable import Settings

@Suite("Defaults")
struct DefaultsTests {
    @Test func ofDevelopment() async throws {
        let settings = try await Workspace().load("mode: development\n")
        #expect(settings.project.id == "demo-postern")
        #expect(settings.project.apiKeys == .any)
        #expect(settings.project.file == nil)
        #expect(settings.outbound.allowPrivateNetworks)
        #expect(!settings.development.verifyCredentials)
        #expect(settings.log.format == .text)
        guard case .log = settings.email.transport, case .log = settings.sms.transport else { throw Unexpected() }
        guard case .generated = settings.secrets.masterKey else { throw Unexpected() }
        #expect(settings.warnings.isEmpty)
    }

    @Test("Passwords are hashed as cheaply as is useful in development, unless any cost of theirs is set (ruling 33)")
    func ofPasswords() async throws {
        func cost(_ text: String?, _ environment: [String: String] = [:]) async throws -> [Int] {
            let passwords = try await Workspace().load(text, environment).passwords
            return [passwords.argon2MemoryKiB, passwords.argon2Iterations, passwords.argon2Parallelism]
        }
        #expect(try await cost("mode: development\n") == [64, 1, 1])
        #expect(try await cost("mode: development\npasswords: {workers: 1, queueLimit: 1}\n") == [64, 1, 1])
        #expect(try await cost("mode: development\npasswords: {argon2Iterations: 3}\n") == [19_456, 3, 1])
        let variable = ["POSTERN_PASSWORDS_ARGON2_MEMORY_KIB": "8192"]
        #expect(try await cost("mode: development\n", variable) == [8192, 2, 1])
        #expect(try await cost(nil, productionEnvironment) == [19_456, 2, 1])
    }

    @Test func ofProduction() async throws {
        let settings = try await Workspace().load(nil, productionEnvironment)
        #expect(!settings.outbound.allowPrivateNetworks)
        #expect(settings.log.format == .json)
        guard case .none = settings.email.transport, case .none = settings.sms.transport else { throw Unexpected() }
        #expect(settings.warnings.isEmpty)
    }

    @Test func ofEveryMode() async throws {
        let settings = try await Workspace().load(nil, productionEnvironment)
        #expect(settings.server.host == "127.0.0.1")
        #expect(settings.server.port == 9099)
        #expect(settings.server.tls == nil && settings.server.admin == nil && settings.server.trustedProxies.isEmpty)
        #expect(settings.server.maxBodyBytes == 1_048_576)
        #expect(settings.admin.token == nil)
        guard case .sqlite("data/postern.sqlite") = settings.database.location else { throw Unexpected() }
        #expect(settings.database.poolSize == 6)
        #expect(settings.tokens.configuredIssuer == nil)
        #expect(settings.tokens.idTokenSeconds == 3600 && settings.tokens.keyRotationDays == 30)
        #expect(settings.outbound.timeoutSeconds == 5 && settings.outbound.caFile == nil)
        #expect(settings.apns.key == nil && settings.apns.baseURL.text == "https://api.push.apple.com")
        #expect(settings.recaptcha.site == nil)
        #expect(settings.webhooks.receiver == nil)
        #expect(settings.log.level == .info)
        #expect(settings.metrics.enabled)
    }

    @Test func ofLimits() async throws {
        let limits = try await Workspace().load("mode: development\n").limits
        let values = [
            limits.recentLoginSeconds, limits.linkRecentLoginSeconds, limits.pendingTokenSeconds, limits.authorizationSeconds,
            limits.mfaPendingSeconds,
            limits.temporaryProofSeconds, limits.sessionsPerUser, limits.sessionIdleDays,
            limits.oob.passwordResetSeconds, limits.oob.emailSigninSeconds, limits.oob.verifyEmailSeconds,
            limits.oob.changeEmailSeconds, limits.oob.recoverEmailSeconds,
            limits.phone.codeSeconds, limits.phone.resendSeconds, limits.phone.maxTries, limits.phone.perNumberPerHour,
            limits.phone.perAddressPerHour, limits.phone.perPrefixPerHour, limits.phone.perDay,
            limits.signUp.perAddressPerHour, limits.password.failuresPerAccount, limits.password.failuresPerAddressPerHour,
            limits.email.perRecipientPerHour, limits.email.perAddressPerHour, limits.account.changesPerHour,
        ]
        #expect(
            values == [
                300, 0, 600, 600, 300, 3600, 100, 0, 3600, 21600, 259200, 259200, 2_592_000, 600, 60, 5, 5, 50, 100, 10000, 100,
                10, 200, 5, 100, 200,
            ]
        )
    }

    @Test func limitsAreReadFromTheirOwnKeys() async throws {
        let limits = try await Workspace().load(
            "mode: development\nlimits: {oob: {emailSigninSeconds: 61}, phone: {perDay: 62}, sessionsPerUser: 63}\n",
            ["POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "64"]
        ).limits
        #expect(limits.oob.emailSigninSeconds == 61 && limits.phone.perDay == 62)
        #expect(limits.sessionsPerUser == 63 && limits.signUp.perAddressPerHour == 64)
    }

    @Test func theProjectFileIsTheUsualOneWhenThereIsOne() async throws {
        let workspace = try Workspace()
        try workspace.write("tenants: {}\n", to: "Config/project.yaml")
        #expect(try await workspace.load("mode: development\n").project.file == "Config/project.yaml")
        #expect(try await workspace.load("mode: development\nproject: {file: p.yaml}\n").project.file == "p.yaml")
    }

    @Test(arguments: [
        ([:], "http://127.0.0.1:9099"),
        (["POSTERN_SERVER_HOST": "::1"], "http://[::1]:9099"),
        (["POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com"], "https://auth.example.com"),
        (
            ["POSTERN_SERVER_TLS_CERTIFICATE_FILE": "c", "POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": "k"],
            "https://127.0.0.1:9099"
        ),
    ])
    func thePublicURLFollowsTheListener(environment: [String: String], expected: String) async throws {
        let server = try await Workspace().load("mode: development\n", environment).server
        #expect(server.publicURL(boundTo: server.port).text == expected)
    }

    @Test func aFreePortIsInThePublicURLOnceItIsKnown() async throws {
        let server = try await Workspace().load("mode: development\n", ["POSTERN_SERVER_PORT": "0"]).server
        #expect(server.port == 0)
        #expect(server.publicURL(boundTo: 54321).text == "http://127.0.0.1:54321")
    }

    @Test func passkeysFollowThePublicURLUnlessSet() async throws {
        let workspace = try Workspace()
        let url = try #require(WebURL("https://Auth.example.com:443/base"))
        let defaults = try await workspace.load("mode: development\n").passkeys
        #expect(defaults.rpID(publicURL: url) == "auth.example.com")
        #expect(defaults.origins(publicURL: url) == ["https://auth.example.com"])
        let set = try await workspace.load(
            "mode: development\n",
            [
                "POSTERN_PASSKEYS_RP_ID": "example.com",
                "POSTERN_PASSKEYS_ORIGINS": "https://app.example.com,http://localhost:3000,android:apk-key-hash:AbC_-9",
            ]
        ).passkeys
        #expect(set.rpID(publicURL: url) == "example.com")
        #expect(set.origins(publicURL: url).count == 3)
    }

    @Test func tokenInfoFollowsGoogle() async throws {
        let workspace = try Workspace()
        let plain = try await workspace.load("mode: development\n").endpoints
        #expect(plain[GoogleProvider.tokenInfo] == "https://oauth2.googleapis.com/tokeninfo")
        #expect(plain.issuers(GoogleProvider.issuer) == ["https://accounts.google.com", "accounts.google.com"])
        let moved = try await workspace.load("mode: development\nendpoints: {google: 'http://127.0.0.1:9098/google'}\n").endpoints
        #expect(moved.issuers(GoogleProvider.issuer) == ["http://127.0.0.1:9098/google"])
        #expect(moved[GoogleProvider.tokenInfo] == "http://127.0.0.1:9098/google/tokeninfo")
    }

    @Test func anEndpointSetToItsOwnDefaultIsOverridden() async throws {
        let settings = try await Workspace().load("mode: development\nendpoints: {apple: 'https://appleid.apple.com'}\n")
        #expect(settings.endpoints.issuers(AppleProvider.home) == ["https://appleid.apple.com"])
    }

    @Test func filesOfSecretsThatEverybodyMayReadAreWarnedAbout() async throws {
        for (mode, expected) in [(0o644, true), (0o640, false), (0o600, false)] {
            let workspace = try Workspace()
            try workspace.write("key", to: "keys/master")
            let file = workspace.path + "/keys/master"
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            let environment = productionEnvironment.filter { $0.key != "POSTERN_SECRETS_MASTER_KEY" }
            let warnings = try await workspace.load(
                nil,
                environment.merging([
                    "POSTERN_SECRETS_MASTER_KEY_FILE": "keys/master", "POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com",
                ]) { $1 }
            ).warnings
            #expect(warnings == (expected ? ["secrets.masterKeyFile: every user of this machine may read keys/master"] : []))
        }
    }

    @Test func aWildcardWithoutPublicURLAndLogTransportsAreWarnedAboutInProduction() async throws {
        let environment = productionEnvironment.merging([
            "POSTERN_SERVER_HOST": "0.0.0.0", "POSTERN_EMAIL_TRANSPORT": "log", "POSTERN_SMS_TRANSPORT": "log",
        ]) { $1 }
        let warnings = try await Workspace().load(nil, environment).warnings
        #expect(warnings.map { $0.prefix { !$0.isWhitespace } } == ["server.publicURL", "email.transport", "sms.transport"])
    }
}
