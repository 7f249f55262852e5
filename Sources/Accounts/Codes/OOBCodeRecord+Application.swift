import Project
import Storage

// What a code that `CodeApplication` applies says about its account.
extension OOBCodeRecord {
    /// The account of the code; `nil` when it no longer is the code's.
    ///
    /// A code that names an account does not apply to another account that has the address now.
    func account(_ scope: Scope, in transaction: Transaction) throws -> AccountRecord? {
        guard let localID else { return try transaction.account(scope, email: email) }
        guard let account = try transaction.account(scope, localID: localID) else { return nil }
        // Codes that undo a change work regardless of the account's present address.
        let takesBack = type == .recoverEmail || type == .revertSecondFactorAddition
        return takesBack || account.email == email ? account : nil
    }

    /// Decides what the code proves about ownership; `nil` when it proves nothing new.
    func proof(
        of account: AccountRecord,
        _ scope: Scope,
        at time: Timestamp,
        in transaction: Transaction
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

    /// Decides what a recovery takes back: all that came after the first change of those that its address was told of, or after the
    /// last use of the code if that could not restore the address.
    func recovery(
        of account: AccountRecord,
        _ scope: Scope,
        at time: Timestamp,
        in transaction: Transaction
    ) throws -> OwnershipProof.Kind {
        // Each change sent a code of its own; the present one may be used up already.
        func first(leavesOnly: Bool, after time: Timestamp? = nil) throws -> FirstRecovery? {
            let localID = account.localID
            return try transaction.firstRecovery(scope, email: email, localID: localID, leavesOnly: leavesOnly, after: time)
        }
        // A mailbox that was left long ago may have another reader, and removes no factors.
        let longAgo = time - .seconds(SecondFactorRules.mailboxSeconds)
        let own = newEmail != nil && createdAt > longAgo ? createdAt : nil
        let left = [try first(leavesOnly: true, after: longAgo)?.createdAt, own].compactMap(\.self).min()
        let others = usedAt == nil ? try first(leavesOnly: false) : nil
        let since = usedAt ?? min(others?.createdAt ?? createdAt, createdAt)
        // What a slower clock dated before the code may have come after it (threat case OPS-11). What is as old as the proof of the
        // address is the owner's: additions are dated after the last proof.
        let margin = since - ClockSkew.betweenNodes
        let isOwn = account.hasProvenAddress && account.email == email
        let provenAt = isOwn ? account.emailProvenAt : least(self.provenAt, others, \.provenAt)
        let firstNew = usedAt ?? provenAt?.next ?? margin
        return .recovery(
            by: self,
            waysSince: min(since, max(margin, firstNew)),
            factorsSince: left.map { max($0 - ClockSkew.betweenNodes, usedAt ?? .distantPast) },
            endsPassword: account.hasPassword(since: since, after: least(generation, others, \.generation))
        )
    }

    // `nil` when any of the codes does not know it.
    private func least<Value: Comparable>(
        _ own: Value?,
        _ others: FirstRecovery?,
        _ value: KeyPath<FirstRecovery, Value?>
    ) -> Value? {
        guard let own, let others else { return own }
        return others[keyPath: value].map { min($0, own) }
    }

    /// Whether the code is of use only while an account may be used. A disabled account that never proved the address gives it up to
    /// the user who shows a code that was mailed there.
    func isFor(_ holder: AccountRecord) -> Bool { localID.map { $0 == holder.localID } ?? !holder.outlivesTakeover }

    /// The address that the account gets.
    var addressToSet: String? {
        switch type {
        case .verifyAndChangeEmail: newEmail
        case .recoverEmail: email
        default: nil
        }
    }

    /// What the audit record says.
    var event: AuditEvent.Kind {
        switch type {
        case .verifyEmail: .verifyEmail
        case .revertSecondFactorAddition: .revertSecondFactorAddition
        default: .changeEmail
        }
    }
}

extension AccountRecord {
    /// Whether the account's password was set after a change.
    fileprivate func hasPassword(since time: Timestamp, after generation: Int64?) -> Bool {
        guard let setAt = passwordUpdatedAt else { return passwordHash != nil }
        // Clocks of nodes tell times apart that are further from each other than the clocks are, also where a node of the version
        // before has set the password and knew nothing of its generation. What is nearer is for the generation to tell (threat case OPS-11).
        guard let generation, let passwordGeneration else { return setAt >= time - ClockSkew.betweenNodes }
        return passwordGeneration > generation || setAt >= time.advanced(by: ClockSkew.betweenNodes)
    }
}
