extension AdminChanges {
    /// The changes that the emulator also accepts from clients (`Docs/Contract/client-accounts.md` §9.1); `nil` when there are
    /// none.
    package var emulated: AdminChanges? {
        guard link != nil || enrollments != nil else { return nil }
        var changes = AdminChanges()
        changes.link = link
        changes.enrollments = enrollments
        changes.requiresEnrollmentIDs = true
        return changes
    }
}
