import Passwords
import Project
import Storage

/// What an import changes of an account that it meets again: only what the file has changed since it was last imported. What the user
/// has changed here stays.
struct ImportMerge {
    /// The account as it is to be stored.
    var account: AccountRecord
    /// The identities to link or update.
    var linked: [IdentityRecord] = []
    /// The providers to unlink.
    var unlinked: [String] = []
    /// Whether anything is to be stored.
    var isChange = false
    /// Whether a way to sign in changes, so that sessions end.
    var endsSessions = false
    /// What is kept of the account although the file has something else, for the report.
    var notes: [String] = []
    /// What to remember of this import.
    var digests: ImportDigestsRecord
}

extension PreparedImport {
    private typealias Name = ImportedMembers.Name

    /// Compares the row with the account that it was imported as, and with what the last import brought.
    func merge(
        into old: AccountRecord,
        _ identities: [IdentityRecord],
        _ scope: Scope,
        at time: Timestamp,
        in transaction: Transaction
    ) throws -> ImportMerge {
        try checkRow(scope)
        let last = try transaction.importDigests(scope, localID: old.localID)
        let comparable = last.flatMap { last in digests.first { $0.keyCheck == last.keyCheck } }
        let here = ImportedMembers(old, identities).values
        let names = Set(members.values.keys).union(here.keys).union((last?.digests ?? [:]).keys)
        let changed = names.filter { comparable != nil && comparable?.digests[$0] != last?.digests[$0] }
        let takesAnew = last == nil || changed.contains(Name.password) || changed.contains(Name.secondFactors)
        var merge = ImportMerge(
            account: old,
            digests: ImportDigestsRecord(
                importedAt: takesAnew ? time : last?.importedAt ?? time,
                keyCheck: digests.first?.keyCheck ?? "",
                digests: digests.first?.digests ?? [:]
            )
        )
        merge.notes = names.subtracting(changed).filter {
            isKept($0, old, here, since: comparable == nil ? nil : last?.importedAt)
        }
        .sorted().map { name in
            comparable == nil
                ? "\(name) is kept: it is not known what an earlier import set" : "\(name) was changed here and is kept"
        }
        merge.isChange = !changed.isEmpty || comparable == nil && !merge.notes.isEmpty
        try takeProviders(changed, identities, scope, &merge, in: transaction)
        try takeWaysIn(changed, last, scope, &merge, at: time, in: transaction)
        takeProfile(changed, &merge.account)
        if changed.contains(Name.customAttributes) { merge.account.customAttributes = try customAttributes() }
        if let fault = row.fault(mode) { throw RowError(message: fault) }
        if merge.endsSessions { merge.account.endTokens(at: time) }
        return merge
    }

    // Whether the account has something else than the file.
    private func isKept(_ name: String, _ old: AccountRecord, _ here: [String: String], since imported: Timestamp?) -> Bool {
        let file = members.values[name]
        switch name {
        // Every sign-in sets them.
        case Name.lastLoginAt, Name.createdAt, Name.validSince, Name.initialEmail: return false
        case Name.password:
            // A rehashed password is the same, and keeps its time.
            guard old.passwordHash != nil, let imported else { return (old.passwordHash == nil) != (file == nil) }
            return old.passwordUpdatedAt ?? imported > imported
        case _ where Name.provider(of: name) != nil:
            // Every sign-in brings the provider's profile.
            func rawID(_ text: String?) -> JSONValue? { text.flatMap { try? JSONValue.parse($0.utf8)[0] } }
            return rawID(file) != rawID(here[name])
        default: return file != here[name]
        }
    }

