package import Project

/// A code sent by SMS as stored, without the code itself.
package struct SMSCodeRecord: Sendable, Hashable {
    package let codeID: String
    /// The purpose of the code, in a form that only its writer reads.
    package let purpose: String
    /// The app that requested the code.
    package let app: String
    /// In E.164.
    package let phoneNumber: String
    /// HMAC of the code under the master key.
    package let codeMAC: [UInt8]
    /// How many wrong codes were tried.
    package var tries: Int
    package var createdAt: Timestamp
    package let expiresAt: Timestamp
    /// The code and its `sessionInfo`, sealed. Only in development.
    package var sealedCode: String?
    /// SHA-256 of the proof that an app made the request; `nil` when no proof was required.
    package let proofHash: [UInt8]?

    package init(
        codeID: String,
        purpose: String,
        app: String,
        phoneNumber: String,
        codeMAC: [UInt8],
        createdAt: Timestamp,
        expiresAt: Timestamp,
        sealedCode: String? = nil,
        proofHash: [UInt8]? = nil
    ) {
        self.codeID = codeID
        self.purpose = purpose
        self.app = app
        self.phoneNumber = phoneNumber
        self.codeMAC = codeMAC
        tries = 0
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.sealedCode = sealedCode
        self.proofHash = proofHash
    }

    fileprivate init(row: Row) throws {
        codeID = try row.text("code_id")
        purpose = try row.text("purpose")
        app = try row.text("app")
        phoneNumber = try row.text("phone_number")
        codeMAC = try row.bytes("code_mac")
        tries = Int(try row.integer("tries"))
        createdAt = try row.timestamp("created_at")
        expiresAt = try row.timestamp("expires_at")
        sealedCode = try row.textIfPresent("sealed_code")
        proofHash = try row.bytesIfPresent("proof_hash")
    }
}

extension Transaction {
    /// Stores a code.
    package func insertSMSCode(_ scope: Scope, _ code: SMSCodeRecord) throws {
        try execute(
            """
            INSERT INTO sms_codes (code_id, project_id, tenant_id, purpose, app, phone_number, code_mac, tries, created_at,
                expires_at, sealed_code, proof_hash)
            VALUES (\(code.codeID), \(scope.projectID), \(scope.tenantKey), \(code.purpose), \(code.app), \(code.phoneNumber),
                \(code.codeMAC), \(code.tries), \(code.createdAt.milliseconds), \(code.expiresAt.milliseconds),
                \(code.sealedCode), \(code.proofHash))
            """
        )
    }

    /// An unused code, also when it has expired.
    package func smsCode(_ scope: Scope, codeID: String) throws -> SMSCodeRecord? {
        try queryOne(
            """
            SELECT * FROM sms_codes WHERE code_id = \(codeID) AND \(unindexed: "project_id") = \(scope.projectID)
                AND \(unindexed: "tenant_id") = \(scope.tenantKey)
            """
        ).map(SMSCodeRecord.init(row:))
    }

    /// The newest code that was sent to a number for one purpose and app.
    ///
    /// - Parameter phoneNumber: In E.164.
    /// - Returns: Used codes do not count.
    package func latestSMSCode(
        _ scope: Scope,
        phoneNumber: String,
        purpose: String,
        app: String,
        after time: Timestamp
    ) throws -> SMSCodeRecord? {
        try queryOne(
            """
            SELECT * FROM sms_codes
            WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey) AND phone_number = \(phoneNumber)
                AND created_at > \(time.milliseconds) AND purpose = \(purpose) AND app = \(app)
            ORDER BY created_at DESC LIMIT 1
            """
        ).map(SMSCodeRecord.init(row:))
    }

    /// Every unused code of a scope, oldest first, for development's endpoint.
    package func smsCodes(_ scope: Scope) throws -> [SMSCodeRecord] {
        try query(
            """
            SELECT * FROM sms_codes WHERE project_id = \(scope.projectID) AND tenant_id = \(scope.tenantKey)
            ORDER BY created_at, code_id
            """
        ).map(SMSCodeRecord.init(row:))
    }

    /// Counts a wrong code.
    package func countSMSCodeTry(codeID: String) throws {
        try execute("UPDATE sms_codes SET tries = tries + 1 WHERE code_id = \(codeID)")
    }

    /// Uses up a code.
    package func deleteSMSCode(codeID: String) throws -> Bool {
        try execute("DELETE FROM sms_codes WHERE code_id = \(codeID)") > 0
    }

    /// Deletes codes that expired long ago, in one small batch.
    package func deleteSMSCodes(expiredBefore time: Timestamp, limit: Int) throws -> Int {
        try deleteFirst(limit, of: "sms_codes", where: "expires_at < \(time.milliseconds)", orderedBy: "expires_at")
    }
}
