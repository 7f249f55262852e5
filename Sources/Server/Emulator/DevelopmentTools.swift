import Accounts
import Console
import HTTPAPI
import Project
import Settings

/// What developers move and look at in the console: clock, latest requests, seed sets. It does not exist in production.
struct DevelopmentTools: Sendable {
    let clock: MovableClock
    let journal: ExchangeJournal
    let seeds: SeedStore

    init(_ settings: Settings, clock: MovableClock, useCases: UseCases) {
        self.clock = clock
        journal = ExchangeJournal(now: clock.now)
        seeds = SeedStore(settings, useCases: useCases)
    }

    /// What the console's screens work with.
    var tools: ConsoleDevelopment { ConsoleDevelopment(clock: clock, journal: journal, seeds: seeds) }
}
