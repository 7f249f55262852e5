import Foundation
import Project
import Testing

@testable import Settings

@Suite("Reading file and environment")
struct ReadingTests {
    @Test func environmentGoesBeforeTheFile() async throws {
        let workspace = try Workspace()
        let yaml = "mode: development\nserver:\n  port: 1234\n  maxBodyBytes: 2048\n"
        let settings = try await workspace.load(yaml, ["POSTERN_SERVER_PORT": "4321"])
        #expect(settings.mode == .development)
        #expect(settings.server.port == 4321)
        #expect(settings.server.maxBodyBytes == 2048)
    }

    @Test func environmentAloneIsEnough() async throws {
        let settings = try await Workspace().load(nil, productionEnvironment)
        #expect(settings.mode == .production)
        #expect(settings.project.id == "example-project")
        #expect(settings.project.apiKeys == .only(["key-one", "key-two"]))
    }

    @Test func emptyVariableCountsAsUnset() async throws {
        let workspace = try Workspace()
        let settings = try await workspace.load(
            "mode: development\nserver: {port: 1234}\n",
            ["POSTERN_SERVER_PORT": "", "POSTERN_WHATEVER": ""]
        )
        #expect(settings.server.port == 1234)
        #expect(settings.warnings.isEmpty)
    }

    @Test func keyOrSectionWithoutValueCountsAsUnset() async throws {
        let workspace = try Workspace()
        let settings = try await workspace.load("mode: development\nserver:\n  host: ~\n  port:\nlimits:\nlog: {}\n")
        #expect(settings.server.host == "127.0.0.1")
        #expect(settings.server.port == 9099)
    }

    @Test func fileOfNoBytesIsAMistake() async throws {
        #expect(try await Workspace().problems("", ["POSTERN_MODE": "development"]) == ["settings.yaml: is empty"])
    }

    @Test(arguments: ["# nothing but a comment\n", "---\n", "~\n"])
    func emptyFileIsAFileWithoutKeys(yaml: String) async throws {
        let settings = try await Workspace().load(yaml, ["POSTERN_MODE": "development"])
        #expect(settings.project.id == "demo-postern")
    }

    @Test func listsAreYAMLListsOrCommaSeparatedVariables() async throws {
        let workspace = try Workspace()
        let fromFile = try await workspace.load(
            "mode: development\nproject:\n  apiKeys: [one, two]\nserver:\n  trustedProxies: [10.0.0.0/8, '::1']\n"
        )
        #expect(fromFile.project.apiKeys == .only(["one", "two"]))
        #expect(fromFile.server.trustedProxies == [CIDR("10.0.0.0/8"), CIDR("::1")])

        let fromEnvironment = try await workspace.load(
            "mode: development\n",
            ["POSTERN_PROJECT_API_KEYS": "one, two", "POSTERN_SERVER_TRUSTED_PROXIES": "10.0.0.0/8,192.0.2.1"]
        )
        #expect(fromEnvironment.project.apiKeys == .only(["one", "two"]))
        #expect(fromEnvironment.server.trustedProxies == [CIDR("10.0.0.0/8"), CIDR("192.0.2.1")])
    }

    @Test func aTextWhereAListIsMeantIsRefused() async throws {
        let problems = try await Workspace().problems("mode: development\nproject:\n  apiKeys: one\n")
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("project.apiKeys: expected a list of API keys") == true)
        #expect(problems.first?.hasSuffix("(settings.yaml:3:12)") == true)
    }

    @Test(arguments: ["one,,two", ",", "one,"])
    func anEmptyItemIsRefused(list: String) async throws {
        let problems = try await Workspace().problems("mode: development\n", ["POSTERN_PROJECT_API_KEYS": list])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("project.apiKeys: expected a list") == true)
    }

    @Test func unknownVariablesAreWarnedAbout() async throws {
        let settings = try await Workspace().load(
            "mode: development\n",
            ["POSTERN_SERVER_PROT": "1", "POSTERN_GOOGLE_SECRET": "s3cret", "PATH": "/bin", "POSTERN_SERVER_PORT": "1"]
        )
        #expect(
            settings.warnings == [
                "POSTERN_GOOGLE_SECRET is set but is the name of no setting",
                "POSTERN_SERVER_PROT is set but is the name of no setting",
            ]
        )
    }

    @Test func scalarAndSectionOfLikeNamesLiveTogether() async throws {
        let settings = try await Workspace().load("mode: development\ndevelopment: {signTokens: true}\n")
        #expect(settings.mode == .development)
        #expect(settings.development.signTokens)
        #expect(!settings.development.allowRemote)
    }

    @Test func absoluteAndRelativeConfigFilesAreFound() async throws {
        let workspace = try Workspace()
        try workspace.write("mode: development\nserver: {port: 7}\n", to: "sub/a.yaml")
        for file in ["sub/a.yaml", workspace.path + "/sub/a.yaml"] {
            let settings = try SettingsLoader.load(file: file, environment: [:], surroundings: workspace.surroundings)
            #expect(settings.server.port == 7)
        }
    }

    @Test func secretsAreNeverPrinted() async throws {
        let settings = try await Workspace().load(
            "mode: development\n",
            [
                "POSTERN_ADMIN_TOKEN": String(repeating: "hush", count: 10),
                "POSTERN_DATABASE_URL": "postgresql://user:hush@db/postern",
                "POSTERN_WEBHOOKS_URL": "https://hook.example.com/",
                "POSTERN_WEBHOOKS_SECRET": "hush",
            ]
        )
        #expect(settings.admin.token?.reveal().count == 40)
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!dumped.contains("hush"))
        #expect(!"\(settings)".contains("hush"))
        #expect(!String(reflecting: settings).contains("hush"))
        #expect("\(Secret("hush"))" == "[redacted]")
    }
}
