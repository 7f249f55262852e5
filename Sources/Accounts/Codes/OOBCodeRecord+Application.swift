import Project
import Storage

// What a code that `CodeApplication` applies says about its account.
extension OOBCodeRecord {
    /// The account of the code; `nil` when it no longer is the code's.
    ///
    /// A code that names an account does not apply to another account that has the address now.
    ///
    /// - Throws: `StorageError`.
    func account(_ scope: Scope, in transaction: any Transaction) throws -> AccountRecord? {
        guard let localID else { return try transaction.account(scope, email: email) }
        guard let account = try transaction.account(scope, localID: localID) else { return nil }
        // Codes that undo a change work regardless of the account's present address.
        let takesBack = type == .recoverEmail || type == .revertSecondFactorAddition
        return takesBack || account.email == email ? account : nil
    }

    /// Decides what the code proves about ownership; `nil` when it proves nothing new.
    ///
    /// - Throws: `StorageError`.
    func proof(
        of account: AccountRecord,
        _ scope: Scope,
        at time: Timestamp,
        in transaction: any Transaction
    ) throws -> OwnershipProof.Kind? {
        switch type {
        case .verifyEmail: return account.hasProvenAddress ? nil : .ownAddress
        // Without an earlier proven address, the new mailbox is the account's first proof of ownership.
        case .verifyAndChangeEmail: return account.hadProvenAddress ? .change : .takeover
        case .recoverEmail: return try recovery(of: account, scope, at: time, in: transaction)
        case .revertSecondFactorAddition: return .revertedFactor
        case .passwordReset, .emailSignIn: return nil
        }
    }

    private func recovery(
        of account: AccountRecord,
        _ scope: Scope,
        at time: Timestamp,
        in transaction: any Transaction
    ) throws -> OwnershipProof.Kind {
        // Of several changes the first counts. It sent a recovery code of its own; the present code is already used up.
        func first(leavesOnly: Bool, after time: Timestamp? = nil) throws -> Timestamp? {
            let localID = account.localID
            return try transaction.firstRecoveryCode(scope, email: email, localID: localID, leavesOnly: leavesOnly, after: time)
        }
        // A mailbox that was left long ago may have another reader, and removes no factors.
        let longAgo = time - .seconds(SecondFactorRules.mailboxSeconds)
        let own = newEmail != nil && createdAt > longAgo ? createdAt : nil
        let left = [try first(leavesOnly: true, after: longAgo), own].compactMap(\.self).min()
        let since = min(try first(leavesOnly: false) ?? createdAt, createdAt)
        // What a slower clock dated before the code may have come after it (threat case OPS-11). What is as old as the proof of
        // the address that the account still has is the owner's.
        let margin = since - ClockSkew.betweenNodes
        let isOwn = account.hasProvenAddress && account.email == email
        return .recovery(
            by: self,
            waysSince: isOwn ? min(since, max(margin, account.emailProvenAt?.next ?? margin)) : margin,
            factorsSince: left.map { $0 - ClockSkew.betweenNodes }
        )
    }

    /// Whether the code is of use only while an account may be used. A disabled account that never proved the address gives it up to
    /// whoever shows a code of the address.
    func isFor(_ holder: AccountRecord) -> Bool { localID.map { $0 == holder.localID } ?? !holder.outlivesTakeover }

    /// The address that the account gets.
    var addressToSet: String? {
        switch type {
        case .verifyAndChangeEmail: newEmail
        case .recoverEmail: email
        default: nil
        }
    }

    /// The name of the audit record.
    var event: String {
        switch type {
        case .verifyEmail: "verifyEmail"
        case .revertSecondFactorAddition: "revertSecondFactorAddition"
        default: "changeEmail"
        }
    }
}
