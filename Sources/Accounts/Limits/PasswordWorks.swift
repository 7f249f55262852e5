package import Passwords
package import Project
package import Storage

/// Records what checking the stored passwords costs, so that every wrong password can cost the same (threat case ENU-06).
///
/// Imports record the kinds they bring. A walk over all accounts records kinds that older versions or settings left, and forgets
/// kinds that no account has any more.
package struct PasswordWorks: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let hasher: PasswordHasher

    /// The most kinds that a wrong password costs. With more kinds, the time of an answer reveals accounts of the others.
    static let most = 8

    private static let page = 500
    // Longer than clocks of nodes may differ, and than a walk takes.
    private static let unseenStays = Duration.seconds(86_400)

    package init(database: any Database, environment: ServerEnvironment, hasher: PasswordHasher) {
        self.database = database
        self.environment = environment
        self.hasher = hasher
    }

    /// The result of a walk.
    package struct Found: Sendable, Hashable {
        /// The number of kinds of work, including the default's.
        package let kinds: Int
        /// Whether there are more kinds than a wrong password costs.
        package var isTooMany: Bool { kinds > PasswordWorks.most + 1 }
    }

    /// Walks over all accounts.
    ///
    /// - Parameter goesOn: Called between pages; it may wait, and stops the walk with `false`.
    /// - Returns: The result; `nil` when stopped.
    /// - Throws: `StorageError`.
    package func survey(goesOn: () async -> Bool = { true }) async throws -> Found? {
        let began = environment.now()
        var seen: Set<PasswordWork> = []
        // Nodes may have different settings, so this node's own kind must be known to the others.
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
    /// The work that a wrong password costs besides the default's hash, the same for every account.
    ///
    /// - Throws: `StorageError`.
    func passwordWorks() throws -> [PasswordWork] {
        try passwordWork(limit: PasswordWorks.most + 1).compactMap { PasswordWork(text: $0) }
    }
}
