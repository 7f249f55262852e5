import Project
import Storage
import Tenancy

extension OOBNotices {
    /// Prepares development's notice of a changed address, sent to the account's first address without asking for a proof
    /// (`Docs/Contract/client-accounts.md` §9.2, rule 7).
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
