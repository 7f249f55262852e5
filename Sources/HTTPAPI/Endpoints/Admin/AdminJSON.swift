import Accounts
import Project

extension AdminEnrollment {
    /// Reads an entry of `mfaInfo` or `mfa.enrollments` (`Docs/Contract/admin-accounts.md` §4 and §6.3).
    init(_ entry: ProtoObject) throws {
        self.init(
            enrollmentID: try entry.text("mfaEnrollmentId"),
            displayName: try entry.text("displayName"),
            phoneInfo: try entry.text("phoneInfo"),
            enrolledAt: try entry.timestamp("enrolledAt")
        )
        _ = try entry.object("totpInfo")
    }
}

extension AdminChanges {
    /// Reads the fields of `accounts:update` for administrators (`Docs/Contract/admin-accounts.md` §6).
    init(_ body: ProtoObject) throws {
        self.init()
        phoneNumber = try body.text("phoneNumber")
        emailVerified = try body.bool("emailVerified")
        createdAt = try body.milliseconds("createdAt")
        lastLoginAt = try body.milliseconds("lastLoginAt")
        link = try body.object("linkProviderUserInfo").map(ImportedAccount.Provider.init(link:))
        if let mfa = try body.object("mfa") {
            // Without the member the list becomes empty; the schema does not allow null.
            if mfa.isNull("enrollments") { throw TransportError.wrongShape("/mfa/enrollments", "must be array") }
            enrollments = try mfa.objects("enrollments").map(AdminEnrollment.init)
        }
    }
}
