package import Project
import Storage
import Tenancy

/// Deletes many accounts for an administrator (`Docs/Contract/admin-accounts.md` §8).
package struct BatchDeletion: UsesRuntime {
    let runtime: Runtime
    let changeLog: ChangeLog

    private static let counts = 1...1000
    // The number of accounts in one transaction; sign-ins are served between two of them.
    private static let chunkSize = 100

    /// An account that was not deleted.
    package struct Failure: Sendable, Hashable {
        /// The position of its id in the request.
        package let index: Int
        package let localID: String
        package let message: String
    }

    /// Deletes accounts; ids without an account count as deleted.
    ///
    /// - Parameter force: Whether accounts that are not disabled are deleted too.
    /// - Throws: `APIError` `LOCAL_ID_LIST_EXCEEDS_LIMIT`; `StorageError`, with the accounts before it deleted.
    package func delete(_ localIDs: [String], force: Bool, context: CallContext) async throws -> [Failure] {
        let scope = context.scope
        try await configurations.requireServed(scope)
        guard Self.counts.contains(localIDs.count) else { throw APIError(.localIDListExceedsLimit) }
        var failures: [Failure] = []
        for start in stride(from: 0, to: localIDs.count, by: Self.chunkSize) {
            let time = environment.now()
            let chunk = (start..<min(start + Self.chunkSize, localIDs.count)).map { index in
                (index, changeLog.stamp(context, at: time))
            }
            failures += try await Deadline.ofEachTransaction {
                try await delete(chunk, of: localIDs, force: force, scope)
            }
            changeLog.wake()
        }
        return failures
    }

    private func delete(
        _ chunk: [(Int, ChangeStamp)],
        of localIDs: [String],
        force: Bool,
        _ scope: Scope
    ) async throws -> [Failure] {
        try await database.write { transaction in
            try chunk.compactMap { index, stamp in
                let localID = localIDs[index]
                guard let account = try transaction.account(scope, localID: localID) else { return nil }
                guard force || account.isDisabled else {
                    let message = "NOT_DISABLED : Disable the account before batch deletion."
                    return Failure(index: index, localID: localID, message: message)
                }
                try AccountDeletion.delete(account, stamp, in: transaction)
                return nil
            }
        }
    }
}
