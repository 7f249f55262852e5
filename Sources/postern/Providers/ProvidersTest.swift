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
            guard ProviderTest.canAsk(id) else {
                throw CommandFailure("\(TerminalText.printable(id)) has nothing to ask: sign in to test it")
            }
            try await CommandStore.withUseCases(
                options.config,
                tenant: options.tenant,
                reachesOut: true,
                onlyReads: true
            ) { workplace in
                let report = try await workplace.useCases.flows.providerTest.check(id, context: workplace.context)
                show(report)
                if !report.isGood { throw ExitCode(Self.userCannotSignIn) }
            }
        }

        private func show(_ report: ProviderTest.Report) {
            if options.json {
                let entries = report.findings.map { finding -> JSONValue in
                    ["subject": .string(finding.subject), "good": .bool(finding.isGood), "text": .string(finding.text)]
                }
                let answer: JSONValue = [
                    "provider": .string(id), "redirectURI": .string(report.redirectURI), "findings": .array(entries),
                ]
                return print(answer.text)
            }
            for finding in report.findings {
                print("\(finding.isGood ? "good" : "BAD ")  \(finding.subject): \(TerminalText.printable(finding.text))")
            }
            print("redirect URI to register at the provider: \(report.redirectURI)")
        }
    }
}
