package import Accounts
import Project
package import Settings
import Tenancy
package import Tokens

/// The HTTP API: the list of endpoints, and the responder that serves them.
package struct API {
    /// Every served method and path, sorted.
    package let routes: [String]
    package let responder: FrontDoor

    /// What the API knows of the listener that it is served by, beside the settings.
    package struct Options: Sendable {
        let settings: Settings
        /// Whether the API serves the private listener.
        let isPrivate: Bool
        /// The `iss` of ID tokens, for the discovery document.
        let issuer: String
        /// `server.publicURL`. It is read at each use, because with port 0 it is known only once the listener runs.
        let publicURL: @Sendable () -> String
        /// Where browsers reach the private listener's pages, whose host it may be called by.
        let privateURL: @Sendable () -> String
        /// How long `/readyz` waits for the store before it answers 503.
        let readinessPatience: Duration
        /// `/metrics`; `nil` when it is not served.
        package var metrics: MetricsPage?
        /// The URL of Google's script for the frame in apps' pages.
        package var gapiScript = "https://apis.google.com/js/api.js"
        /// Pages of another module; `nil` for none.
        package var mountedSite: (any MountedSite)?
        /// Keeps the latest requests, for developers; `nil` in production.
        package var journal: ExchangeJournal?

        package init(
            _ settings: Settings,
            isPrivate: Bool,
            issuer: String,
            publicURL: @escaping @Sendable () -> String,
            privateURL: @escaping @Sendable () -> String,
            readinessPatience: Duration
        ) {
            self.settings = settings
            self.isPrivate = isPrivate
            self.issuer = issuer
            self.publicURL = publicURL
            self.privateURL = privateURL
            self.readinessPatience = readinessPatience
        }

        var mode: ModeRules { settings.mode.rules }
    }

    /// Adds all endpoints.
    package init(_ useCases: UseCases, keyRing: KeyRing, _ options: Options) {
        let (environment, mode, settings) = (useCases.runtime.environment, options.mode, options.settings)
        let auth = CallerAuth(
            settings,
            isPrivate: options.isPrivate,
            credentials: useCases.operators.credentials,
            logger: environment.logger
        )
        let errors = ErrorRendering(environment: environment, refusals: useCases.refusals, project: auth.project)
        let listener = ListenerContext(keyRing: keyRing, auth: auth, errors: errors, options: options)
        let table = Self.table(useCases, listener)
        routes = table.listing
        responder = FrontDoor(
            routes: table.routes(errors: errors),
            mountedSite: options.mountedSite,
            clientAddress: ClientAddress(trusted: settings.server.trustedProxies),
            environment: environment,
            guardian: mode.refusesForeignPages
                ? DevelopmentGuard(allowsRemote: settings.development.allowRemote, publicURL: options.publicURL) : nil,
            privateGuard: options.isPrivate ? PrivateListenerGuard(urls: [options.publicURL, options.privateURL]) : nil,
            modeName: mode.nameInAnswers,
            journal: options.journal,
            errors: errors,
            metrics: RequestMetrics(factory: environment.metrics)
        )
    }

    private static func table(_ useCases: UseCases, _ listener: ListenerContext) -> RouteTable {
        let (settings, mode, configurations) = (listener.options.settings, listener.mode, useCases.runtime.configurations)
        let runner = EndpointRunner(
            auth: listener.auth,
            bodyLimits: BodyLimits(maximum: settings.server.maxBodyBytes, ofStrangers: settings.limits.bodies.publicBytes),
            availability: { try await configurations.requireServed($0) }
        )
        var table = RouteTable(runner: runner, legacyTakesAnyMethod: mode.legacyPathsTakeAnyMethod)
        addSignIn(useCases, listener, to: &table)
        addAccounts(useCases, listener, to: &table)
        addFactors(useCases, listener, to: &table)
        addCodes(useCases, listener, to: &table)
        addTokens(useCases, listener, to: &table)
        addClient(useCases, listener, to: &table)
        addAccountAdministration(useCases, listener, to: &table)
        addAdministration(useCases.operators.configuration, mode: mode, to: &table)
        addPages(useCases, listener, to: &table)
        if mode.servesEmulatorPaths { addEmulator(useCases, listener, to: &table) }
        for method in UnimplementedMethod.all(mode) { table.add(method) }
        OpenAPIPage(mode: mode, publicURL: listener.options.publicURL).add(to: &table)
        return table
    }

    /// What endpoints know of the listener that they are served by.
    struct ListenerContext: Sendable {
        let keyRing: KeyRing
        let auth: CallerAuth
        let errors: ErrorRendering
        let options: Options

        var mode: ModeRules { options.mode }

        var forwardedHost: ForwardedHost { ForwardedHost(trusted: options.settings.server.trustedProxies) }

        var projectNumber: ProjectNumber { ProjectNumber(mode: mode) }

        var origins: FormOrigin { FormOrigin(publicURL: options.publicURL) }
    }
}
