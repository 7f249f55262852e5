package import Passwords
package import Project
package import Storage

/// Records what checking the stored passwords costs, so that every wrong password can cost the same (threat case ENU-06).
///
/// Imports record the kinds they bring. A walk over all accounts records kinds that older versions or settings left, and forgets
/// kinds that no account has any more. Each project and each tenant has kinds of its own, so that the operators of one tenant make
/// nothing slow for the users of others.
package struct PasswordWorks: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let hasher: PasswordHasher

    /// The most kinds that are recorded of one scope, which bounds what a sign-in reads.
    static let most = 32

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
        /// The number of kinds of work in all scopes, including the default's.
        package let kinds: Int
        /// Whether a scope has kinds that a wrong password does not cost. The time of an answer reveals their accounts.
        package let isTooMuch: Bool
    }

    /// Walks over all accounts.
    ///
    /// - Parameter goesOn: Called between pages; it may wait, and stops the walk with `false`.
    package func survey(goesOn: () async -> Bool = { true }) async throws -> Found? {
        let began = environment.now()
        var seen: [Scope: Set<PasswordWork>] = [:]
        // Nodes may have different settings, so this node's own kind must be known to the others.
        let own = hasher.defaultWork
        if let own { try await database.write { try $0.notePasswordWork(own.text, nil, at: began) } }
        var last: AccountKey?
        repeat {
            guard await goesOn() else { return nil }
            let start = last
            let page = try await database.read { try $0.passwordTexts(after: start, limit: Self.page) }
            let found = page.texts.compactMap { entry in
                StoredPassword(text: entry.text)?.work.map { (scope: entry.scope, work: $0) }
            }
            try await note(found.filter { $0.work != own }, &seen)
            last = page.last
        } while last != nil
        let forgotten = began - Self.unseenStays
        if environment.clockLead() == nil {
            _ = try await database.write { try $0.forgetPasswordWork(notedBefore: forgotten) }
        }
        return Found(
            kinds: Set(seen.values.joined()).count + (own == nil ? 0 : 1),
            isTooMuch: seen.values.contains { hasher.padding(Array($0)).count < $0.count }
        )
    }

    private func note(
        _ found: [(scope: Scope, work: PasswordWork)],
        _ seen: inout [Scope: Set<PasswordWork>]
    ) async throws {
        let time = environment.now()
        for (scope, works) in Dictionary(grouping: found, by: \.scope) {
            let new = Set(works.map(\.work)).subtracting(seen[scope] ?? [])
            guard !new.isEmpty else { continue }
            seen[scope, default: []].formUnion(new)
            try await database.write { _ = try $0.note(new, scope, at: time) }
        }
    }
}

extension Transaction {
    /// The work of the passwords of a scope, and of those that the nodes hash themselves.
    func passwordWorks(_ scope: Scope) throws -> [PasswordWork] {
        let texts = try passwordWork(nil, limit: PasswordWorks.most) + passwordWork(scope, limit: PasswordWorks.most)
        return texts.compactMap { PasswordWork(text: $0) }
    }

    /// Records the work of passwords, as far as a scope may have more kinds.
    func note(_ works: Set<PasswordWork>, _ scope: Scope, at time: Timestamp) throws -> [PasswordWork] {
        var known = Set(try passwordWork(scope, limit: PasswordWorks.most))
        for work in works where known.contains(work.text) || known.count < PasswordWorks.most {
            known.insert(work.text)
            try notePasswordWork(work.text, scope, at: time)
        }
        return try passwordWorks(scope)
    }
}
