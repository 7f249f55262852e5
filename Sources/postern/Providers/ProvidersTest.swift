import Accounts
import ArgumentParser
import Federation
import HTTPAPI
import Project
import Settings
import Tenancy

extension ProvidersCommand {
    /// `postern providers test ID`.
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask a provider for its documents and keys, and try out our registration.",
            discussion: "Ends with code 2 when users could not sign in."
        )

        @OptionGroup var options: Options
        @Argument(help: "google.com, apple.com, oidc.NAME…") var id: String

        private static let userCannotSignIn: Int32 = 2

        func run() async throws {
            let takesNobody = Providers.kind(of: id.lowercased()).map { !($0 is any AuthorizationProvider.Type) }
            guard takesNobody != true else {
                throw CommandFailure("\(TerminalText.printable(id)) has nothing to ask: sign in to test it")
            }
            try await CommandStore.withUseCases(
                options.config,
                tenant: options.tenant,
                reachesOut: true,
                onlyReads: true
            ) { workplace in
                let server = workplace.settings.server
                let redirectURI = server.publicURL(boundTo: server.port).text + HandlerDelivery.path
                let (provider, registration) = try await workplace.useCases.flows.clients.client(
                    id.lowercased(),
                    scope: workplace.context.scope
                )
                let findings = await ProviderCheck(environment: workplace.environment).findings(
                    registration,
                    at: provider,
                    redirectURI: redirectURI
                )
                show(findings, redirectURI)
                if findings.contains(where: { !$0.isGood }) { throw ExitCode(Self.userCannotSignIn) }
            }
        }

        private func show(_ findings: [ProviderCheck.Finding], _ redirectURI: String) {
            if options.json {
                let entries = findings.map { finding -> JSONValue in
                    ["subject": .string(finding.subject), "good": .bool(finding.isGood), "text": .string(finding.text)]
                }
                let answer: JSONValue = [
                    "provider": .string(id), "redirectURI": .string(redirectURI), "findings": .array(entries),
                ]
                return print(answer.text)
            }
            for finding in findings {
                print("\(finding.isGood ? "good" : "BAD ")  \(finding.subject): \(TerminalText.printable(finding.text))")
            }
            print("redirect URI to register at the provider: \(redirectURI)")
        }
    }
}
