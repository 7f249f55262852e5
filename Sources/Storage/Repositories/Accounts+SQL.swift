package import Project

/// A user account as stored (`Docs/Contract/client-accounts.md` §0.2). `nil` means never set.
package struct AccountRecord: Sendable, Hashable {
    package let localID: String
    /// Lower-cased address; unique in its scope.
    package var email: String?
    package var emailVerified: Bool?
    /// When the address was last proven. It stays when the user removes the address. `nil` when it is unknown or never happened.
    package var emailProvenAt: Timestamp?
    package var initialEmail: String?
    /// E.164; unique in its scope.
    package var phoneNumber: String? {
        // The time of one number must not vouch for another.
        didSet { if phoneNumber != oldValue { phoneAddedAt = nil } }
    }
    /// When the phone number was added; `nil` when that is unknown.
    package var phoneAddedAt: Timestamp?
    package var passwordHash: String?
    package var passwordUpdatedAt: Timestamp?
    /// The account's generation when its password was set; `nil` when it is unknown. It puts passwords and proofs in order, whatever clocks say.
    package var passwordGeneration: Int64?
    package var displayName: String?
    package var photoURL: String?
    package var screenName: String?
    package var language: String?
    package var dateOfBirth: String?
    package var timeZone: String?
    package var isDisabled = false {
        didSet { if isDisabled { endProofs() } }
    }
    /// Tokens issued before this second are invalid (`Docs/Contract/tokens.md` §3).
    package var validSince: Int64? {
        // A change that ends tokens ends all sealed values too, and exactly so: seconds can tie, generations cannot.
        didSet { endProofs() }
    }
    /// The valid generation of sealed tokens, challenges and enrolments. Those of an earlier one are refused.
    package var proofGeneration: Int64
    /// Custom claims: a JSON object's text.
    package var customAttributes: String?
    package var hasCustomAuth = false
    package var hasEmailLinkSignIn = false
    package var createdAt: Timestamp
    package var lastLoginAt: Timestamp?
    package var lastRefreshAt: Timestamp?
    package var secondFactors: [SecondFactor] = []
    /// Whether an empty list of factors is shown. The emulator leaves an empty list after the last factor was withdrawn.
    package var showsNoSecondFactors = false
    /// Whether answers show `disabled: false`. The emulator does so once an administrator has set it.
    package var showsEnabled = false
    /// Whether an empty list of providers is shown. The emulator leaves an empty list after the last one was removed.
    package var showsNoProviders = false

    package init(localID: String, createdAt: Timestamp) {
        self.localID = localID
        self.createdAt = createdAt
        // Two accounts that have one id, one after the other, never share a generation.
        proofGeneration = createdAt.milliseconds
    }

    /// Ends all sealed tokens, challenges and enrolments.
    ///
    /// A generation is only compared with another. It begins again below zero where the stored one is the last, because the creation
    /// time that it began with came from outside.
    package mutating func endProofs() { proofGeneration &+= 1 }
}

extension AccountRecord {
    static let columns = """
        local_id, email, email_verified, initial_email, phone_number, password_hash, password_updated_at, display_name, \
        photo_url, screen_name, language, date_of_birth, time_zone, disabled, valid_since, custom_attributes, custom_auth, \
        email_link_sign_in, created_at, last_login_at, last_refresh_at, second_factors, proof_generation, email_proven_at, \
        phone_added_at, shown_empty, password_generation
        """

    init(row: Row) throws {
        localID = try row.text("local_id")
        email = try row.textIfPresent("email")
        emailVerified = try row.boolIfPresent("email_verified")
        initialEmail = try row.textIfPresent("initial_email")
        phoneNumber = try row.textIfPresent("phone_number")
        passwordHash = try row.textIfPresent("password_hash")
        passwordUpdatedAt = try row.timestampIfPresent("password_updated_at")
        displayName = try row.textIfPresent("display_name")
        photoURL = try row.textIfPresent("photo_url")
        screenName = try row.textIfPresent("screen_name")
        language = try row.textIfPresent("language")
        dateOfBirth = try row.textIfPresent("date_of_birth")
        timeZone = try row.textIfPresent("time_zone")
        isDisabled = try row.bool("disabled")
        validSince = try row.integerIfPresent("valid_since")
        customAttributes = try row.textIfPresent("custom_attributes")
        hasCustomAuth = try row.bool("custom_auth")
        hasEmailLinkSignIn = try row.bool("email_link_sign_in")
        createdAt = try row.timestamp("created_at")
        lastLoginAt = try row.timestampIfPresent("last_login_at")
        lastRefreshAt = try row.timestampIfPresent("last_refresh_at")
        let factors = try row.textIfPresent("second_factors")
        secondFactors = try SecondFactor.factors(factors)
        showsNoSecondFactors = factors != nil && secondFactors.isEmpty
        proofGeneration = try row.integer("proof_generation")
        emailProvenAt = try row.timestampIfPresent("email_proven_at")
        phoneAddedAt = try row.timestampIfPresent("phone_added_at")
        passwordGeneration = try row.integerIfPresent("password_generation")
        let shown = try row.integer("shown_empty")
        showsEnabled = shown & 1 != 0
        showsNoProviders = shown & 2 != 0
    }

    // The bits of the column.
    fileprivate var shownEmpty: Int64 { (showsEnabled ? 1 : 0) | (showsNoProviders ? 2 : 0) }
}

extension Transaction {
    /// The account with an id; `nil` when there is none.
    package func account(_ scope: Scope, localID: String) throws -> AccountRecord? {
        try queryOne(
            """
            SELECT \(raw: AccountRecord.columns) FROM accounts
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
            """
        ).map(AccountRecord.init(row:))
    }

