package import Project
import Storage
package import Tokens

/// Selects the account of a change: that of an ID token, or one that an administrator names.
package enum AccountSelection: Sendable {
    case session(VerifiedIDToken)
    /// An administrator acts on the account of a user's ID token.
    case delegate(VerifiedIDToken)
    case localID(String, Scope)

    package var scope: Scope {
        switch self {
        case .session(let token), .delegate(let token): token.scope
        case .localID(_, let scope): scope
        }
    }

    /// Whether an ID token selects the account.
    var isByToken: Bool {
        switch self {
        case .session, .delegate: true
        case .localID: false
        }
    }

    /// Whether the user acts, not an administrator.
    var isSession: Bool { if case .session = self { true } else { false } }

    /// Whether the ID token is an anonymous user's. The emulator checks nothing else.
    var isAnonymous: Bool {
        switch self {
        case .session(let token), .delegate(let token): token.signInProvider == "anonymous"
        case .localID: false
        }
    }

    /// Reads the account and checks that it may be acted on.
    ///
    /// - Throws: `APIError` of the ID token rules, `USER_NOT_FOUND` for an administrator.
    func account(in transaction: Transaction) throws -> AccountRecord {
        switch self {
        case .session(let token), .delegate(let token): try IDTokenRules.authorizedAccount(of: token, in: transaction)
        case .localID(let localID, let scope): try require(try transaction.account(scope, localID: localID), .userNotFound)
        }
    }
}
