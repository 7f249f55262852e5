import Messaging
import Passwords
package import Project
package import Storage
import Tenancy

/// The facts of a one-time code that its holder may know (`Docs/Contract/client-accounts.md` §11).
package struct OOBCodeInfo: Sendable {
    package let type: OOBRequestType
    package let email: String
    package let newEmail: String?
    /// The factor that `REVERT_SECOND_FACTOR_ADDITION` removes.
    package let secondFactor: SecondFactor?
    /// What a reset removed besides the password: ids of providers, `passkey` and `phone`.
    package let removed: [String]
    /// Whether a `RECOVER_EMAIL` code came with a notice of changed ways to sign in, not with that of a changed address.
    package let securesAccount: Bool

    init(_ record: OOBCodeRecord, secondFactor: SecondFactor? = nil, removed: [String] = []) {
        self.secondFactor = secondFactor
        self.removed = removed
        securesAccount = record.type == .recoverEmail && record.newEmail == nil
        type = record.type
        email = record.email
        newEmail = record.newEmail
    }
}

/// Checks one-time codes, and sets new passwords with them (`Docs/Contract/client-accounts.md` §11).
package struct PasswordReset: Grounded {
    let ground: Ground
    let hasher: PasswordHasher
    let notices: OOBNotices

    /// Looks at a code without using it.
    ///
    /// - Parameters:
    ///   - code: The code, of any type.
    ///   - context: The call.
    /// - Returns: The code's account and purpose.
    /// - Throws: `APIError` `INVALID_OOB_CODE`, `EXPIRED_OOB_CODE`, in production `USER_DISABLED`; `StorageError`.
    package func check(_ code: String, context: CallContext) async throws -> OOBCodeInfo {
        let scope = context.scope
        let time = environment.now()
        let hash = sha256(code.utf8)
        let refusesDisabled = mode.resetsRefuseDisabledAccounts
        return try await database.read { transaction in
            let record = try OOBCodeRules.usable(try transaction.oobCode(scope, hash: hash), at: time)
            if refusesDisabled, try transaction.account(scope, email: record.email)?.isDisabled == true {
                throw APIError(.userDisabled)
            }
            guard record.type == .revertSecondFactorAddition else { return OOBCodeInfo(record) }
            let account = try record.localID.flatMap { try transaction.account(scope, localID: $0) }
            let factor = account?.secondFactors.first { $0.enrollmentID == record.enrollmentID }
            return OOBCodeInfo(record, secondFactor: try require(factor, .invalidOOBCode))
        }
    }

    /// Sets a new password. A password that is too weak does not use the code up.
    ///
    /// - Parameters:
    ///   - code: A `PASSWORD_RESET` code.
    ///   - password: The new password.
    ///   - context: The call.
    /// - Returns: The code's account and purpose.
    /// - Throws: `APIError` in the contract's order; `StorageError`.
    package func confirm(_ code: String, password: String, context: CallContext) async throws -> OOBCodeInfo {
        let scope = context.scope
        let configuration = try await configurations.configuration(of: scope)
        guard try await check(code, context: context).type == .passwordReset else { throw APIError(.invalidOOBCode) }
        try configuration.passwordPolicy.check(password)
        let storedText = try await hasher.hash(password).text
        let time = environment.now()
        let hash = sha256(code.utf8)
        let eventID = environment.newEventID()
        let (events, mode) = (events, mode)
        let reporter = notices.reporter(configuration, context: context, isProof: true)
        let used = try await database.write { transaction -> OOBCodeInfo? in
            let record = try OOBCodeRules.usable(
                try transaction.oobCode(scope, hash: hash),
                as: .passwordReset,
                at: time
            )
            guard try transaction.deleteOOBCode(scope, hash: hash) else { throw APIError(.invalidOOBCode) }
            // The code is used up even if the account no longer exists.
            guard var account = try transaction.account(scope, email: record.email) else { return nil }
            if mode.resetsRefuseDisabledAccounts, account.isDisabled { throw APIError(.userDisabled) }
            let old = (account, events.isOn ? try transaction.identities(scope, localID: account.localID) : [])
            let kind: OwnershipProof.Kind =
                mode.proofsEndWhatWasPlanted ? (account.hasProvenAddress ? .reset : .takeover) : .emulatedReset
            let removed = try OwnershipProof(kind: kind, scope: scope, time: time).apply(to: &account, in: transaction)
            account.setPassword(storedText, at: time)
            try transaction.updateAccount(scope, account)
            try reporter?.report([.passwordReset] + removed.alterations, of: old.0, scope, at: time, in: transaction)
            try transaction.forgetPasswordFailures(of: record.email, context: context)
            let identities = events.isOn ? try transaction.identities(scope, localID: account.localID) : []
            let changes = AccountEvent.changes(from: old, to: (account, identities), revokesSessions: true)
            try events.note(changes, of: account, scope, eventID: eventID, at: time, in: transaction)
            try transaction.insertAuditEvent(
                scope,
                AuditEvent(
                    eventID: eventID,
                    occurredAt: time,
                    event: "passwordReset",
                    localID: account.localID,
                    actor: context.actor,
                    address: context.address
                )
            )
            return OOBCodeInfo(record, removed: removed.names)
        }
        events.wake()
        reporter?.announce()
        return try require(used, .invalidOOBCode)
    }

    /// Checks that password sign-in is on in a scope.
    ///
    /// - Throws: `APIError` `PASSWORD_LOGIN_DISABLED`; `StorageError`.
    package func checkIsOn(context: CallContext) async throws {
        guard try await configurations.configuration(of: context.scope).policy.allowsPassword else {
            throw APIError(.passwordLoginDisabled)
        }
    }
}
