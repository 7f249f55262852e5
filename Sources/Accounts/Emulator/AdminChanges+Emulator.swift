extension AdminChanges {
    /// What the emulator lets clients change, too (`contract/client-accounts.md` §9.1); `nil` when it is nothing.
    package var emulated: AdminChanges? {
        guard link != nil || enrollments != nil else { return nil }
        var changes = AdminChanges()
        changes.link = link
        changes.enrollments = enrollments
        changes.requiresEnrollmentIDs = true
        return changes
    }
}
