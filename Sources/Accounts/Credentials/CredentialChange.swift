import Passwords
import Project
import Storage
import Tenancy

/// Prepares a change of address or password: it does all slow or random work before the transaction
/// (`Docs/Contract/client-accounts.md` §9.2, rules 5 to 9).
package struct CredentialChange: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    let mode: ModeRules
    let recentLogin: RecentLoginRule
    let throttle: Throttle
    let hasher: PasswordHasher
    let notices: OOBNotices

    /// A change that is ready to be written.
    struct Prepared: Sendable {
        /// The new address; `nil` leaves the address unchanged.
        var email: String?
        /// The new password's stored form; `nil` leaves the password unchanged.
        var passwordText: String?
        /// The code with which the owner of the old address can take it back.
        var recovery: OOBNotice?

        var isEmpty: Bool { email == nil && passwordText == nil }
    }

    /// Checks a change and prepares it.
    func prepare(
        email: String?,
        password: String?,
        of selection: AccountSelection,
        _ configuration: ScopeConfiguration,
        context: CallContext
    ) async throws -> Prepared {
        guard email != nil || password != nil else { return Prepared() }
        let scope = selection.scope
        let now = environment.now()
        let account = try await database.read { try selection.account(in: $0) }
        var prepared = Prepared()
        if let email {
            let canonical = try require(EmailAddress.canonicalNew(email, mode: mode), .invalidEmail)
            if canonical != account.email { prepared.email = canonical }
        }
        if case .session(let token) = selection {
            if prepared.email != nil || password != nil {
                try recentLogin.checkSensitive(token, account, configuration.policy.mfa, at: now)
            }
            if prepared.email != nil { try checkAddress(of: account, configuration.policy) }
        }
        if let email = prepared.email {
            if selection.isSession { _ = try await throttle.addressLookUp(context: context) }
            let holder = try await database.read { try $0.account(scope, email: email) }
            if let holder { throw APIError(.emailExists).about(heldBy: holder.localID) }
            if mode.waysBackLeadToFirstAddress {
                if !selection.isAnonymous {
                    prepared.recovery = try notices.addressChanged(of: account, to: email, configuration, context: context)
                }
            } else if selection.isSession {
                // An administrator may be returning a stolen account. Its present address is then the thief's and must not get a
                // recovery code.
                prepared.recovery = try notices.addressLeft(by: account, for: email, configuration, context: context)
            }
        }
        if let password {
            if context.isPrivileged {
                try configuration.passwordPolicy.checkLength(password)
            } else {
                try configuration.passwordPolicy.check(password)
            }
            prepared.passwordText = try await hasher.hash(password, for: throttle.share(of: context)).text
        }
        return prepared
    }

    /// Writes a prepared change into an account.
    ///
    /// - Throws: `APIError` `EMAIL_EXISTS`, and `OPERATION_NOT_ALLOWED` when the address was proven in the meantime.
    func apply(
        _ prepared: Prepared,
        to edit: inout AccountEdit,
        of selection: AccountSelection,
        _ policy: SignInPolicy
    ) throws {
        let (scope, transaction) = (edit.scope, edit.transaction)
        if let email = prepared.email {
            if case .session = selection { try checkAddress(of: edit.account, policy) }
            if let holder = try transaction.account(scope, email: email) {
                throw APIError(.emailExists).about(heldBy: holder.localID)
            }
            if mode.waysBackLeadToFirstAddress || prepared.recovery?.code.email == edit.account.email {
                try prepared.recovery?.insert(of: edit.old, scope, in: transaction)
            }
            if !selection.isSession, !mode.keepsCodesWhenAdministratorsMove {
                try transaction.deleteOOBCodes(scope, boundTo: edit.account)
            }
            if !selection.isAnonymous { edit.account.initialEmail = edit.account.initialEmail ?? edit.account.email }
            edit.account.email = email
            edit.account.vouch(forAddress: false, at: edit.time)
        }
        if let text = prepared.passwordText {
            edit.account.setPassword(text, at: edit.time)
            if let email = edit.account.email {
                try transaction.deleteOOBCodes(scope, email: email, type: .passwordReset)
            }
        }
    }

    // With account hiding on, no session replaces an address by an unproven one, whatever the state of the account.
    private func checkAddress(of account: AccountRecord, _ policy: SignInPolicy) throws {
        if mode.guardsProvenAddresses, policy.hidesAccounts { throw RecentLoginRule.unverifiedAddress }
        try recentLogin.checkAddress(of: account, policy)
    }

    /// Sends the messages of a committed change.
    func announce(_ prepared: Prepared) { announce(prepared.recovery) }

    /// Sends the message of a committed recovery code.
    func announce(_ recovery: OOBNotice?) { notices.announce(recovery) }

    /// Makes a recovery code for the owner of a proven address that a code replaces; `nil` in development, as in the emulator.
    func recovery(
        of account: AccountRecord,
        replacedBy email: String,
        _ configuration: ScopeConfiguration,
        at time: Timestamp,
        _ context: CallContext
    ) throws -> OOBNotice? {
        if mode.waysBackLeadToFirstAddress { return nil }
        return try notices.addressLeft(by: account, for: email, configuration, at: time, isProof: true, context: context)
    }
}
