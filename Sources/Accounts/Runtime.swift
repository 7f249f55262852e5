import Logging
package import Project
package import Storage
package import Tenancy
package import Tokens

/// What most use cases need together: the store, the configurations in it, the world outside, and the rules of the mode.
package final class Runtime: Sendable {
    package let database: any Database
    /// Clock, randomness, the way out, metrics and the log.
    package let environment: ServerEnvironment
    package let configurations: ConfigurationStore
    /// Everything in which development differs from production.
    package let mode: ModeRules

    package init(database: any Database, environment: ServerEnvironment, sealer: TokenSealer, mode: ModeRules) {
        self.database = database
        self.environment = environment
        self.mode = mode
        configurations = ConfigurationStore(database: database, environment: environment, sealer: sealer, mode: mode)
    }
}

/// A use case, or a part of several, that needs the runtime. One that needs a single part of it has that part instead.
protocol UsesRuntime: Sendable {
    var runtime: Runtime { get }
}

extension UsesRuntime {
    var database: any Database { runtime.database }

    var environment: ServerEnvironment { runtime.environment }

    var configurations: ConfigurationStore { runtime.configurations }

    var mode: ModeRules { runtime.mode }

    var logger: Logger { environment.logger }

    /// Whether codes and proofs that are made now expire.
    var codesExpire: Bool { mode.codesExpire || environment.isClockAdvanced() }
}
