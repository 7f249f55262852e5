package import Accounts
package import Federation
import Foundation
package import Passwords
package import Project
import ServiceLifecycle
package import Settings
package import Storage
import Tokens

/// What the settings put together on an open store: the ways out and the use cases. A server and the commands beside it
/// build it alike, so that no command bypasses a rule.
package struct Assembly: Sendable {
    let issuer: TokenIssuer
    /// Hashes passwords. It is closed before the store.
    package let hasher: PasswordHasher
    /// Verifies SAML responses. It is closed before the store.
    package let samlVerification: SAMLVerification
    /// Every use case that endpoints call.
    package let useCases: UseCases
    /// The services that send the messages of the outboxes.
    let senders: [any Service]

    /// Puts the parts together.
    package init(
        _ settings: Settings,
        database: any Database,
        keys: StoreKeys,
        environment: ServerEnvironment,
        addresses: ServerAddresses,
        mailPatience: Duration? = nil
    ) throws {
        let mail = try Mail(
            settings,
            database: database,
            sealer: keys.sealer,
            environment: environment,
            publicURL: addresses.publicURL,
            patience: mailPatience
        )
        let texting = Texting(settings, database: database, sealer: keys.sealer, environment: environment)
        let webhooks = Webhooks(settings.webhooks, database: database, environment: environment)
        let senders: [(any Service)?] = [mail.service, texting.service, webhooks.service]
        self.senders = senders.compactMap(\.self)
        issuer = Self.tokenIssuer(settings, keys.ring, environment)
        hasher = Self.hasher(settings.passwords, environment)
        samlVerification = SAMLVerification(threads: max(1, ProcessInfo.processInfo.activeProcessorCount / 2))
        useCases = try UseCases(
            Runtime(database: database, environment: environment, sealer: keys.sealer, mode: settings.mode.rules),
            settings,
            UseCases.Outside(
                sealer: keys.sealer,
                issuer: issuer,
                events: webhooks.events,
                hasher: hasher,
                mailer: mail.mailer,
                messages: texting.messages,
                push: try Push.client(settings.apns, environment),
                publicURL: addresses.publicURL,
                consoleURL: addresses.consoleURL,
                serviceKeys: keys.serviceKeys,
                samlVerification: samlVerification
            )
        )
    }

    /// Ends what works in threads of its own.
    package func close() async {
        await hasher.close()
        await samlVerification.close()
    }

    private static func tokenIssuer(
        _ settings: Settings,
        _ keyRing: KeyRing,
        _ environment: ServerEnvironment
    ) -> TokenIssuer {
        TokenIssuer(
            keyRing: keyRing,
            environment: environment,
            form: settings.mode.rules.alwaysSignsTokens || settings.development.signTokens ? .signed : .unsigned,
            issuer: settings.tokens.configuredIssuer,
            lifetimeSeconds: Int64(settings.tokens.idTokenSeconds),
            mode: settings.mode.rules
        )
    }

    private static func hasher(_ settings: PasswordSettings, _ environment: ServerEnvironment) -> PasswordHasher {
        PasswordHasher(
            defaultAlgorithm: Argon2Parameters(
                memoryKiB: settings.argon2MemoryKiB,
                iterations: settings.argon2Iterations,
                parallelism: settings.argon2Parallelism
            ) ?? .owasp,
            workers: settings.workers,
            queueLimit: settings.queueLimit,
            environment: environment
        )
    }
}
