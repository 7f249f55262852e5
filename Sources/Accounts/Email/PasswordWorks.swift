package import Passwords
package import Project
package import Storage

/// Keeps account of what checks of the store's passwords cost, so that each wrong password can cost all of it (threat case ENU-06).
///
/// Imports note what they bring. A walk over the accounts notes what earlier versions or other settings left there, and forgets what
/// nobody has any more because every such password was hashed anew.
package struct PasswordWorks: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let hasher: PasswordHasher

    /// A bound of what a wrong password may cost. A store with more kinds can tell accounts of the rest by time.
    static let most = 8

    private static let page = 500
    // Longer than two nodes' clocks differ, and than one walk takes.
    private static let unseenStays = Duration.seconds(86_400)

    package init(database: any Database, environment: ServerEnvironment, hasher: PasswordHasher) {
        self.database = database
        self.environment = environment
        self.hasher = hasher
    }

    /// What a walk has found.
    package struct Found: Sendable, Hashable {
        /// How many kinds of work there are, the default's included.
        package let kinds: Int
        /// Whether there are more than a wrong password is made to cost.
        package var isTooMany: Bool { kinds > PasswordWorks.most + 1 }
    }

    /// Walks over all accounts.
    ///
    /// - Parameter goesOn: Asked between pages, and may take its time.
    /// - Returns: What was found; `nil` when told to stop.
    /// - Throws: `StorageError`.
    package func survey(goesOn: () async -> Bool = { true }) async throws -> Found? {
        let began = environment.now()
        var seen: Set<PasswordWork> = []
        // Another node may have other settings: to it, this node's own hashes are others.
        if let own = hasher.defaultWork { try await note([own], &seen) }
        var last: AccountKey?
        repeat {
            guard await goesOn() else { return nil }
            let start = last
            let page = try await database.read { try $0.passwordTexts(after: start, limit: Self.page) }
            try await note(page.texts.compactMap { StoredPassword(text: $0)?.work }, &seen)
            last = page.last
        } while last != nil
        let forgotten = began - Self.unseenStays
        _ = try await database.write { try $0.forgetPasswordWork(notedBefore: forgotten) }
        return Found(kinds: seen.count)
    }

    private func note(_ works: [PasswordWork], _ seen: inout Set<PasswordWork>) async throws {
        let new = Set(works).subtracting(seen)
        guard !new.isEmpty else { return }
        seen.formUnion(new)
        let time = environment.now()
        try await database.write { transaction throws in
            for work in new { try transaction.notePasswordWork(work.text, at: time) }
        }
    }
}

extension Transaction {
    /// What a wrong password is to cost beside the default's hash: the same for every try on what is stored now.
    ///
    /// - Throws: `StorageError`.
    func passwordWorks() throws -> [PasswordWork] {
        try passwordWork(limit: PasswordWorks.most + 1).compactMap { PasswordWork(text: $0) }
    }
}
