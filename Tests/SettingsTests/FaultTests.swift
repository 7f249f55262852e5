import Foundation
import Project
import Testing

@testable import Settings

@Suite("Faults of a settings file")
struct FaultTests {
    @Test func allFaultsAreReportedTogetherOneALine() async throws {
        let yaml = """
            mode: development
            server:
              prot: 9099
              port: many
              maxBodyBytes: 1
            metrics:
              enabled: perhaps
            servers:
              host: a
            """
        let problems = try await Workspace().problems(yaml, ["POSTERN_LOG_LEVEL": "loud"])
        #expect(
            problems == [
                "server.prot: unknown key, expected one of host, port, publicURL, tls, trustedProxies, maxBodyBytes, adminHost, "
                    + "adminPort in server (settings.yaml:3:9)",
                "servers.host: unknown key, expected one of mode, development, server, project, admin, console, database, secrets, tokens, "
                    + "passwords, outbound, email, sms, apns, recaptcha, endpoints, gameCenter, passkeys, appLinks, webhooks, audit, backup, "
                    + "limits, log, metrics, telemetry (settings.yaml:9:9)",
                "server.port: expected a whole number from 0 to 65535, found \"many\" (settings.yaml:4:9)",
                "server.maxBodyBytes: expected a whole number from 1024 to 1073741824, found \"1\" (settings.yaml:5:17)",
                "log.level: expected `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`, found \"loud\" "
                    + "(environment variable POSTERN_LOG_LEVEL)",
                "metrics.enabled: expected true or false, found \"perhaps\" (settings.yaml:7:12)",
            ]
        )
    }

    @Test(arguments: [
        ("server: 9099\n", "server: expected a section with host, port, publicURL"),
        ("server: [1]\n", "server: expected a section with host, port, publicURL"),
        (
            "server: {port: {number: 1}}\n",
            "server.port.number: unknown key, expected a whole number from 0 to 65535 for server.port"
        ),
        ("server: {port: [1]}\n", "server.port: expected a whole number from 0 to 65535 (settings.yaml:1:16)"),
        ("server: {port: {}}\n", "server.port: expected a whole number from 0 to 65535 (settings.yaml:1:16)"),
        ("server: {port: 1.5}\n", "server.port: expected a whole number from 0 to 65535, found \"1.5\""),
        (
            "server: {tls: {certFile: a}}\n",
            "server.tls.certFile: unknown key, expected one of certificateFile, privateKeyFile in server.tls"
        ),
        ("prot:\n", "prot: unknown key, expected one of mode, development"),
        ("log: {format: [text]}\n", "log.format: expected `text` or `json` (settings.yaml"),
        ("project: {id: ''}\n", "project.id: expected 1 to 64 lower-case letters, digits or hyphens, found \"\""),
    ])
    func wrongShapesSayWhatWasExpected(yaml: String, expected: String) async throws {
        let problems = try await Workspace().problems(yaml, ["POSTERN_MODE": "development"])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(expected) == true, "\(problems)")
    }

    @Test func aWrongValueInTheFileDoesNotMatterWhenOverridden() async throws {
        let settings = try await Workspace().load("mode: development\nserver: {port: many}\n", ["POSTERN_SERVER_PORT": "80"])
        #expect(settings.server.port == 80)
    }

    @Test func missingFileIsAnError() async throws {
        let workspace = try Workspace()
        #expect(throws: SettingsError.self) {
            try SettingsLoader.load(
                file: "absent.yaml",
                environment: productionEnvironment,
                surroundings: workspace.surroundings
            )
        }
        try workspace.write("", to: "directory/file")
        do {
            _ = try SettingsLoader.load(file: "directory", environment: [:], surroundings: workspace.surroundings)
            Issue.record("a directory was read as a file")
        } catch let error as SettingsError {
            #expect(error.description == "directory: cannot be read")
        }
    }

    @Test(arguments: [
        ("server:\n  port: [1\nlog: {}\n", "settings.yaml: malformed YAML: ", ":3:4)"),
        ("server:\n\tport: 1\n", "settings.yaml: malformed YAML: ", ":2:1)"),
        ("mode: development\n--- \nmode: production\n", "settings.yaml: malformed YAML: expected a single document", ":2:1)"),
        ("server: *nowhere\n", "settings.yaml: malformed YAML: found undefined alias", ":1:9)"),
        ("a: \u{1}\n", "settings.yaml: malformed YAML: control characters are not allowed", ":1:4)"),
        ("- mode\n", "settings.yaml: expected a map of sections at the top", ":1:1)"),
        ("server:\n  port: 1\n  port: 2\n", "settings.yaml: written twice in one map: port", ")"),
        ("server:\n  port: 1\nserver.port: 2\n", "server.port: written twice", ":3:1)"),
        ("project:\n  apiKeys: [{a: b}]\n", "project.apiKeys: expected a list of plain values", ":2:12)"),
        ("server:\n  ? [a, b]\n  : 1\n", "server: expected a key that is text", ":2:5)"),
    ])
    func malformedFilesAreRefusedWithTheirPlace(yaml: String, start: String, end: String) async throws {
        let problems = try await Workspace().problems(yaml, ["POSTERN_MODE": "development"])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(start) == true, "\(problems)")
        #expect(problems.first?.hasSuffix(end) == true, "\(problems)")
    }

    @Test func errorsOfTheParserDoNotQuoteTheFile() async throws {
        for yaml in [
            "admin:\n  token: \"hush-hush\n", "admin: {token: hush-hush\nlog: 1: 2\n",
            "admin:\n  token: hush-hush\n  token: hush-hush\n",
            "admin:\n  token: hush-hush\u{2}\n",
        ] {
            let problems = try await Workspace().problems(yaml)
            #expect(!problems.isEmpty)
            #expect(!problems.joined().contains("hush"), "\(problems)")
        }
    }

    @Test func textThatIsNotUTF8IsRefused() async throws {
        let workspace = try Workspace()
        try workspace.write(Data([0x6D, 0xFF, 0xFE, 0x3A]), to: "a.yaml")
        do {
            _ = try SettingsLoader.load(file: "a.yaml", environment: [:], surroundings: workspace.surroundings)
            Issue.record("bytes that are no text were read")
        } catch let error as SettingsError {
            #expect(error.description == "a.yaml: is not UTF-8 text")
        }
    }

    @Test func hugeFilesAreRefused() async throws {
        let workspace = try Workspace()
        let huge = "# " + String(repeating: "x", count: 1 << 20) + "\n"
        #expect(try await workspace.problems(huge) == ["settings.yaml: is larger than 1048576 bytes"])
    }

    @Test func aliasesWithinAliasesAreBounded() async throws {
        var yaml = "a0: &a0 {x: 1, y: 2}\n"
        for level in 1...24 { yaml += "a\(level): &a\(level) {x: *a\(level - 1), y: *a\(level - 1)}\n" }
        let problems = try await Workspace().problems(yaml)
        #expect(problems.first?.hasPrefix("settings.yaml: more than 10000 values") == true)
    }

    @Test(arguments: [
        ("POSTERN_ADMIN_TOKEN", "short-hush"),
        ("POSTERN_DATABASE_URL", "mysql://user:hush@db/x"),
        ("POSTERN_SECRETS_MASTER_KEY", "hush"),
        ("POSTERN_WEBHOOKS_URL", "https://user:hush@hook.example.com"),
        ("POSTERN_EMAIL_SMTP_URL", "smtp://user:hush@mail.example.com"),
    ])
    func aWrongSecretIsNotShown(variable: String, value: String) async throws {
        let problems = try await Workspace().problems("mode: development\n", [variable: value])
        #expect(problems.contains { $0.contains("expected") && $0.contains(variable) })
        #expect(!problems.joined().contains("hush"))
    }

    @Test func missingKeysSayWhereToSetThem() async throws {
        let problems = try await Workspace().problems("log: {level: info}\n")
        #expect(problems.count == 3)
        #expect(
            problems.first
                == "project.id: missing: expected 1 to 64 lower-case letters, digits or hyphens, as mode is production; "
                + "set it in settings.yaml or as POSTERN_PROJECT_ID"
        )
        let withoutFile = try await Workspace().problems(nil)
        #expect(withoutFile.first?.hasSuffix("as mode is production; set POSTERN_PROJECT_ID") == true)
    }

    @Test func aWrongModeBringsNoFaultsOfEitherMode() async throws {
        let problems = try await Workspace().problems("mode: prodution\nserver: {host: 0.0.0.0}\n")
        #expect(problems == ["mode: expected `production` or `development`, found \"prodution\" (settings.yaml:1:7)"])
    }
}
