package import HTTPAPI
package import Project

/// What the console has for developers. Production has none of it.
package struct ConsoleDevelopment: Sendable {
    let clock: MovableClock
    let journal: ExchangeJournal
    let seeds: any ConsoleSeeds

    package init(clock: MovableClock, journal: ExchangeJournal, seeds: any ConsoleSeeds) {
        self.clock = clock
        self.journal = journal
        self.seeds = seeds
    }
}

/// Sets of users to begin from (`Docs/Console.md`).
package protocol ConsoleSeeds: Sendable {
    /// The directory in which the sets are kept; `nil` when the settings name none and the store is no file of SQLite.
    var place: String? { get }

    /// The sets by name.
    func all() throws -> [ConsoleSeed]

    /// Saves the users of the project and its tenants, over a set of the same name.
    func save(_ name: String) async throws

    /// Removes all users, and makes those of a set. They stay where the set cannot be read.
    ///
    /// - Throws: `InvalidArgument`, also while an earlier load has not ended, and the errors of the store and of the file system.
    func load(_ name: String) async throws

    /// Whether the last load did not end, because the server did: its users may be there in part, and those from before are kept.
    var isUnfinished: Bool { get }

    /// Makes the users from before a load that did not end, in place of those that are there.
    func bringBack() async throws

    /// Gives up the users from before a load that did not end. Those that are there stay.
    func giveUp() async throws

    func remove(_ name: String) async throws
}

/// A seed set in the list.
package struct ConsoleSeed: Sendable {
    package let name: String
    package let savedAt: Timestamp

    package init(name: String, savedAt: Timestamp) {
        self.name = name
        self.savedAt = savedAt
    }

    /// Whether a text may name a set: 1 to 40 small letters, digits and hyphens, which no file system reads otherwise.
    package static func isName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}
