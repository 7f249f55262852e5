package import Project
package import Storage

/// Accounts with the protected claim (`console.impersonationForbiddenClaim`) are administrators of the project's apps. Operators who do not
/// administer the project neither take them over nor make others like them.
extension CallContext {
    /// Checks that the caller may change an account, or leave one behind that is like it.
    package func requireReach(of account: AccountRecord) throws {
        guard let protectedClaim, account.isProtected(by: protectedClaim) else { return }
        throw OperatorError.notAllowed
    }
}

extension AccountRecord {
    /// Whether the account has a claim that protects it. A claim that is false or null gives nothing. Claims that cannot be read
    /// protect.
    func isProtected(by claim: String) -> Bool {
        guard let text = customAttributes else { return false }
        guard let claims = try? JSONValue.parse(text.utf8) else { return true }
        switch claims[claim] {
        case nil, .null, .bool(false): return false
        default: return true
        }
    }
}
