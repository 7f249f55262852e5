import Project
import Storage

/// Decides whether a one-time code may be used (`Docs/Contract/client-accounts.md` §3, §9.3, §11).
enum OOBCodeRules {
    /// Checks a code that a caller presents.
    ///
    /// - Throws: `APIError` `INVALID_OOB_CODE`, `EXPIRED_OOB_CODE`.
    static func usable(_ record: OOBCodeRecord?, as type: OOBRequestType? = nil, at time: Timestamp) throws -> OOBCodeRecord {
        let record = try require(record, .invalidOOBCode)
        if let type, record.type != type { throw APIError(.invalidOOBCode).about(record) }
        if record.expiresAt <= time { throw APIError(.expiredOOBCode).about(record) }
        return record
    }
}

extension APIError {
    /// The same refusal, with the account that a code is for, for the audit trail.
    func about(_ code: OOBCodeRecord) -> APIError { about(code.localID.map(Subject.account) ?? .email(code.email)) }
}