    /// The account with a (lower-cased) e-mail address; `nil` when there is none.
    package func account(_ scope: Scope, email: String) throws -> AccountRecord? {
        try queryOne(
            """
            SELECT \(raw: AccountRecord.columns) FROM accounts
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND email = \(email)
            """
        ).map(AccountRecord.init(row:))
    }

    /// The account with a phone number in E.164; `nil` when there is none.
    package func account(_ scope: Scope, phoneNumber: String) throws -> AccountRecord? {
        try queryOne(
            """
            SELECT \(raw: AccountRecord.columns) FROM accounts
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND phone_number = \(phoneNumber)
            """
        ).map(AccountRecord.init(row:))
    }

    /// The account that a provider's user is linked to; `nil` when there is none.
    package func account(_ scope: Scope, providerID: String, rawID: String) throws -> AccountRecord? {
        try queryOne(
            """
            SELECT \(raw: AccountRecord.columns) FROM accounts
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = (
                SELECT local_id FROM identities WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                    AND provider_id = \(providerID) AND raw_id = \(rawID))
            """
        ).map(AccountRecord.init(row:))
    }

    /// The account whose provider first gave it a (lower-cased) e-mail address; `nil` when there is none.
    ///
    /// - Parameter ownsAddress: Whether only accounts with an address of their own count.
    package func account(_ scope: Scope, providerEmail email: String, ownsAddress: Bool) throws -> AccountRecord? {
        // As a value, and not as `EXISTS`, which PostgreSQL may join to all accounts of the scope.
        let condition = """
            AND (SELECT owners.email FROM accounts owners WHERE owners.project_id = identities.project_id
                AND owners.tenant_id = identities.tenant_id AND owners.local_id = identities.local_id) IS NOT NULL
            """
        return try queryOne(
            """
            SELECT \(raw: AccountRecord.columns) FROM accounts
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = (
                SELECT local_id FROM identities WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
                    AND email = \(email) \(raw: ownsAddress ? condition : "") ORDER BY linked_at, local_id LIMIT 1)
            """
        ).map(AccountRecord.init(row:))
    }

    /// Stores a new account.
    ///
    /// - Throws: `StorageError.uniqueViolation` when its id, e-mail or phone number is taken.
    package func insertAccount(_ scope: Scope, _ account: AccountRecord) throws {
        try execute(
            """
            INSERT INTO accounts (project_id, tenant_id, \(raw: AccountRecord.columns)) VALUES (
                \(scope.projectID), \(scope.tenantKey), \(account.localID), \(account.email), \(account.emailVerified),
                \(account.initialEmail), \(account.phoneNumber), \(account.passwordHash),
                \(account.passwordUpdatedAt?.milliseconds), \(account.displayName), \(account.photoURL), \(account.screenName),
                \(account.language), \(account.dateOfBirth), \(account.timeZone), \(account.isDisabled),
                \(account.validSince), \(account.customAttributes), \(account.hasCustomAuth), \(account.hasEmailLinkSignIn),
                \(account.createdAt.milliseconds), \(account.lastLoginAt?.milliseconds), \(account.lastRefreshAt?.milliseconds),
                \(SecondFactor.text(of: account)), \(account.proofGeneration), \(account.emailProvenAt?.milliseconds),
                \(account.phoneAddedAt?.milliseconds), \(account.shownEmpty), \(account.passwordGeneration))
            """
        )
    }

    /// Stores every field of an existing account.
    ///
    /// - Throws: `StorageError.uniqueViolation` when its e-mail or phone number is taken.
    package func updateAccount(_ scope: Scope, _ account: AccountRecord) throws {
        try execute(
            """
            UPDATE accounts SET email = \(account.email), email_verified = \(account.emailVerified),
                initial_email = \(account.initialEmail), phone_number = \(account.phoneNumber),
                password_hash = \(account.passwordHash), password_updated_at = \(account.passwordUpdatedAt?.milliseconds),
                display_name = \(account.displayName), photo_url = \(account.photoURL), screen_name = \(account.screenName),
                language = \(account.language), date_of_birth = \(account.dateOfBirth), time_zone = \(account.timeZone),
                disabled = \(account.isDisabled), valid_since = \(account.validSince),
                custom_attributes = \(account.customAttributes), custom_auth = \(account.hasCustomAuth),
                email_link_sign_in = \(account.hasEmailLinkSignIn), created_at = \(account.createdAt.milliseconds), last_login_at = \(account.lastLoginAt?.milliseconds),
                last_refresh_at = \(account.lastRefreshAt?.milliseconds),
                second_factors = \(SecondFactor.text(of: account)), proof_generation = \(account.proofGeneration),
                email_proven_at = \(account.emailProvenAt?.milliseconds), phone_added_at = \(account.phoneAddedAt?.milliseconds),
                shown_empty = \(account.shownEmpty), password_generation = \(account.passwordGeneration)
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(account.localID)
            """
        )
    }

    /// Records a sign-in. A sign-in of an unchanged account needs no other write.
    package func touchLogin(_ scope: Scope, localID: String, at time: Timestamp) throws {
        try execute(
            """
            UPDATE accounts SET last_login_at = \(time.milliseconds), last_refresh_at = \(time.milliseconds)
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
            """
        )
    }

    /// Records a token refresh.
    package func touchRefresh(_ scope: Scope, localID: String, at time: Timestamp) throws -> AccountRecord? {
        try queryOne(
            """
            UPDATE accounts SET last_refresh_at = \(time.milliseconds)
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
            RETURNING \(raw: AccountRecord.columns)
            """
        ).map(AccountRecord.init(row:))
    }

    /// Deletes an account and its linked identities.
    package func deleteAccount(_ scope: Scope, localID: String) throws -> Bool {
        try execute(
            """
            DELETE FROM accounts
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND local_id = \(localID)
            """
        ) > 0
    }
}
