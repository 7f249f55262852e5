import Logging
package import Project
package import Settings
package import Storage
package import Tenancy
package import Tokens

/// What almost every use case needs.
package final class Ground: Sendable {
    package let database: any Database
    /// Clock, randomness, the way out, metrics and the log.
    package let environment: ServerEnvironment
    package let configurations: ConfigurationStore
    /// Everything in which development differs from production.
    package let mode: ModeRules
    /// `limits.*`
    package let limits: LimitSettings
    /// Seals what clients or the store keep for the server.
    package let sealer: TokenSealer
    package let idTokens: IDTokenRules
    package let throttle: Throttle
    package let refusals: RefusalAudit
    package let dailyCounts: DailyCounts
    /// The events for the operator's web hook.
    package let events: EventOutbox

    /// Puts the parts together.
    package init(
        _ settings: Settings,
        database: any Database,
        environment: ServerEnvironment,
        sealer: TokenSealer,
        issuer: TokenIssuer,
        events: EventOutbox
    ) {
        self.database = database
        self.environment = environment
        self.sealer = sealer
        self.events = events
        mode = settings.mode.rules
        limits = settings.limits
        configurations = ConfigurationStore(database: database, environment: environment, sealer: sealer, mode: mode)
        idTokens = IDTokenRules(issuer: issuer, recentLogin: RecentLoginRule(limits, mode: mode))
        throttle = Throttle(database: database, environment: environment, limits: limits, mode: mode)
        dailyCounts = DailyCounts(database: database, environment: environment)
        refusals = RefusalAudit(
            database: database,
            environment: environment,
            idTokens: issuer,
            mode: settings.mode.rules,
            dailyCounts: dailyCounts
        )
    }
}

/// Something that stands on the ground: a use case, or a part of several.
protocol Grounded: Sendable {
    var ground: Ground { get }
}

extension Grounded {
    var database: any Database { ground.database }

    var environment: ServerEnvironment { ground.environment }

    var configurations: ConfigurationStore { ground.configurations }

    var mode: ModeRules { ground.mode }

    /// Whether codes and proofs that are made now expire.
    var codesExpire: Bool { mode.codesExpire || environment.isAhead() }

    var sealer: TokenSealer { ground.sealer }

    var idTokens: IDTokenRules { ground.idTokens }

    var recentLogin: RecentLoginRule { ground.idTokens.recentLogin }

    var throttle: Throttle { ground.throttle }

    var refusals: RefusalAudit { ground.refusals }

    var dailyCounts: DailyCounts { ground.dailyCounts }

    var events: EventOutbox { ground.events }

    var logger: Logger { ground.environment.logger }
}
