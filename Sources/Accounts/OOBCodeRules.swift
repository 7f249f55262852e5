import Project
import Storage

/// When a one-time code may be used (`contract/client-accounts.md` §3, §9.3, §11).
enum OOBCodeRules {
    /// Checks a code that somebody presents.
    ///
    /// - Parameters:
    ///   - record: What the store has under it.
    ///   - type: What it must be for; `nil` for anything.
    ///   - time: Now.
    /// - Returns: The record.
    /// - Throws: `APIError` `INVALID_OOB_CODE`, `EXPIRED_OOB_CODE`.
    static func usable(_ record: OOBCodeRecord?, as type: OOBRequestType? = nil, at time: Timestamp) throws -> OOBCodeRecord {
        let record = try require(record, .invalidOOBCode)
        if let type, record.type != type { throw APIError(.invalidOOBCode) }
        if record.expiresAt <= time { throw APIError(.expiredOOBCode) }
        return record
    }
}
