import ArgumentParser
import Server
import Tokens

extension Audit {
    /// `postern audit key`.
    struct Key: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the public key that verifies the signed statements about the audit trail (Ed25519, PEM)."
        )

        @OptionGroup var config: ConfigOption

        func run() async throws {
            try await CommandStore.withUseCases(config, tenant: nil, onlyReads: true) { workplace in
                print(workplace.auditSigner.publicKeyPEM, terminator: "")
            }
        }
    }
}
