import Project
import Storage

extension AccountImport {
    // Returns whether the row had to be stored, and what is kept of the account that is there.
    static func store(
        _ row: PreparedImport,
        _ request: Request,
        _ stamp: ChangeStamp,
        in transaction: Transaction
    ) throws -> (isNew: Bool, kept: [String]) {
        let (context, scope, time) = (stamp.context, stamp.scope, stamp.time)
        if request.overwriting == .changed, let old = try transaction.account(scope, localID: row.row.localID) {
            return try merge(row, into: old, request, stamp, in: transaction)
        }
        var (account, identities) = try row.account(scope, at: time, in: transaction)
        try requireReach(of: account, context)
        let replaced = try transaction.account(scope, localID: account.localID)
        if let old = replaced {
            if request.passesOverIdentical {
                let kept = try transaction.identities(scope, localID: account.localID)
                if row.isImported(as: old, kept, account, identities) { return (false, []) }
            }
            // What replaces an account deletes it, which is a right of its own (ruling 52).
            guard request.overwriting == .all, context.adminScopes.contains(.delete) else {
                throw PreparedImport.RowError(message: "localId belongs to an existing account - can not overwrite.")
            }
            try requireReach(of: old, context)
            if request.isDryRun { return (true, []) }
            account.proofGeneration = max(account.proofGeneration, old.proofGeneration &+ 1)
            try AccountDeletion.remove(old, scope, at: time, in: transaction)
        }
        if request.isDryRun { return (true, []) }
        try transaction.insertAccount(scope, account)
        for identity in identities {
            try transaction.upsertIdentity(scope, localID: account.localID, identity, at: time)
        }
        if let made = row.digests.first {
            let record = ImportDigestsRecord(importedAt: time, keyCheck: made.keyCheck, digests: made.digests)
            try transaction.setImportDigests(scope, localID: account.localID, record)
        }
        try record(row, from: replaced, to: account, stamp, in: transaction)
        return (true, [])
    }

    private static func merge(
        _ row: PreparedImport,
        into old: AccountRecord,
        _ request: Request,
        _ stamp: ChangeStamp,
        in transaction: Transaction
    ) throws -> (isNew: Bool, kept: [String]) {
        let (context, scope, time, localID) = (stamp.context, stamp.scope, stamp.time, old.localID)
        let identities = try transaction.identities(scope, localID: localID)
        let merge = try row.merge(into: old, identities, scope, at: time, in: transaction)
        try requireReach(of: old, context)
        try requireReach(of: merge.account, context)
        // Also a row whose claims are not taken.
        var asked = old
        asked.customAttributes = row.row.customAttributes
        try requireReach(of: asked, context)
        if request.isDryRun { return (merge.isChange, merge.notes) }
        if merge.account != old { try transaction.updateAccount(scope, merge.account) }
        try transaction.deleteIdentities(scope, localID: localID, providerIDs: merge.unlinked)
        for identity in merge.linked { try transaction.upsertIdentity(scope, localID: localID, identity, at: time) }
        if merge.endsSessions {
            try transaction.deleteOOBCodes(scope, boundTo: old, keeping: [.emailSignIn])
            try transaction.revokeSessions(scope, localID: localID, at: time)
        }
        try transaction.setImportDigests(scope, localID: localID, merge.digests)
        if merge.isChange { try record(row, from: old, to: merge.account, stamp, in: transaction) }
        return (merge.isChange, merge.notes)
    }

    private static func record(
        _ row: PreparedImport,
        from old: AccountRecord?,
        to account: AccountRecord,
        _ stamp: ChangeStamp,
        in transaction: Transaction
    ) throws {
        let detail = try stamp.changes.detail(from: old, to: account)
        let event = stamp.context.auditEvent(.import, of: account.localID, detail, id: row.eventID, at: stamp.time)
        try transaction.insertAuditEvent(stamp.scope, event)
    }

    private static func requireReach(of account: AccountRecord, _ context: CallContext) throws {
        do { try context.requireReach(of: account) } catch is OperatorError {
            throw PreparedImport.RowError(
                message: "accounts with the protected claim are imported by administrators of the project"
            )
        }
    }
}
