import Project
import Storage

extension AccountEdit {
    /// What the change altered, for the audit trail: new values of flags, which factors, and of claims a keyed digest before and after. The
    /// digest tells whether claims are the same as at another time, and neither their values nor whether another account has the same.
    func detail(with detail: JSONValue?) throws -> JSONValue? {
        var changed: JSONObject = [:]
        if account.isDisabled != old.isDisabled { changed["disabled"] = .bool(account.isDisabled) }
        let (wasVerified, isVerified) = (old.emailVerified ?? false, account.emailVerified ?? false)
        if isVerified != wasVerified { changed["emailVerified"] = .bool(isVerified) }
        if account.customAttributes != old.customAttributes {
            changed["claims"] = [
                "before": try stamp.digest(ofClaims: old.customAttributes, of: account),
                "after": try stamp.digest(ofClaims: account.customAttributes, of: account),
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
