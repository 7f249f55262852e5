package import Project

/// A user account as stored (`Docs/Contract/client-accounts.md` §0.2). `nil` means never set.
package struct AccountRecord: Sendable, Hashable {
    package internal(set) var localID: String
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

extension AccountRecord: StoredRecord {
    static let table = TableDescriptor<Self>("accounts", of: .scope, key: ["project_id", "tenant_id", "local_id"])
    static var blank: Self { Self(localID: "", createdAt: .blank) }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("local_id", \.localID)
        column("email", \.email)
        column("email_verified", \.emailVerified)
        column("initial_email", \.initialEmail)
        column("phone_number", \.phoneNumber)
        column("password_hash", \.passwordHash)
        column("password_updated_at", \.passwordUpdatedAt)
        column("display_name", \.displayName)
        column("photo_url", \.photoURL)
        column("screen_name", \.screenName)
        column("language", \.language)
        column("date_of_birth", \.dateOfBirth)
        column("time_zone", \.timeZone)
        column("disabled", \.isDisabled)
        column("valid_since", \.validSince)
        column("custom_attributes", \.customAttributes)
        column("custom_auth", \.hasCustomAuth)
        column("email_link_sign_in", \.hasEmailLinkSignIn)
        column("created_at", \.createdAt)
        column("last_login_at", \.lastLoginAt)
        column("last_refresh_at", \.lastRefreshAt)
        column("second_factors", \.storedSecondFactors)
        column("proof_generation", \.proofGeneration)
        column("email_proven_at", \.emailProvenAt)
        column("phone_added_at", \.phoneAddedAt)
        column("shown_empty", \.shownEmpty)
        column("password_generation", \.passwordGeneration)
    }

    // The bits of the column.
    private var shownEmpty: Int64 {
        get { (showsEnabled ? 1 : 0) | (showsNoProviders ? 2 : 0) }
        set { (showsEnabled, showsNoProviders) = (newValue & 1 != 0, newValue & 2 != 0) }
    }
}

extension Transaction {
    /// The account with an id; `nil` when there is none.
    package func account(_ scope: Scope, localID: String) throws -> AccountRecord? {
        try first("WHERE \(scope) AND local_id = \(localID)")
    }

    /// The account with a (lower-cased) e-mail address; `nil` when there is none.
    package func account(_ scope: Scope, email: String) throws -> AccountRecord? {
        try first("WHERE \(scope) AND email = \(email)")
    }

    /// The account with a phone number in E.164; `nil` when there is none.
    package func account(_ scope: Scope, phoneNumber: String) throws -> AccountRecord? {
        try first("WHERE \(scope) AND phone_number = \(phoneNumber)")
    }

    /// The account that a provider's user is linked to; `nil` when there is none.
    package func account(_ scope: Scope, providerID: String, rawID: String) throws -> AccountRecord? {
        try first(
            """
            WHERE \(scope) AND local_id = (
                SELECT local_id FROM identities WHERE \(scope) AND provider_id = \(providerID) AND raw_id = \(rawID))
            """
        )
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
        return try first(
            """
            WHERE \(scope) AND local_id = (
                SELECT local_id FROM identities WHERE \(scope)
                    AND email = \(email) \(raw: ownsAddress ? condition : "") ORDER BY linked_at, local_id LIMIT 1)
            """
        )
    }

    /// Stores a new account.
    ///
    /// - Throws: `StorageError.uniqueViolation` when its id, e-mail or phone number is taken.
    package func insertAccount(_ scope: Scope, _ account: AccountRecord) throws {
        try execute(account.insertion(of: scope.values))
    }

    /// Stores every field of an existing account.
    ///
    /// - Throws: `StorageError.uniqueViolation` when its e-mail or phone number is taken.
    package func updateAccount(_ scope: Scope, _ account: AccountRecord) throws {
        try execute(account.update(of: scope.values))
    }

    /// Records a sign-in. A sign-in of an unchanged account needs no other write.
    package func touchLogin(_ scope: Scope, localID: String, at time: Timestamp) throws {
        try execute(
            """
            UPDATE accounts SET last_login_at = \(time), last_refresh_at = \(time)
            WHERE \(scope) AND local_id = \(localID)
            """
        )
    }

    package func touchRefresh(_ scope: Scope, localID: String, at time: Timestamp) throws -> AccountRecord? {
        try queryOne(
            """
            UPDATE accounts SET last_refresh_at = \(time)
            WHERE \(scope) AND local_id = \(localID)
            RETURNING \(raw: AccountRecord.table.names)
            """
        ).map(AccountRecord.init(row:))
    }

    /// Deletes an account and its linked identities.
    package func deleteAccount(_ scope: Scope, localID: String) throws -> Bool {
        try execute("DELETE FROM accounts WHERE \(scope) AND local_id = \(localID)") > 0
    }
}
