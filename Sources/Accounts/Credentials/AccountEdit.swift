import Project
import Storage

/// One change of an account inside its transaction.
///
/// It begins with the loaded account. The steps of the change alter ``account``. ``store(as:detail:revokesSessions:)`` ends it: the
/// account is stored, its events and its audit record are written, and its view is the answer.
struct AccountEdit {
    let stamp: ChangeStamp
    let transaction: Transaction
    /// The account before the change.
    let old: AccountRecord
    /// The identities before the change; empty when nothing needs them.
    let oldIdentities: [IdentityRecord]
    /// The account as it will be stored.
    var account: AccountRecord
    private let isNew: Bool

    /// Begins the change of a stored account.
    ///
    /// - Throws: ``OperatorError/notAllowed`` for an account that the caller must not change.
    init(
        of account: AccountRecord,
        _ stamp: ChangeStamp,
        keepsIdentities: Bool = false,
        in transaction: Transaction
    ) throws {
        try stamp.context.requireReach(of: account)
        let isNeeded = keepsIdentities || stamp.notesEvents
        oldIdentities = isNeeded ? try transaction.identities(stamp.scope, localID: account.localID) : []
        self.stamp = stamp
        self.transaction = transaction
        old = account
        self.account = account
        isNew = false
    }

    init(creating account: AccountRecord, _ stamp: ChangeStamp, in transaction: Transaction) {
        self.stamp = stamp
        self.transaction = transaction
        old = account
        oldIdentities = []
        self.account = account
        isNew = true
    }

    var scope: Scope { stamp.scope }

    var time: Timestamp { stamp.time }

    /// Stores the account and records the change.
    ///
    /// - Parameter detail: Further facts for the audit record, never secrets.
    @discardableResult
    func store(as kind: AuditEvent.Kind, detail: JSONValue? = nil, revokesSessions: Bool = false) throws -> AccountView {
        try write()
        return try record(as: kind, detail: detail, revokesSessions: revokesSessions)
    }

    /// Stores the account, without the record of the change.
    ///
    /// A change that also touches identities or passkeys calls it first. Sign-ins write in the same order, so two transactions do
    /// not wait for each other's rows.
    ///
    /// - Throws: ``OperatorError/notAllowed`` for an account that the caller must not make, ``OperatorError/needsConfirmation``
    ///   for an operator who must prove a factor before.
    func write() throws {
        try stamp.context.requireReach(of: account)
        if stamp.context.lacksFreshProof, isNew || account.opensOtherwise(than: old) { throw OperatorError.needsConfirmation }
        if isNew {
            try transaction.insertAccount(scope, account)
        } else {
            try transaction.updateAccount(scope, account)
        }
    }

    /// Records a change whose account is already stored.
    @discardableResult
    func record(as kind: AuditEvent.Kind, detail: JSONValue? = nil, revokesSessions: Bool = false) throws -> AccountView {
        let identities = isNew ? [] : try transaction.identities(scope, localID: account.localID)
        var happened: [AccountEvent] = []
        if isNew {
            happened = [.created]
        } else if stamp.notesEvents {
            happened = AccountEvent.changes(
                from: (old, oldIdentities),
                to: (account, identities),
                revokesSessions: revokesSessions
            )
        }
        let said = try stamp.changes.detail(from: isNew ? nil : old, to: account, with: detail)
        try stamp.record(kind, happened, of: account, detail: said, in: transaction)
        return AccountView(scope: scope, account: account, identities: identities)
    }
}

extension AccountRecord {
    /// Whether the account's user, or somebody else, can sign in where they could not before, or has other rights in the project's apps.
    fileprivate func opensOtherwise(than old: AccountRecord) -> Bool {
        email != old.email || emailVerified != old.emailVerified || phoneNumber != old.phoneNumber
            || passwordHash != old.passwordHash || secondFactors != old.secondFactors
            || customAttributes != old.customAttributes || old.isDisabled && !isDisabled
    }
}
