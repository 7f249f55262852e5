package import Project
package import Storage

/// The result of a sign-in.
package enum SignInOutcome: Sendable {
    /// A session began.
    case signedIn(SignedIn)
    /// The first factor was accepted and recorded; a session begins once the second factor is proven.
    case secondFactorPending(SecondFactorPending)
    /// Nothing was stored. The e-mail belongs to this account, whose user must first sign in by one of `providers`.
    case needsConfirmation(localID: String, providers: [String])
    /// The account decision refused the request; nothing was stored.
    case refused(ErrorCode)

    /// A new session.
    package struct SignedIn: Sendable {
        package let account: AccountRecord
        package let isNewUser: Bool
        /// Whether another identity of the same provider was replaced.
        package let isEmailRecycled: Bool
        package let tokens: IssuedTokens
    }

    /// An accepted first factor that waits for the second.
    package struct SecondFactorPending: Sendable {
        package let account: AccountRecord
        package let isEmailRecycled: Bool
        /// `mfaPendingCredential`
        package let credential: String
    }

    /// An accepted first factor: a session, or a pending second factor.
    package enum Accepted: Sendable {
        case signedIn(SignedIn)
        case secondFactorPending(SecondFactorPending)

        package var account: AccountRecord {
            switch self {
            case .signedIn(let session): session.account
            case .secondFactorPending(let pending): pending.account
            }
        }

        /// Whether the sign-in created the account.
        package var isNewUser: Bool { if case .signedIn(let session) = self { session.isNewUser } else { false } }
    }

    /// Returns the result of a sign-in method that may demand a second factor.
    ///
    /// - Parameter confirmation: The error for a demand for confirmation, which such a method does not produce.
    /// - Returns: The session, or the pending second factor.
    /// - Throws: `APIError` when there is neither.
    func accepted(orConfirmation confirmation: ErrorCode) throws -> Accepted {
        switch self {
        case .signedIn(let session): return .signedIn(session)
        case .secondFactorPending(let pending): return .secondFactorPending(pending)
        case .refused(let code): throw APIError(code)
        case .needsConfirmation: throw APIError(confirmation)
        }
    }

    /// Returns the result of a sign-in method that never demands a second factor.
    ///
    /// - Parameter other: The error for results that have neither a session nor an error of their own.
    /// - Returns: The session.
    /// - Throws: `APIError` when there is no session.
    func session(or other: ErrorCode) throws -> SignedIn {
        switch self {
        case .signedIn(let session): return session
        case .refused(let code): throw APIError(code)
        case .secondFactorPending, .needsConfirmation: throw APIError(other)
        }
    }
}
