package import Project
import Storage
import Tenancy

/// Deletes accounts (`Docs/Contract/client-accounts.md` §10).
package struct AccountDeletion: Grounded {
    let ground: Ground

    /// Deletes an account. Its addresses and identities are free at once, and its sessions end.
    ///
    /// - Parameters:
    ///   - selection: The account.
    ///   - context: The call.
    /// - Throws: `APIError` of the selection, `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`, `ADMIN_ONLY_OPERATION`; `StorageError`.
    package func run(_ selection: AccountSelection, context: CallContext) async throws {
        let scope = selection.scope
        let policy = try await configurations.configuration(of: scope).policy
        let time = environment.now()
        let eventID = environment.newEventID()
        let (recentLogin, events) = (recentLogin, events)
        try await database.write { transaction in
            let account = try selection.account(in: transaction)
            if case .session(let token) = selection {
                try recentLogin.check(token, at: time)
                if policy.disablesUserDeletion { throw APIError(.adminOnlyOperation) }
            }
            try Self.delete(account, scope, at: time, in: transaction)
            try events.note([.deleted], of: account, scope, eventID: eventID, at: time, in: transaction)
            try transaction.insertAuditEvent(
                scope,
                AuditEvent(
                    eventID: eventID,
                    occurredAt: time,
                    event: "delete",
                    localID: account.localID,
                    actor: context.actor,
                    address: context.address
                )
            )
        }
        events.wake()
    }

    /// Removes an account with its identities, sessions and codes.
    ///
    /// - Throws: `StorageError`.
    static func delete(
        _ account: AccountRecord,
        _ scope: Scope,
        at time: Timestamp,
        in transaction: any Transaction
    ) throws {
        try transaction.revokeSessions(scope, localID: account.localID, at: time)
        try transaction.deleteOOBCodes(scope, boundTo: account, keeping: [.emailSignIn])
        _ = try transaction.deleteAccount(scope, localID: account.localID)
    }
}
