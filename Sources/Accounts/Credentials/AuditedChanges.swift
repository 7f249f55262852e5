import Project
import Storage
import Tokens

/// Says in the audit trail what a change of an account altered: new values of flags, which factors, and of claims a keyed digest before and
/// after. The digest tells whether claims are the same as at another time, and neither their values nor whether another account has the
/// same.
struct AuditedChanges: Sendable {
    let scope: Scope
    let sealer: TokenSealer

    /// Adds what was altered to the detail of a record.
    ///
    /// - Parameter old: The account before the change; `nil` for a new one.
    func detail(from old: AccountRecord?, to account: AccountRecord, with detail: JSONValue? = nil) throws -> JSONValue? {
        let old = old ?? AccountRecord(localID: account.localID, createdAt: account.createdAt)
        var changed: JSONObject = [:]
        if account.isDisabled != old.isDisabled { changed["disabled"] = .bool(account.isDisabled) }
        let (wasVerified, isVerified) = (old.emailVerified ?? false, account.emailVerified ?? false)
        if isVerified != wasVerified { changed["emailVerified"] = .bool(isVerified) }
        if account.customAttributes != old.customAttributes {
            changed["claims"] = [
                "before": try digest(ofClaims: old.customAttributes, of: account),
                "after": try digest(ofClaims: account.customAttributes, of: account),
            ]
        }
        let added = account.secondFactors.filter { !old.secondFactors.has($0) }
        let removed = old.secondFactors.filter { !account.secondFactors.has($0) }
        if !added.isEmpty { changed["factorsAdded"] = .array(added.map(\.auditText)) }
        if !removed.isEmpty { changed["factorsRemoved"] = .array(removed.map(\.auditText)) }
        guard !changed.isEmpty else { return detail }
        var members = detail?.object ?? [:]
        members["changed"] = .object(changed)
        return .object(members)
    }

    // The same claims of another account have another digest. No claims have none.
    private func digest(ofClaims claims: String?, of account: AccountRecord) throws -> JSONValue {
        guard let claims else { return .null }
        let named: JSONValue = [.string(scope.projectID), .string(scope.tenantKey), .string(account.localID), .string(claims)]
        return .string(hexadecimal(try sealer.authenticationCode(of: named.text.utf8, for: .auditDigest).prefix(16)))
    }
}

extension [SecondFactor] {
    fileprivate func has(_ factor: SecondFactor) -> Bool { contains { bytesEqual($0.enrollmentID, factor.enrollmentID) } }
}

extension SecondFactor {
    /// The factor without its number or secret.
    fileprivate var auditText: JSONValue {
        let name = if case .phone = kind { "phone" } else { "totp" }
        return ["id": .string(enrollmentID), "kind": .string(name)]
    }
}