    private func takeProviders(
        _ changed: Set<String>,
        _ identities: [IdentityRecord],
        _ scope: Scope,
        _ merge: inout ImportMerge,
        in transaction: Transaction
    ) throws {
        let ids = Set(changed.compactMap(Name.provider))
        guard !ids.isEmpty else { return }
        let rows = row.providers.filter { provider in provider.identifier(mode: mode).map { ids.contains($0.providerID) } ?? false
        }
        merge.linked = try self.identities(of: rows, scope, in: transaction)
        merge.unlinked = ids.subtracting(merge.linked.map(\.providerID)).filter { id in
            identities.contains { $0.providerID == id }
        }.sorted()
        let isNew = merge.linked.contains { new in
            !identities.contains { $0.providerID == new.providerID && bytesEqual($0.rawID, new.rawID) }
        }
        if isNew || !merge.unlinked.isEmpty { merge.endsSessions = true }
    }

    private func takeWaysIn(
        _ changed: Set<String>,
        _ last: ImportDigestsRecord?,
        _ scope: Scope,
        _ merge: inout ImportMerge,
        at time: Timestamp,
        in transaction: Transaction
    ) throws {
        let old = merge.account
        if changed.contains(Name.phoneNumber) {
            if let number = try phoneNumber(scope, in: transaction) {
                merge.account.take(phoneNumber: number, at: time)
            } else {
                merge.account.phoneNumber = nil
            }
        }
        let takesEmail = changed.contains(Name.email)
        if takesEmail {
            merge.account.forgetAddressProof()
            merge.account.email = try email(scope, in: transaction)
        }
        if merge.account.email == nil {
            merge.account.emailVerified = nil
            merge.account.hasEmailLinkSignIn = false
        } else {
            if takesEmail || changed.contains(Name.emailVerified) { merge.account.vouch(forAddress: row.emailVerified, at: time) }
            if changed.contains(Name.emailLinkSignIn) { merge.account.hasEmailLinkSignIn = row.hasEmailLinkSignIn }
        }
        if changed.contains(Name.password) {
            merge.account.losePassword()
            if let password = try password.get() {
                merge.account.passwordHash = password.text
                merge.account.passwordUpdatedAt = time
            }
            merge.endsSessions = true
        }
        if changed.contains(Name.secondFactors) {
            // What a file cannot have, and what was enrolled here since, is the user's own.
            let own = old.secondFactors.filter { $0.phoneNumber == nil || $0.enrolledAt > last?.importedAt ?? time }
            let factors = try secondFactors(of: merge.account, at: time).filter { factor in
                !own.contains { $0.phoneNumber == factor.phoneNumber || $0.enrollmentID == factor.enrollmentID }
            }
            merge.account.secondFactors = factors + own
        }
        let new = merge.account
        if new.email != old.email || new.phoneNumber != old.phoneNumber || new.secondFactors != old.secondFactors
            || new.hasEmailLinkSignIn != old.hasEmailLinkSignIn
        {
            merge.endsSessions = true
        }
    }

    private func takeProfile(_ changed: Set<String>, _ account: inout AccountRecord) {
        if changed.contains(Name.displayName) { account.displayName = row.displayName }
        if changed.contains(Name.photoURL) { account.photoURL = row.photoURL }
        if changed.contains(Name.screenName) { account.screenName = row.screenName }
        if changed.contains(Name.language) { account.language = row.language }
        if changed.contains(Name.dateOfBirth) { account.dateOfBirth = row.dateOfBirth }
        if changed.contains(Name.timeZone) { account.timeZone = row.timeZone }
        if changed.contains(Name.initialEmail) {
            account.initialEmail = row.initialEmail.flatMap { EmailAddress.canonical($0, mode: mode) }
        }
        if changed.contains(Name.disabled) { account.isDisabled = row.isDisabled }
        if changed.contains(Name.customAuth) { account.hasCustomAuth = row.hasCustomAuth }
        if changed.contains(Name.createdAt), let time = row.createdAt { account.createdAt = time }
        if changed.contains(Name.lastLoginAt), let time = row.lastLoginAt {
            account.lastLoginAt = max(time, account.lastLoginAt ?? time)
        }
        if changed.contains(Name.validSince), let seconds = row.validSince {
            account.validSince = max(seconds, account.validSince ?? seconds)
        }
    }
}
