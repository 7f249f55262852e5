package import Project

/// A code sent by SMS as stored, without the code itself.
package struct SMSCodeRecord: Sendable, Hashable {
    package internal(set) var codeID: String
    /// The purpose of the code, in a form that only its writer reads.
    package internal(set) var purpose: String
    /// The app that requested the code.
    package internal(set) var app: String
    /// In E.164.
    package internal(set) var phoneNumber: String
    /// HMAC of the code under the master key.
    package internal(set) var codeMAC: [UInt8]
    /// How many wrong codes were tried.
    package var tries: Int
    package var createdAt: Timestamp
    package internal(set) var expiresAt: Timestamp
    /// The code and its `sessionInfo`, sealed. Only in development.
    package var sealedCode: String?
    /// SHA-256 of the proof that an app made the request; `nil` when no proof was required.
    package internal(set) var proofHash: [UInt8]?

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
}

extension SMSCodeRecord: StoredRecord {
    static let table = TableDescriptor<Self>("sms_codes", of: .scope, key: ["code_id"])
    static var blank: Self {
        Self(codeID: "", purpose: "", app: "", phoneNumber: "", codeMAC: [], createdAt: .blank, expiresAt: .blank)
    }

    static func columns(_ column: inout some ColumnVisitor<Self>) {
        column("code_id", \.codeID)
        column("purpose", \.purpose)
        column("app", \.app)
        column("phone_number", \.phoneNumber)
        column("code_mac", \.codeMAC)
        column("tries", \.tries)
        column("created_at", \.createdAt)
        column("expires_at", \.expiresAt)
        column("sealed_code", \.sealedCode)
        column("proof_hash", \.proofHash)
    }
}

extension Transaction {
    package func insertSMSCode(_ scope: Scope, _ code: SMSCodeRecord) throws {
        try execute(code.insertion(of: scope.values))
    }

    /// An unused code, also when it has expired.
    package func smsCode(_ scope: Scope, codeID: String) throws -> SMSCodeRecord? {
        try first("WHERE code_id = \(codeID) AND \(unindexed: scope)")
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
        try first(
            """
            WHERE \(scope) AND phone_number = \(phoneNumber)
                AND created_at > \(time) AND purpose = \(purpose) AND app = \(app)
            ORDER BY created_at DESC LIMIT 1
            """
        )
    }

    /// Every unused code of a scope, oldest first, for development's endpoint.
    package func smsCodes(_ scope: Scope) throws -> [SMSCodeRecord] {
        try all("WHERE \(scope) ORDER BY created_at, code_id")
    }

    package func countSMSCodeTry(codeID: String) throws {
        try execute("UPDATE sms_codes SET tries = tries + 1 WHERE code_id = \(codeID)")
    }

    /// Uses up a code.
    package func deleteSMSCode(codeID: String) throws -> Bool {
        try execute("DELETE FROM sms_codes WHERE code_id = \(codeID)") > 0
    }
}
