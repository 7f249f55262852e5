import Foundation
import Passwords
package import Project
import Storage

extension PasswordPolicy {
    /// Checks a password that an administrator chose for a user. Only its length counts (`Docs/Contract/admin-accounts.md` §11).
    ///
    /// - Throws: `APIError` `WEAK_PASSWORD`, or `PASSWORD_DOES_NOT_MEET_REQUIREMENTS` where a policy is enforced.
    func checkLength(_ password: String) throws {
        guard password.utf16.count >= Self.leastLength else {
            throw APIError(.weakPassword, "Password should be at least \(Self.leastLength) characters")
        }
        guard isEnforced else { return }
        let violations = violations(of: password).filter { violation in
            switch violation {
            case .minimumLength, .maximumLength: true
            default: false
            }
        }
        if !violations.isEmpty { throw Self.refusal(violations) }
    }
}

/// A password's hash as exports show it (`Docs/Contract/admin-accounts.md` §3 and §3.2).
package struct ExportedPassword: Sendable, Hashable {
    /// URL-safe base64, padded.
    package let hash: String
    /// URL-safe base64, padded; `nil` when the hash contains its salt.
    package let salt: String?
    /// 0 for the server's own algorithm, 1 for an imported one.
    package let version: Int
}

extension AccountView {
    /// The account's password hash and salt, for callers that may export them.
    package var exportedPassword: ExportedPassword? {
        guard let stored = account.passwordHash.flatMap({ StoredPassword(text: $0) }) else { return nil }
        var isOwn = false
        if case .argon2 = stored.algorithm { isOwn = true }
        return ExportedPassword(
            hash: WireBase64.encode(stored.hash),
            salt: stored.salt.isEmpty ? nil : WireBase64.encode(stored.salt),
            version: isOwn ? 0 : 1
        )
    }
}

/// A stored password in the form that another server can import.
package struct MovedPassword: Sendable, Hashable {
    /// In standard base64.
    package let hash: String
    /// In standard base64; `nil` when the hash contains its salt.
    package let salt: String?
    /// The hash parameters, under the names of an import request.
    package let parameters: JSONValue
}

extension AccountView {
    /// The account's password for an export; `nil` when it has none.
    package var movedPassword: MovedPassword? {
        guard let stored = account.passwordHash.flatMap({ StoredPassword(text: $0) }) else { return nil }
        return MovedPassword(
            hash: Data(stored.hash).base64EncodedString(),
            salt: stored.salt.isEmpty ? nil : Data(stored.salt).base64EncodedString(),
            parameters: stored.parameters
        )
    }
}
