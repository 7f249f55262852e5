import Foundation
import Project
import Testing

@testable import Federation

@Suite("The list of providers")
struct ProvidersTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("names each provider and each of its endpoints once")
    func unique() {
        let ids = Providers.all.map { $0.facts.id }
        #expect(Set(ids).count == ids.count)
        let names = Providers.endpoints.map(\.name)
        #expect(Set(names).count == names.count)
        for id in Providers.builtIn.map(\.id) {
            #expect(Providers.all.count { $0.facts.serves(id) } == 1, "\(id)")
            #expect(Providers.facts(of: id)?.id == id)
        }
    }

    @Test("has the providers of the contract in its order")
    func order() {
        #expect(
            Providers.builtIn.map(\.id).prefix(10) == [
                "google.com", "facebook.com", "apple.com", "twitter.com", "github.com", "microsoft.com", "yahoo.com",
                "linkedin.com", "playgames.google.com", "gc.apple.com",
            ]
        )
        #expect(
            Providers.builtIn.map(\.label).prefix(10) == [
                "Google", "Facebook", "Apple", "Twitter", "GitHub", "Microsoft", "Yahoo", "LinkedIn", "Google Play Games",
                "Game Center",
            ]
        )
    }

    @Test("serves every name of a family, and no name that is none", arguments: ["oidc.a", "oidc.A-b.c", "saml.a"])
    func family(id: String) {
        #expect(Providers.facts(of: id)?.isFamily == true)
        for other in ["oidc.", "oidc", "saml.", "APPLE.COM", "google.com ", ""] {
            #expect(Providers.facts(of: other) == nil, "\(other)")
        }
    }

    @Test("an overridden endpoint is the only issuer that is believed", arguments: Providers.endpoints.map(\.name))
    func override(name: String) throws {
        let endpoint = try #require(Providers.endpoints.first { $0.name == name })
        let own = ProviderEndpoints()
        #expect(own[endpoint] == endpoint.url)
        #expect(own.issuers(endpoint).first == endpoint.url)
        let moved = ProviderEndpoints(overridden: [name: "https://moved.example"])
        #expect(moved[endpoint] == "https://moved.example")
        #expect(moved.issuers(endpoint) == ["https://moved.example"])
        for other in Providers.endpoints where other.name != name {
            let expected = other.base?.name == name ? "https://moved.example/\(other.base?.segment ?? "")" : other.url
            #expect(moved[other] == expected)
        }
    }

    // Formats of other vendors name the providers in their own words, so they name ours beside them.
    @Test("leads to everything that is known of a provider: its id stands in its own file and in no other")
    func home() throws {
        let sources = Self.package.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var places: [String: [String]] = [:]
        for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("/UserFiles/") {
            let text = try String(contentsOf: file, encoding: .utf8)
            for id in Providers.builtIn.map(\.id) where text.contains("\"\(id)\"") {
                places[id, default: []].append(file.path.replacing(sources.path + "/", with: ""))
            }
        }
        for id in Providers.builtIn.map(\.id) {
            // Game Center's certificates lie in a zone of the same name.
            let found = (places[id] ?? []).filter { $0 != "Federation/Tools/GameCenterCertificates.swift" }
            #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("Federation/") }, "\(id): \(found)")
        }
    }
}
