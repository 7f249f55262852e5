package import Project
package import Storage
import Tenancy

/// Deletes accounts (`Docs/Contract/client-accounts.md` §10).
package struct AccountDeletion: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules
    let changeLog: ChangeLog

    /// Deletes the account of a user's session, or one that an administrator names.
    ///
    /// - Parameter localID: The account, for administrators only: a user's token alone decides, though the iOS SDK sends both.
    /// - Throws: `APIError` `MISSING_LOCAL_ID`, `MISSING_ID_TOKEN`, and as ``delete(_:also:context:)``.
    package func delete(idToken: String?, localID: String?, context: CallContext) async throws {
        let selection: AccountSelection =
            try context.isPrivileged
            ? .localID(require(localID, .missingLocalID), context.scope)
            : .session(idTokens.verify(require(idToken, .missingIDToken), scope: context.scope))
        try await delete(selection, context: context)
    }

    /// Deletes an account. Its addresses and identities are free at once, and its sessions end.
    ///
    /// - Parameter part: What else happens in the transaction, before the deletion.
    /// - Throws: `APIError` of the selection, `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`, `ADMIN_ONLY_OPERATION`.
    package func delete(_ selection: AccountSelection, also part: TransactionPart? = nil, context: CallContext) async throws {
        let scope = selection.scope
        let policy = try await configurations.configuration(of: scope).policy
        let stamp = changeLog.stamp(context.inScope(scope))
        let recentLogin = idTokens.recentLogin
        try await database.write { transaction in
            try part?(transaction)
            let account = try selection.account(in: transaction)
            if case .session(let token) = selection {
                try recentLogin.check(token, at: stamp.time)
                try recentLogin.checkSecondFactor(token, account, policy.mfa, in: transaction)
                if policy.disablesUserDeletion { throw APIError(.adminOnlyOperation) }
            }
            try Self.delete(account, stamp, in: transaction)
        }
        changeLog.wake()
    }

    /// Removes an account, and records the deletion.
    ///
    /// - Throws: ``OperatorError/notAllowed`` for an account that the caller must not change.
    static func delete(_ account: AccountRecord, _ stamp: ChangeStamp, in transaction: Transaction) throws {
        try stamp.context.requireReach(of: account)
        try remove(account, stamp.scope, at: stamp.time, in: transaction)
        try stamp.record(.delete, [.deleted], of: account, in: transaction)
    }

    /// Removes an account with its identities, sessions, codes and counts.
    static func remove(
        _ account: AccountRecord,
        _ scope: Scope,
        at time: Timestamp,
        in transaction: Transaction
    ) throws {
        try transaction.deleteOOBCodes(scope, boundTo: account, keeping: [.emailSignIn])
        try transaction.revokeSessions(scope, localID: account.localID, at: time)
        let counts = AccountBucket.Kind.allCases.map(\.rawValue)
        try transaction.deleteThrottles(scope, localID: account.localID, prefixes: counts)
        _ = try transaction.deleteAccount(scope, localID: account.localID)
    }
}
