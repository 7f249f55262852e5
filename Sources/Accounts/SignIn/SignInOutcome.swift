package import Project
package import Storage

/// The end of a sign-in, of its transaction as of the whole.
///
/// A refusal that must undo the transaction is thrown. ``refused(_:)`` keeps what the transaction wrote, such as the use of a link, or
/// lets the caller answer with more than an error.
package enum SignInOutcome<Acceptance: Sendable>: Sendable {
    /// The account is stored. Its transaction ends with `SignInPipeline.SignInTransaction.StoredSignIn`, the whole sign-in with
    /// ``AcceptedSignIn``.
    case accepted(Acceptance)
    /// Nothing was stored. The e-mail belongs to this account, whose user must first sign in by one of `providers`.
    case needsConfirmation(localID: String, providers: [String])
    /// The sign-in is refused, and what its transaction wrote stays. `heldBy` is the account that has what was to be linked; clients
    /// are not told.
    case refused(ErrorCode, heldBy: String? = nil)

    /// Returns the same end with another form of the acceptance.
    func map<Other: Sendable>(_ transform: (Acceptance) throws -> Other) rethrows -> SignInOutcome<Other> {
        switch self {
        case .accepted(let acceptance): .accepted(try transform(acceptance))
        case .needsConfirmation(let localID, let providers): .needsConfirmation(localID: localID, providers: providers)
        case .refused(let code, let heldBy): .refused(code, heldBy: heldBy)
        }
    }
}

/// An accepted first factor: a session, or a pending second factor.
package enum AcceptedSignIn: Sendable {
    /// A session began.
    case signedIn(Session)
    /// The first factor was accepted and recorded; a session begins once the second factor is proven.
    case secondFactorPending(Pending)

    package struct Session: Sendable {
        package let account: AccountRecord
        package let isNewUser: Bool
        /// Whether another identity of the same provider was replaced.
        package let isEmailRecycled: Bool
        package let tokens: IssuedTokens
    }

    /// An accepted first factor that waits for the second.
    package struct Pending: Sendable {
        package let account: AccountRecord
        package let isEmailRecycled: Bool
        /// `mfaPendingCredential`
        package let credential: String
    }

    package var account: AccountRecord {
        switch self {
        case .signedIn(let session): session.account
        case .secondFactorPending(let pending): pending.account
        }
    }

    /// Whether the sign-in created the account.
    package var isNewUser: Bool { if case .signedIn(let session) = self { session.isNewUser } else { false } }
}

extension SignInOutcome where Acceptance == AcceptedSignIn {
    /// Returns the result of a sign-in method that may demand a second factor but never a confirmation.
    ///
    /// - Throws: `APIError` of a refusal; `OPERATION_NOT_ALLOWED` for a demand that the method does not make.
    func accepted() throws -> AcceptedSignIn {
        switch self {
        case .accepted(let accepted): return accepted
        case .refused(let code, let heldBy): throw APIError(code).about(heldBy: heldBy)
        case .needsConfirmation: throw APIError(.operationNotAllowed)
        }
    }

    /// Returns the result of a sign-in method that demands neither a second factor nor a confirmation.
    func session() throws -> AcceptedSignIn.Session {
        guard case .signedIn(let session) = try accepted() else { throw APIError(.operationNotAllowed) }
        return session
    }
}
