import Foundation
import Project
import TestKit
import Testing

@testable import Federation
@testable import Settings

@Suite("The example files")
struct ExampleFileTests {
    private func example(_ name: String) -> String {
        packageDirectory.appending(path: "Config").appending(path: name).path
    }

    @Test func developmentStartsAsItIs() async throws {
        let settings = try SettingsLoader.load(
            file: example("development.yaml"),
            environment: [:],
            surroundings: Surroundings(workingDirectory: packageDirectory.path, processors: 1)
        )
        #expect(settings.mode == .development)
        #expect(settings.server.port == 9099)
        #expect(settings.project.file == "Config/project.yaml")
        // The file shows verification against the loopback provider (ruling 24).
        #expect(settings.development.verifyCredentials)
        #expect(settings.endpoints[AppleProvider.home] == "http://127.0.0.1:9098/apple")
        #expect(settings.endpoints[GoogleProvider.issuer] == "http://127.0.0.1:9098/google")
        guard case .sqlite("data/postern.sqlite") = settings.database.location else { throw Unexpected() }
        #expect(settings.warnings.isEmpty)
    }

    @Test func productionStartsWithWhatItAsksFor() async throws {
        let workspace = try Workspace()
        let environment = productionEnvironment.merging(["POSTERN_SERVER_PUBLIC_URL": "https://auth.example.com"]) { $1 }
        let settings = try SettingsLoader.load(
            file: example("production.yaml"),
            environment: environment,
            surroundings: workspace.surroundings
        )
        #expect(settings.mode == .production)
        #expect(settings.server.host == "0.0.0.0" && settings.server.port == 9099)
        guard case .sqlite("/var/lib/postern/postern.sqlite") = settings.database.location else { throw Unexpected() }
        guard case .bytes = settings.secrets.masterKey else { throw Unexpected() }
        #expect(settings.warnings.isEmpty)
    }

    @Test func productionDoesNotStartWithoutProjectAndKeys() async throws {
        let workspace = try Workspace()
        do {
            _ = try SettingsLoader.load(
                file: example("production.yaml"),
                environment: [:],
                surroundings: workspace.surroundings
            )
            Issue.record("production started without a project")
        } catch let error as SettingsError {
            #expect(error.problems.map(\.subject) == ["project.id", "project.apiKeys"])
        }
    }

    @Test func productionShowsEverySection() async throws {
        let text = try String(contentsOfFile: example("production.yaml"), encoding: .utf8)
        let sections = Set(try Settings.documentedKeys.map(\.section)).subtracting(["development"])
        for section in sections { #expect(text.contains("\n\(section):"), "\(section)") }
    }

    @Test func theProjectNeedsNothingFromTheEnvironment() throws {
        let value = try ProjectFile.read(path: example("project.yaml"), environment: [:]).value
        guard
            case .object(let root) = value,
            case .object(let config)? = root["config"],
            case .object(let providers)? = root["defaultSupportedIdpConfigs"],
            case .object(let oauth)? = root["oauthIdpConfigs"]
        else {
            throw Unexpected()
        }
        #expect(Set(root.keys) == ["config", "defaultSupportedIdpConfigs", "oauthIdpConfigs", "tenants"])
        #expect(config["authorizedDomains"] == .array([.string("localhost")]))
        #expect(
            providers["apple.com"]
                == .object([
                    "enabled": .bool(true),
                    "clientId": .string("com.example.app.web"),
                    "appleSignInConfig": .object(["bundleIds": .array([.string("com.example.app")])]),
                ])
        )
        #expect(Set(providers.keys) == ["apple.com", "google.com"])
        #expect(
            oauth["oidc.example"]
                == .object([
                    "enabled": .bool(true),
                    "displayName": .string("Example"),
                    "issuer": .string("http://127.0.0.1:9098/oidc"),
                    "clientId": .string("postern-demo"),
                ])
        )
    }
}
