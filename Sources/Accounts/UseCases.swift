package import Federation
package import Messaging
package import Passwords
package import Settings
package import Tokens

/// Every use case of the server: built once, kept, and called by endpoints and commands alike, so that none bypasses a rule.
///
/// Each room lists its own.
package struct UseCases: Sendable {
    package let runtime: Runtime
    package let refusals: RefusalAudit
    package let dailyCounts: DailyCounts
    package let signIn: SignInUseCases
    package let flows: FlowUseCases
    package let accounts: AccountUseCases
    package let codes: CodeUseCases
    package let operators: OperatorUseCases
    package let console: ConsoleUseCases
    package let emulator: EmulatorUseCases

    /// The ways out of the server.
    package struct Outside: Sendable {
        /// Seals what clients or the store keep for the server.
        let sealer: TokenSealer
        let issuer: TokenIssuer
        /// The events for the operator's web hook.
        let events: EventOutbox
        let hasher: PasswordHasher
        let mailer: OOBMailer
        let messages: SMSCodeMessages
        /// Apple's push service; `nil` without a key for it.
        let push: APNsClient?
        /// `server.publicURL`. It is read at each use, because with port 0 it is known only once the listener runs.
        let publicURL: @Sendable () -> String
        /// Where browsers reach the console; read at each use, as ``publicURL``.
        let consoleURL: @Sendable () -> WebURL
        /// Our keys as a SAML service provider.
        let serviceKeys: ServiceProviderKeys
        /// Verifies SAML responses.
        let samlVerification: SAMLVerification

        package init(
            sealer: TokenSealer,
            issuer: TokenIssuer,
            events: EventOutbox,
            hasher: PasswordHasher,
            mailer: OOBMailer,
            messages: SMSCodeMessages,
            push: APNsClient?,
            publicURL: @escaping @Sendable () -> String,
            consoleURL: @escaping @Sendable () -> WebURL,
            serviceKeys: ServiceProviderKeys,
            samlVerification: SAMLVerification
        ) {
            self.sealer = sealer
            self.issuer = issuer
            self.events = events
            self.hasher = hasher
            self.mailer = mailer
            self.messages = messages
            self.push = push
            self.publicURL = publicURL
            self.consoleURL = consoleURL
            self.serviceKeys = serviceKeys
            self.samlVerification = samlVerification
        }
    }

    /// Builds the use cases.
    package init(_ runtime: Runtime, _ settings: Settings, _ outside: Outside) throws {
        let wiring = try Wiring(runtime, settings, outside)
        self.runtime = runtime
        refusals = wiring.refusals
        dailyCounts = wiring.dailyCounts
        operators = wiring.operators
        console = wiring.console
        signIn = wiring.signIn
        flows = wiring.flowUseCases
        codes = wiring.codes
        accounts = wiring.accounts
        emulator = wiring.emulator
    }
}
