package import Project

/// The purpose of a one-time code sent by e-mail (`Docs/Contract/client-accounts.md` §12).
package enum OOBRequestType: String, Sendable, Hashable, CaseIterable {
    case passwordReset = "PASSWORD_RESET"
    case verifyEmail = "VERIFY_EMAIL"
    case emailSignIn = "EMAIL_SIGNIN"
    case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
    case recoverEmail = "RECOVER_EMAIL"
    case revertSecondFactorAddition = "REVERT_SECOND_FACTOR_ADDITION"
}

/// A one-time code as stored, without the code itself.
package struct OOBCodeRecord: Sendable, Hashable {
    /// SHA-256 of the code.
    package internal(set) var hash: [UInt8]
    package internal(set) var type: OOBRequestType
    /// The address that the code was sent to.
    package internal(set) var email: String
    /// The address that `VERIFY_AND_CHANGE_EMAIL` changes to.
    package var newEmail: String?
    /// The account that the code was made for; `nil` when any owner of the address may use it.
    package var localID: String?
    /// The second factor that `REVERT_SECOND_FACTOR_ADDITION` removes.
    package var enrollmentID: String?
    package internal(set) var createdAt: Timestamp
    package internal(set) var expiresAt: Timestamp
    /// The account's generation before the change that the code takes back; `nil` when it is unknown.
    package var generation: Int64?
    /// When the address was proven that the code restores; `nil` when it is unknown.
    package var provenAt: Timestamp?
    /// When the code was last used without being used up, see ``Transaction/keepOOBCode(_:hash:usedAt:generation:)``.
    package var usedAt: Timestamp?
    /// The code and its link, sealed. Only in development.
    package var sealedCode: String?

    package init(hash: [UInt8], type: OOBRequestType, email: String, createdAt: Timestamp, expiresAt: Timestamp) {
        self.hash = hash
        self.type = type
        self.email = email
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// The state of an account before the first of the changes that its `RECOVER_EMAIL` codes of one address take back.
package struct FirstRecovery: Sendable, Hashable {
    /// The time of the change.
    package let createdAt: Timestamp
    /// The account's generation; `nil` when that of any code is unknown.
    package let generation: Int64?
    /// When the address was proven; `nil` when any code does not know it.
    package let provenAt: Timestamp?

    fileprivate init?(row: Row) throws {
        guard let first = try row.timestampIfPresent("first") else { return nil }
        let codes = try row.integer("codes")
        createdAt = first
        generation = try row.integer("generations") == codes ? row.integerIfPresent("generation") : nil
        provenAt = try row.integer("proofs") == codes ? row.timestampIfPresent("proven_at") : nil
    }
}

extension OOBRequestType: ColumnValue {}

extension OOBCodeRecord: StoredRecord {
    static let table = TableDescriptor<Self>("oob_codes", of: .scope, key: ["code_hash"])
    static var blank: Self { Self(hash: [], type: .passwordReset, email: "", createdAt: .blank, expiresAt: .blank) }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("code_hash", \.hash)
        column("request_type", \.type)
        column("email", \.email)
        column("new_email", \.newEmail)
        column("local_id", \.localID)
        column("created_at", \.createdAt)
        column("expires_at", \.expiresAt)
        column("sealed_code", \.sealedCode)
        column("enrollment_id", \.enrollmentID)
        column("generation", \.generation)
        column("proven_at", \.provenAt)
        column("used_at", \.usedAt)
    }
}

extension Transaction {
    /// Stores a code. Its time is never before its account's `valid_since`, which a node with a faster clock may have set.
    package func insertOOBCode(_ scope: Scope, _ code: OOBCodeRecord) throws {
        let earliest = code.createdAt.seconds + 1
        let latest = code.createdAt.advanced(by: ClockSkew.limit).seconds
        let creation: SQL = """
            COALESCE((SELECT valid_since * 1000 FROM accounts WHERE \(scope) AND local_id = \(code.localID)
                AND valid_since >= \(earliest) AND valid_since <= \(latest)), \(code.createdAt))
            """
        try execute(code.insertion(of: scope.values, computing: "created_at", as: creation))
    }

    /// An unused code, also when it has expired.
    package func oobCode(_ scope: Scope, hash: [UInt8]) throws -> OOBCodeRecord? {
        try first("WHERE code_hash = \(hash) AND \(unindexed: scope)")
    }

    /// Every unused code of a scope, oldest first, for development's endpoint.
    package func oobCodes(_ scope: Scope) throws -> [OOBCodeRecord] {
        try all("WHERE \(scope) ORDER BY created_at, code_hash")
    }

    /// Uses up a code.
    package func deleteOOBCode(_ scope: Scope, hash: [UInt8]) throws -> Bool {
        try execute("DELETE FROM oob_codes WHERE code_hash = \(hash) AND \(unindexed: scope)") > 0
    }

    /// Notes the use of a code that stays good, because its account cannot have the address yet. The next use takes back what came after.
    ///
    /// - Parameters:
    ///   - time: The first moment that is after the use.
    ///   - generation: The generation of the account by which every password was set that the use leaves.
    package func keepOOBCode(_ scope: Scope, hash: [UInt8], usedAt time: Timestamp, generation: Int64) throws {
        try execute(
            """
            UPDATE oob_codes SET used_at = \(time), generation = \(generation)
            WHERE code_hash = \(hash) AND \(unindexed: scope)
            """
        )
    }

    /// Deletes the codes of one kind for an address, because a newer one was sent or their purpose was fulfilled.
    package func deleteOOBCodes(_ scope: Scope, email: String, type: OOBRequestType) throws {
        try execute("DELETE FROM oob_codes WHERE \(scope) AND email = \(email) AND request_type = \(type.rawValue)")
    }

    /// Deletes the codes that are bound to an account: those that name it, and those for its address that name no account.
    package func deleteOOBCodes(_ scope: Scope, boundTo account: AccountRecord, keeping kept: [OOBRequestType] = []) throws {
        let gone = OOBRequestType.allCases.filter { !kept.contains($0) }.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        try execute("DELETE FROM oob_codes WHERE local_id = \(account.localID) AND \(scope) AND request_type IN (\(raw: gone))")
        guard let email = account.email else { return }
        try execute(
            """
            DELETE FROM oob_codes WHERE \(scope)
                AND email = \(email) AND request_type IN (\(raw: gone)) AND local_id IS NULL
            """
        )
    }

    /// Deletes the recovery codes of an account that became obsolete when a recovery code was used, but for that code itself.
    ///
    /// Older codes that lead to another address stay. `REVERT_SECOND_FACTOR_ADDITION` codes of the same address stay too, because
    /// its owner needs them against factors that the recovery keeps.
    ///
    /// - Parameter sparesNewer: Whether codes of other addresses stay that are as new as the used code, or newer.
    package func deleteWaysBack(
        _ scope: Scope,
        localID: String,
        overtakenBy code: OOBCodeRecord,
        sparesNewer: Bool
    ) throws {
        // No margin for clocks: a thief who moves the address twice within seconds would end the owner's older code with it.
        let limit = sparesNewer ? Int64.max : code.createdAt.milliseconds
        try execute(
            """
            DELETE FROM oob_codes WHERE local_id = \(localID) AND \(scope) AND code_hash <> \(code.hash)
                AND ((request_type = \(OOBRequestType.recoverEmail.rawValue) AND email = \(code.email))
                    OR (request_type IN (\(OOBRequestType.recoverEmail.rawValue),
                            \(OOBRequestType.revertSecondFactorAddition.rawValue))
                        AND email <> \(code.email) AND created_at >= \(limit)))
            """
        )
    }

    /// What the `RECOVER_EMAIL` codes say that return an account to an address; `nil` when there is none.
    ///
    /// - Parameter leavesOnly: Whether to count only codes of changes to another address.
    package func firstRecovery(
        _ scope: Scope,
        email: String,
        localID: String,
        leavesOnly: Bool = false,
        after time: Timestamp? = nil
    ) throws -> FirstRecovery? {
        try queryOne(
            """
            SELECT min(created_at) AS first, count(*) AS codes, count(generation) AS generations, min(generation) AS generation,
                count(proven_at) AS proofs, min(proven_at) AS proven_at
            FROM oob_codes
            WHERE \(scope)
                AND email = \(email) AND request_type = \(OOBRequestType.recoverEmail.rawValue) AND local_id = \(localID)
                AND created_at > \(time?.milliseconds ?? .min) \(raw: leavesOnly ? "AND new_email IS NOT NULL" : "")
            """
        ).flatMap(FirstRecovery.init(row:))
    }
}
