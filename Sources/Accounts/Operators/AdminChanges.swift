package import Project
import Storage

/// The changes to an account that only administrators may make (`Docs/Contract/admin-accounts.md` §6); `nil` leaves a field
/// unchanged.
package struct AdminChanges: Sendable {
    package var phoneNumber: String?
    package var emailVerified: Bool?
    package var createdAt: Timestamp?
    package var lastLoginAt: Timestamp?
    /// The identity to link.
    package var link: ImportedAccount.Provider?
    /// The new second factors; an empty list removes all.
    package var enrollments: [AdminEnrollment]?
    /// Whether each of ``enrollments`` must have an id, as the emulator requires from clients; otherwise new factors get one.
    package var requiresEnrollmentIDs = false

    package init() {}

    /// The link alone; `nil` for changes without a link.
    var linkOnly: AdminChanges? {
        guard let link else { return nil }
        var changes = AdminChanges()
        changes.link = link
        return changes
    }

    /// The changes with all random values drawn.
    struct Prepared: Sendable {
        let changes: AdminChanges
        let enrollments: AdminEnrollments
        let mode: ModeRules

        init(_ changes: AdminChanges, environment: ServerEnvironment, mode: ModeRules) {
            self.changes = changes
            self.mode = mode
            enrollments = AdminEnrollments(
                changes.enrollments ?? [],
                ids: changes.requiresEnrollmentIDs ? .required : .kept,
                environment: environment,
                mode: mode
            )
        }

        /// Changes the account's fields, in the contract's order of checks. Nothing is written before the last check.
        func apply(to edit: inout AccountEdit) throws {
            if let emailVerified = changes.emailVerified { edit.account.vouch(forAddress: emailVerified, at: edit.time) }
            if let createdAt = changes.createdAt { edit.account.createdAt = createdAt }
            if let lastLoginAt = changes.lastLoginAt { edit.account.lastLoginAt = lastLoginAt }
            if changes.enrollments != nil {
                edit.account.secondFactors = try enrollments.factors(replacing: edit.account.secondFactors, at: edit.time)
                edit.account.showsNoSecondFactors = false
                try enrollments.check(edit.account)
            }
            if let text = changes.phoneNumber, PhoneNumber.kept(text, mode: mode) ?? text != edit.account.phoneNumber {
                let number = try PhoneNumber.required(text, mode: mode)
                if let owner = try edit.transaction.account(edit.scope, phoneNumber: number),
                    owner.localID != edit.account.localID
                {
                    throw APIError(.phoneNumberExists)
                }
                edit.account.take(phoneNumber: number, at: edit.time)
                // A number that comes with the proof of the address is as old as the proof.
                if changes.emailVerified == true, let provenAt = edit.account.emailProvenAt {
                    edit.account.phoneAddedAt = provenAt
                }
            }
            try checkLink(edit)
        }

        /// Links the identity, if there is one.
        func link(_ edit: AccountEdit) throws {
            guard let identity = try identity() else { return }
            try edit.transaction.upsertIdentity(edit.scope, localID: edit.account.localID, identity, at: edit.time)
        }

        private func checkLink(_ edit: AccountEdit) throws {
            guard let identity = try identity() else { return }
            let owner = try edit.transaction.account(edit.scope, providerID: identity.providerID, rawID: identity.rawID)
            if let owner, owner.localID != edit.account.localID { throw APIError(.federatedUserIDAlreadyLinked) }
            let others = try edit.transaction.identities(edit.scope, localID: edit.account.localID)
                .filter { $0.providerID != identity.providerID }
            guard others.count < ProfileLimits.identities,
                (others + [identity]).reduce(0, { $0 + $1.textBytes }) <= ProfileLimits.identityBytes
            else {
                throw InvalidArgument(
                    "An account has at most \(ProfileLimits.identities) linked providers, "
                        + "with \(ProfileLimits.identityBytes) bytes of profiles in all."
                )
            }
        }

        private func identity() throws -> IdentityRecord? {
            guard let link = changes.link else { return nil }
            let providerID = try require(link.providerID, .missingProviderID)
            let rawID = try require(link.rawID, .missingRawID)
            // `password` and `phone` mirror fields of the account and cannot be linked.
            if link.isDerived || !KeyLength.fits(providerID, KeyLength.providerID) {
                throw APIError(.invalidProviderID)
            }
            guard KeyLength.fits(rawID, KeyLength.rawID) else {
                throw InvalidArgument("linkProviderUserInfo.rawId must have at most \(KeyLength.rawID) bytes.")
            }
            if let email = link.email, !KeyLength.fits(email, KeyLength.email) { throw APIError(.invalidEmail) }
            return link.record(providerID, rawID)
        }
    }
}

extension AccountUpdate.Changes {
    /// The names of the fields that change, for the audit trail, without their values.
    var fieldNames: [String] {
        let fields: [(name: String, isThere: Bool)] = [
            ("displayName", displayName != nil), ("photoUrl", photoURL != nil), ("email", email != nil),
            ("password", password != nil), ("validSince", validSince != nil), ("disableUser", isDisabled != nil),
            ("customAttributes", customAttributes != nil), ("phoneNumber", admin?.phoneNumber != nil),
            ("emailVerified", admin?.emailVerified != nil), ("createdAt", admin?.createdAt != nil),
            ("lastLoginAt", admin?.lastLoginAt != nil), ("linkProviderUserInfo", admin?.link != nil),
            ("mfa", admin?.enrollments != nil), ("deleteAttribute", !deletedAttributes.isEmpty),
            ("deleteProvider", !deletedProviders.isEmpty),
        ]
        return fields.filter(\.isThere).map(\.name)
    }
}
