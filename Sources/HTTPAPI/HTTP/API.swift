package import Accounts
package import Project
package import Settings
import Tenancy
package import Tokens

/// The HTTP API: the list of endpoints, and the responder that serves them.
package struct API {
    private let table: RouteTable
    private let environment: ServerEnvironment
    private let guardian: DevelopmentGuard?
    private let modeName: String?
    private let privateGuard: PrivateListenerGuard?
    private let errors: ErrorRendering
    private let clientAddress: ClientAddress
    private let annex: (any Annex)?
    private let journal: ExchangeJournal?

    /// The settings that the API needs.
    package struct Options: Sendable {
        package var mode: ModeRules
        /// The `iss` of ID tokens, for the discovery document.
        package var issuer: String
        /// `server.publicURL`. It is read at each use, because with port 0 it is known only once the listener runs.
        package var publicURL: @Sendable () -> String
        /// The size limits of request bodies.
        package var bodyLimits: BodyLimits
        /// `development.allowRemote`
        package var allowsRemote: Bool
        /// Whether the API serves the private listener.
        package var isPrivate: Bool
        /// `/metrics`; `nil` when it is not served.
        package var metrics: MetricsPage?
        /// The API key that web apps receive (`/__/firebase/init.json`).
        package var apiKey: String?
        /// The URL of Google's script for the frame in apps' pages.
        package var gapiScript: String
        /// `recaptcha.siteKey`
        package var recaptchaSiteKey: String?
        /// `appLinks.*`
        package var appLinks: AppLinkSettings
        /// How long `/readyz` waits for the store before it answers 503.
        package var readinessPatience: Duration
        /// What the settings leave out, in sentences that `/readyz` shows.
        package var warnings: [String]
        /// Pages of another module; `nil` for none.
        package var annex: (any Annex)?
        /// Keeps the latest requests, for developers; `nil` in production.
        package var journal: ExchangeJournal?
        /// Where browsers reach the private listener's pages, whose host it may be called by.
        package var privateURL: @Sendable () -> String

        package init(
            mode: ModeRules,
            issuer: String,
            publicURL: @escaping @Sendable () -> String,
            bodyLimits: BodyLimits,
            allowsRemote: Bool = false,
            isPrivate: Bool = false,
            metrics: MetricsPage? = nil,
            apiKey: String? = nil,
            gapiScript: String = "https://apis.google.com/js/api.js",
            recaptchaSiteKey: String? = nil,
            appLinks: AppLinkSettings,
            readinessPatience: Duration,
            warnings: [String] = [],
            annex: (any Annex)? = nil,
            privateURL: (@Sendable () -> String)? = nil,
            journal: ExchangeJournal? = nil
        ) {
            self.journal = journal
            self.annex = annex
            self.privateURL = privateURL ?? publicURL
            self.appLinks = appLinks
            self.readinessPatience = readinessPatience
            self.warnings = warnings
            self.recaptchaSiteKey = recaptchaSiteKey
            self.apiKey = apiKey
            self.gapiScript = gapiScript
            self.mode = mode
            self.allowsRemote = allowsRemote
            self.isPrivate = isPrivate
            self.metrics = metrics
            self.issuer = issuer
            self.publicURL = publicURL
            self.bodyLimits = bodyLimits
        }
    }

    /// Adds all endpoints.
    package init(
        useCases: UseCases,
        keyRing: KeyRing,
        auth: CallerAuth,
        clientAddress: ClientAddress,
        options: Options
    ) {
        errors = ErrorRendering(
            environment: useCases.ground.environment,
            refusals: useCases.ground.refusals,
            project: auth.project
        )
        self.clientAddress = clientAddress
        annex = options.annex
        journal = options.journal
        let forwardedHost = ForwardedHost(trusted: clientAddress.trusted)
        let door = Door(keyRing: keyRing, auth: auth, errors: errors, forwardedHost: forwardedHost, options: options)
        let configurations = useCases.ground.configurations
        let runner = EndpointRunner(
            auth: auth,
            bodyLimits: options.bodyLimits,
            availability: { _ = try await configurations.configuration(of: $0) }
        )
        var table = RouteTable(runner: runner, legacyTakesAnyMethod: options.mode.legacyPathsTakeAnyMethod)
        Self.addSignIn(useCases, door, to: &table)
        Self.addAccounts(useCases, door, to: &table)
        Self.addFactors(useCases, door, to: &table)
        Self.addCodes(useCases, door, to: &table)
        Self.addTokens(useCases, door, to: &table)
        Self.addClient(useCases, door, to: &table)
        Self.addAccountAdministration(useCases, door, to: &table)
        Self.addAdministration(useCases.operators.configuration, mode: options.mode, to: &table)
        Self.addPages(useCases, door, to: &table)
        if options.mode.servesEmulatorPaths { Self.addEmulator(useCases, door, to: &table) }
        for method in UnimplementedMethod.all(options.mode) { table.add(method) }
        OpenAPIPage(mode: options.mode, publicURL: options.publicURL).add(to: &table)
        self.table = table
        environment = useCases.ground.environment
        modeName = options.mode.nameInAnswers
        privateGuard = options.isPrivate ? PrivateListenerGuard(urls: [options.publicURL, options.privateURL]) : nil
        guardian =
            options.mode.refusesForeignPages
            ? DevelopmentGuard(allowsRemote: options.allowsRemote, publicURL: options.publicURL) : nil
    }

    /// What endpoints know of the listener that they are served by.
    struct Door: Sendable {
        let keyRing: KeyRing
        let auth: CallerAuth
        let errors: ErrorRendering
        let forwardedHost: ForwardedHost
        let options: Options

        var mode: ModeRules { options.mode }

        var projectNumber: ProjectNumber { ProjectNumber(mode: options.mode) }

        var origins: FormOrigin { FormOrigin(publicURL: options.publicURL) }
    }

    /// Every served method and path, sorted.
    package var routes: [String] { table.listing }

    /// The outermost responder.
    package func responder() -> FrontDoor {
        FrontDoor(
            routes: table.routes(errors: errors),
            annex: annex,
            errors: errors,
            clientAddress: clientAddress,
            environment: environment,
            guardian: guardian,
            privateGuard: privateGuard,
            modeName: modeName,
            journal: journal
        )
    }
}
