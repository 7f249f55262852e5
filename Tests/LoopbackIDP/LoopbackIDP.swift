import ArgumentParser
import Foundation
import TestKit

/// The loopback identity provider of the README's walk-through. It signs any claims.
@main
struct LoopbackIDP: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loopback-idp",
        abstract: "A loopback identity provider that signs whatever claims it is asked to. For trying Postern out."
    )

    @Option(help: "The port on 127.0.0.1.") var port = 9098

    func run() async throws {
        try await Teardown.scope {
            let provider = try await FakeIDP.start(port: port)
            print("Issuers: \(["apple", "google", "oidc"].map(provider.issuer).joined(separator: " "))")
            print("A token:  curl -s \(provider.issuer("oidc"))/mint -d '{\"sub\": \"ada\", \"email\": \"ada@example.com\"}'")
            fflush(nil)
            while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
        }
    }
}
