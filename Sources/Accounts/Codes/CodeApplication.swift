package import Project
import Storage
import Tenancy

/// Applies one-time codes that change or verify an account's address or remove a second factor
/// (`Docs/Contract/client-accounts.md` §9.3).
package struct CodeApplication: Grounded {
    let ground: Ground
    let credentials: CredentialChange

    /// The emulator does not apply codes of this type here and says so; production calls the code invalid.
    package struct UnsupportedCode: Error {}

    /// A changed account.
    package struct Result: Sendable {
        package let view: AccountView
        /// The new address, if the code changed it.
        package let newEmail: String?
    }

    /// Applies a code. A refusal after the checks of the code itself uses it up, except when another account has proven the
    /// address that the code would restore.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - context: The call.
    /// - Returns: The account as it is now, without tokens, because a code is no sign-in.
    /// - Throws: `APIError` `INVALID_OOB_CODE`, `EXPIRED_OOB_CODE`, `EMAIL_EXISTS`; ``UnsupportedCode`` in development;
    ///   `StorageError`.
    package func run(_ code: String, context: CallContext) async throws -> Result {
        let scope = context.scope
        let time = environment.now()
        let hash = sha256(code.utf8)
        let mode = mode
        let (eventID, releaseID) = (environment.newEventID(), environment.newEventID())
        let (address, events) = (context.address, events)
        let prepared = try await recovery(by: hash, at: time, context)
        let result = try await database.write { transaction -> Swift.Result<Result, APIError> in
            let record = try OOBCodeRules.usable(try transaction.oobCode(scope, hash: hash), at: time)
            if record.type == .passwordReset || record.type == .emailSignIn {
                throw mode.refusesWhatEmulatorLacks ? UnsupportedCode() : APIError(.invalidOOBCode)
            }
            guard try transaction.deleteOOBCode(scope, hash: hash) else { throw APIError(.invalidOOBCode) }
            guard let old = try Self.account(of: record, scope, in: transaction) else {
                return .failure(APIError(.invalidOOBCode))
            }
            // The session that asked for the change has ended since, so it may no longer change the address.
            if mode.proofsEndWhatWasPlanted, record.type == .verifyAndChangeEmail,
                record.createdAt.seconds < old.validSince ?? .min
            {
                return .failure(APIError(.invalidOOBCode))
            }
            // This check comes before any change, so that a refusal uses up the code and changes nothing else.
            if let address = Self.newAddress(by: record), address != old.email,
                let holder = try transaction.account(scope, email: address)
            {
                guard mode.proofsEndWhatWasPlanted, record.type == .recoverEmail else { return .failure(APIError(.emailExists)) }
                // Throwing undoes the use of the code, so that it works once the other owner has gone.
                if holder.hasProvenAddress { throw APIError(.emailExists) }
                // A stranger who signed up with the freed address must not keep it from its owner.
                let released = try transaction.releaseAddress(of: holder, scope, at: time)
                let audit = context.auditEvent(Self.event(record.type), of: holder.localID, id: releaseID, at: time)
                try transaction.insertAuditEvent(scope, audit)
                let identities = events.isOn ? try transaction.identities(scope, localID: holder.localID) : []
                let changes = AccountEvent.changes(
                    from: (holder, identities),
                    to: (released, identities),
                    revokesSessions: true
                )
                try events.note(changes, of: released, scope, eventID: releaseID, at: time, in: transaction)
            }
            var account = old
            let before = events.isOn ? try transaction.identities(scope, localID: old.localID) : []
            if record.type == .revertSecondFactorAddition {
                guard let index = old.secondFactors.firstIndex(where: { $0.enrollmentID == record.enrollmentID }) else {
                    return .failure(APIError(.invalidOOBCode))
                }
                account.secondFactors.remove(at: index)
                // Sessions that began with the unwanted factor end with it.
                try transaction.revokeSessions(
                    scope,
                    localID: old.localID,
                    enrollmentID: old.secondFactors[index].enrollmentID,
                    at: time
                )
            }
            let kind = mode.proofsEndWhatWasPlanted ? try Self.proof(by: record, of: old, scope, in: transaction) : nil
            if let kind { try OwnershipProof(kind: kind, scope: scope, time: time).apply(to: &account, in: transaction) }
            if record.type != .revertSecondFactorAddition { account.emailVerified = true }
            if let address = Self.newAddress(by: record) { account.email = address }
            if record.type == .verifyAndChangeEmail {
                if !mode.proofsEndWhatWasPlanted || old.hasProvenAddress { account.initialEmail = old.initialEmail ?? old.email }
                if let prepared, prepared.localID == old.localID, prepared.email == old.email, old.hasProvenAddress {
                    try prepared.recovery.insert(scope, in: transaction)
                }
            }
            try transaction.updateAccount(scope, account)
            try transaction.insertAuditEvent(
                scope,
                AuditEvent(
                    eventID: eventID,
                    occurredAt: time,
                    event: Self.event(record.type),
                    localID: account.localID,
                    actor: context.actor,
                    address: address
                )
            )
            let identities = try transaction.identities(scope, localID: account.localID)
            let changes = AccountEvent.changes(
                from: (old, events.isOn ? before : identities),
                to: (account, identities),
                revokesSessions: kind?.endsSessions ?? false
            )
            try events.note(changes, of: account, scope, eventID: eventID, at: time, in: transaction)
            let newEmail = record.type == .verifyAndChangeEmail ? account.email : nil
            return .success(
                Result(view: AccountView(scope: scope, account: account, identities: identities), newEmail: newEmail)
            )
        }.get()
        events.wake()
        if result.newEmail != nil { credentials.announce(prepared?.recovery) }
        return result
    }

    /// A recovery code, with the account and the address that it is for.
    private struct Prepared: Sendable {
        let localID: String
        let email: String?
        let recovery: OOBNotice
    }

    // The holder of the session that asked for the change need not own the address (threat case LNK-11). The message is made
    // before the transaction, which uses it only if the account is still the same.
    private func recovery(by hash: [UInt8], at time: Timestamp, _ context: CallContext) async throws -> Prepared? {
        let scope = context.scope
        let found = try await database.read { transaction -> (AccountRecord, String)? in
            guard let record = try transaction.oobCode(scope, hash: hash), record.type == .verifyAndChangeEmail,
                let email = record.newEmail, let account = try Self.account(of: record, scope, in: transaction)
            else { return nil }
            return (account, email)
        }
        guard let (account, email) = found else { return nil }
        let configuration = try await configurations.configuration(of: scope)
        return try credentials.recovery(of: account, replacedBy: email, configuration, at: time, context).map {
            Prepared(localID: account.localID, email: account.email, recovery: $0)
        }
    }

    // Decides what the code proves about ownership; `nil` when it proves nothing new.
    private static func proof(
        by record: OOBCodeRecord,
        of account: AccountRecord,
        _ scope: Scope,
        in transaction: any Transaction
    ) throws -> OwnershipProof.Kind? {
        switch record.type {
        case .verifyEmail: return account.hasProvenAddress ? nil : .ownAddress
        // Without an earlier proven address, the new mailbox is the account's first proof of ownership.
        case .verifyAndChangeEmail: return account.hadProvenAddress ? .change : .takeover
        case .recoverEmail:
            // Of several changes the first counts. It sent a recovery code of its own; the present code is already used up.
            func first(leavesOnly: Bool) throws -> Timestamp? {
                try transaction.firstRecoveryCode(scope, email: record.email, localID: account.localID, leavesOnly: leavesOnly)
            }
            let left = [try first(leavesOnly: true), record.newEmail == nil ? nil : record.createdAt].compactMap(\.self).min()
            let since = min(try first(leavesOnly: false) ?? record.createdAt, record.createdAt)
            // What a slower clock dated before the code may have come after it (threat case OPS-11). What is as old as the proof of
            // the address that the account still has is the owner's.
            let margin = since - ClockSkew.betweenNodes
            let isOwn = account.hasProvenAddress && account.email == record.email
            return .recovery(
                by: record,
                waysSince: isOwn ? min(since, max(margin, account.emailProvenAt?.next ?? margin)) : margin,
                factorsSince: left.map { $0 - ClockSkew.betweenNodes }
            )
        case .revertSecondFactorAddition: return .revertedFactor
        case .passwordReset, .emailSignIn: return nil
        }
    }

    private static func event(_ type: OOBRequestType) -> String {
        switch type {
        case .verifyEmail: "verifyEmail"
        case .revertSecondFactorAddition: "revertSecondFactorAddition"
        default: "changeEmail"
        }
    }

    private static func newAddress(by record: OOBCodeRecord) -> String? {
        switch record.type {
        case .verifyAndChangeEmail: record.newEmail
        case .recoverEmail: record.email
        default: nil
        }
    }

    // A code that names an account must not apply to another account that has the address now.
    private static func account(
        of record: OOBCodeRecord,
        _ scope: Scope,
        in transaction: any Transaction
    ) throws -> AccountRecord? {
        guard let localID = record.localID else { return try transaction.account(scope, email: record.email) }
        guard let account = try transaction.account(scope, localID: localID) else { return nil }
        // Codes that undo a change work regardless of the account's present address.
        let takesBack = record.type == .recoverEmail || record.type == .revertSecondFactorAddition
        return takesBack || account.email == record.email ? account : nil
    }
}
