import Project
import Storage

// A reset on an account that no takeover makes that of the address's owner (threat cases LNK-17 and LNK-18).
extension PasswordReset {
    /// The new account of an address whose old account gives it up.
    struct Successor: Sendable {
        let account: AccountRecord
        /// Records that the old account gave the address up.
        let release: ChangeStamp

        /// Gives the address to the new account.
        func replace(_ holder: AccountRecord, _ stamp: ChangeStamp, in transaction: Transaction) throws {
            try transaction.releaseAddress(of: holder, release)
            try AccountEdit(creating: account, stamp, in: transaction).store(as: .signUp)
        }
    }

    /// Makes the new account of a code's address, if the old one must give it up, as a sign-up would make it.
    ///
    /// - Throws: `APIError` `ADMIN_ONLY_OPERATION` where users may not sign up, and those of `beforeCreate`.
    func successor(
        of hash: [UInt8],
        _ storedText: String,
        _ policy: SignInPolicy,
        _ context: CallContext
    ) async throws -> Successor? {
        guard policy.proofsEndUnprovenCredentials else { return nil }
        let scope = context.scope
        let holder = try await database.read { transaction -> AccountRecord? in
            guard let record = try transaction.oobCode(scope, hash: hash) else { return nil }
            return try transaction.account(scope, email: record.email)
        }
        guard let holder, let email = holder.email, holder.outlivesTakeover else { return nil }
        if policy.disablesUserSignUp { throw APIError(.adminOnlyOperation) }
        var account = AccountRecord(localID: environment.newLocalID(), createdAt: environment.now())
        account.email = email
        account.emailVerified = true
        account.setPassword(storedText, at: account.createdAt)
        let proof = SignInProof(
            method: .newPassword(SignInProof.NewPassword(email: email, storedText: storedText, displayName: nil))
        )
        let answer = try await functions.ask(
            .beforeCreate,
            of: policy.blockingFunctions,
            proof.claims(of: AccountView(scope: scope, account: account, identities: []), for: policy.blockingFunctions),
            context: context
        )
        let release = changeLog.stamp(context)
        account.emailProvenAt = release.time
        answer.apply(to: &account, at: release.time)
        return Successor(account: account, release: release)
    }
}
