import Project
import Storage
import Tenancy

extension OOBNotices {
    /// Prepares development's notice of a changed address, sent to the account's first address without asking for a proof
    /// (`Docs/Contract/client-accounts.md` §9.2, rule 7).
    ///
    /// - Parameters:
    ///   - account: The account before the change.
    ///   - email: The new address.
    ///   - configuration: The configuration of the scope.
    ///   - context: The call, in the scope of the account.
    /// - Returns: The notice; `nil` for an account without an address.
    /// - Throws: When sealing fails.
    func addressChanged(
        of account: AccountRecord,
        to email: String,
        _ configuration: ScopeConfiguration,
        context: CallContext
    ) throws -> OOBNotice? {
        guard let old = account.initialEmail ?? account.email else { return nil }
        var draft = codes.draft(.recoverEmail, email: old)
        draft.record.newEmail = email
        return try notice(draft, account, configuration, context)
    }
}
