import Passwords
package import Project
import Storage

/// A row of an import: an account as sent, not yet checked (`Docs/Contract/admin-accounts.md` §9).
package struct ImportedAccount: Sendable, Hashable {
    /// A linked provider, as sent. Requests that link one send it in the same form.
    package struct Provider: Sendable, Hashable {
        package var providerID: String?
        package var rawID: String?
        package var federatedID: String?
        package var email: String?
        package var displayName: String?
        package var photoURL: String?
        package var screenName: String?

        package init() {}

        /// Whether the entry mirrors a field of the account. The field counts, the entry is ignored.
        var isDerived: Bool { providerID == "password" || providerID == "phone" }
    }

    package var localID = ""
    package var tenantID: String?
    package var email: String?
    package var emailVerified = false
    package var initialEmail: String?
    package var phoneNumber: String?
    package var displayName: String?
    package var photoURL: String?
    package var screenName: String?
    package var language: String?
    package var dateOfBirth: String?
    package var timeZone: String?
    package var isDisabled = false
    package var hasCustomAuth = false
    package var hasEmailLinkSignIn = false
    package var customAttributes: String?
    package var createdAt: Timestamp?
    package var lastLoginAt: Timestamp?
    /// Base64, as sent.
    package var passwordHash: String?
    /// Base64, as sent.
    package var salt: String?
    package var rawPassword: String?
    /// The row's own hash parameters; only an operator's files have them.
    package var passwordParameters: JSONValue?
    /// In seconds; tokens issued before are invalid. `nil` in requests, and then the time of the import applies.
    package var validSince: Int64?
    package var providers: [Provider] = []
    package var enrollments: [AdminEnrollment] = []

    package init() {}

    fileprivate var hasPhoneNumber: Bool {
        phoneNumber != nil || enrollments.contains { $0.phoneInfo != nil } || providers.contains { $0.providerID == "phone" }
    }
}

/// A row that is ready to be stored: its hash is computed and its random values are drawn.
struct PreparedImport: Sendable {
    /// Why a row is left out.
    struct RowError: Error {
        let message: String
    }

    let index: Int
    let row: ImportedAccount
    let password: Swift.Result<StoredPassword?, RowError>
    let factorIDs: [String]
    let eventID: String
    let mode: ModeRules
    /// Whether the request asked for a check of its consistency, which decides a message.
    let isSane: Bool
    /// As in ``AccountImport/Request``.
    let allowsPhoneNumbers: Bool
    /// What the row has, for the comparison with what was imported before.
    let members: ImportedMembers
    /// The keyed digests of ``members``, under the master key first.
    let digests: [ImportedMembers.Digests]

    /// Checks the row against the store, in the contract's order.
    func account(
        _ scope: Scope,
        at time: Timestamp,
        in transaction: Transaction
    ) throws -> (AccountRecord, [IdentityRecord]) {
        try checkRow(scope)
        var account = AccountRecord(localID: row.localID, createdAt: row.createdAt ?? time)
        account.customAttributes = try customAttributes()
        let identities = try identities(of: row.providers, scope, in: transaction)
        account.phoneNumber = try phoneNumber(scope, in: transaction)
        account.email = try email(scope, in: transaction)
        account.vouch(forAddress: row.emailVerified, at: time)
        account.phoneAddedAt = time
        account.initialEmail = row.initialEmail.flatMap { EmailAddress.canonical($0, mode: mode) }
        account.secondFactors = try secondFactors(of: account, at: time)
        if let password = try password.get() {
            account.passwordHash = password.text
            account.passwordUpdatedAt = time
        }
        if let fault = row.fault(mode) { throw RowError(message: fault) }
        account.validSince = row.validSince ?? time.seconds
        // The generation is the import's time, because the row's creation time may lie before that of an account it replaces.
        account.proofGeneration = time.milliseconds
        account.displayName = row.displayName
        account.photoURL = row.photoURL
        account.screenName = row.screenName
        account.language = row.language
        account.dateOfBirth = row.dateOfBirth
        account.timeZone = row.timeZone
        account.isDisabled = row.isDisabled
        account.showsEnabled = mode.showsWhatWasEmptied
        account.hasCustomAuth = row.hasCustomAuth
        account.hasEmailLinkSignIn = row.hasEmailLinkSignIn && account.email != nil
        account.lastLoginAt = row.lastLoginAt
        return (account, identities)
    }

    /// Checks what needs no look into the store.
    func checkRow(_ scope: Scope) throws {
        if row.localID.isEmpty { throw RowError(message: "localId is missing") }
        if !LocalID.fits(row.localID) { throw RowError(message: "localId is too long") }
        if !LocalID.isAcceptable(row.localID) { throw RowError(message: "localId is not in Unicode's Normalization Form C") }
        if let tenantID = row.tenantID, tenantID != scope.tenantID {
            throw RowError(message: "Tenant id in userInfo does not match the tenant id in request.")
        }
        if !allowsPhoneNumbers, row.hasPhoneNumber {
            throw RowError(message: "rows with phone numbers are imported by operators who see whole numbers")
        }
    }

    func customAttributes() throws -> String? {
        guard let text = row.customAttributes, !text.isEmpty else { return nil }
        do {
            return try CustomClaims.validated(text)
        } catch let error as APIError {
            switch error.code {
            case .claimsTooLarge: throw RowError(message: "Custom claims provided are too large.")
            case .forbiddenClaim: throw RowError(message: "Custom claims provided include a reserved claim.")
            default: throw RowError(message: "Invalid custom claims provided.")
            }
        }
    }

    func identities(
        of providers: [ImportedAccount.Provider],
        _ scope: Scope,
        in transaction: Transaction
    ) throws -> [IdentityRecord] {
        var identities: [IdentityRecord] = []
        for provider in providers where !provider.isDerived {
            guard let (providerID, rawID) = provider.identifier(mode: mode) else {
                if !mode.readsFederatedIDs, provider.federatedID != nil {
                    throw RowError(
                        message: """
                            ((Parsing federatedId is not implemented in Auth Emulator; please specify providerId AND rawId \
                            as a workaround.))
                            """
                    )
                }
                throw RowError(message: "federatedId or (providerId & rawId) is required")
            }
            if let tooLong = provider.tooLongKey(providerID, rawID) { throw RowError(message: "\(tooLong) is too long") }
            let owner = try transaction.account(scope, providerID: providerID, rawID: rawID)
            if let owner, owner.localID != row.localID {
                throw RowError(message: "raw id exists in other account in database")
            }
            // An account has one identity of each provider; the last entry counts.
            identities.removeAll { $0.providerID == providerID }
            identities.append(provider.record(providerID, rawID))
        }
        return identities
    }

    func phoneNumber(_ scope: Scope, in transaction: Transaction) throws -> String? {
        guard let text = row.phoneNumber, !text.isEmpty else { return nil }
        guard let number = PhoneNumber.kept(text, mode: mode) else {
            throw RowError(message: "phone number format is invalid")
        }
        if let owner = try transaction.account(scope, phoneNumber: number), owner.localID != row.localID {
            throw RowError(message: "phone number exists in other account in database")
        }
        return number
    }

    func email(_ scope: Scope, in transaction: Transaction) throws -> String? {
        guard let text = row.email, !text.isEmpty else { return nil }
        guard let email = EmailAddress.canonical(text, mode: mode) else { throw RowError(message: "email is invalid") }
        if let owner = try transaction.account(scope, email: email), owner.localID != row.localID {
            throw RowError(
                message: isSane || !mode.refusesInEmulatorWords
                    ? "email exists in other account in database"
                    : "((Auth Emulator does not support importing duplicate email: \(text)))"
            )
        }
        return email
    }

    func secondFactors(of account: AccountRecord, at time: Timestamp) throws -> [SecondFactor] {
        guard !row.enrollments.isEmpty else { return [] }
        if account.email == nil { throw RowError(message: "Second factor account requires email to be presented.") }
        if account.emailVerified != true {
            throw RowError(message: "Second factor account requires email to be verified.")
        }
        if mode.checksGivenSecondFactors, row.enrollments.count > SecondFactorRules.mostFactors {
            throw RowError(message: "An account has at most \(SecondFactorRules.mostFactors) second factors.")
        }
        let ids = row.enrollments.compactMap(\.enrollmentID)
        if Set(ids).count < ids.count { throw RowError(message: "Enrollment id already exists.") }
        return try zip(row.enrollments, factorIDs).map { enrollment, freshID in
            guard let phoneInfo = enrollment.phoneInfo else { throw RowError(message: "Second factor not supported.") }
            guard let number = PhoneNumber.kept(phoneInfo, mode: mode) else {
                throw RowError(message: "Phone number format is invalid")
            }
            return SecondFactor(
                enrollmentID: enrollment.enrollmentID ?? freshID,
                displayName: enrollment.displayName,
                enrolledAt: enrollment.enrolledAt ?? time,
                kind: .phone(number: number)
            )
        }
    }

    /// Whether the stored account equals what this row makes. Values that the import itself draws or dates do not count.
    func isImported(
        as old: AccountRecord,
        _ kept: [IdentityRecord],
        _ new: AccountRecord,
        _ identities: [IdentityRecord]
    ) -> Bool {
        var new = new
        if row.validSince == nil { new.validSince = old.validSince }
        new.proofGeneration = old.proofGeneration
        new.emailProvenAt = old.emailProvenAt
        new.phoneAddedAt = old.phoneAddedAt
        new.passwordUpdatedAt = old.passwordUpdatedAt
        new.passwordGeneration = old.passwordGeneration
        // Hashing a plain password draws a new salt each time.
        if row.rawPassword != nil, row.passwordHash == nil, old.passwordHash != nil { new.passwordHash = old.passwordHash }
        new.lastRefreshAt = old.lastRefreshAt
        if row.lastLoginAt == nil { new.lastLoginAt = old.lastLoginAt }
        if row.createdAt == nil { new.createdAt = old.createdAt }
        let factors = zip(new.secondFactors, zip(old.secondFactors, row.enrollments)).map { factor, known in
            SecondFactor(
                enrollmentID: known.1.enrollmentID ?? known.0.enrollmentID,
                displayName: factor.displayName,
                enrolledAt: known.1.enrolledAt ?? known.0.enrolledAt,
                kind: factor.kind
            )
        }
        guard new.secondFactors.count == old.secondFactors.count else { return false }
        new.secondFactors = factors
        // The store sets the time of a link; rows do not have it.
        let linked = kept.map { identity in
            var identity = identity
            identity.linkedAt = nil
            return identity
        }
        guard Set(linked) == Set(identities) else { return false }
        return new == old
    }
}
