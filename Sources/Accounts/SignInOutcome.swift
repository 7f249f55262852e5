package import Project
package import Storage

/// How a sign-in ended.
package enum SignInOutcome: Sendable {
    /// A session began.
    case signedIn(SignedIn)
    /// The first factor was accepted and is stored; a session begins once the second factor is shown.
    case secondFactorPending(SecondFactorPending)
    /// Nothing was stored: the e-mail belongs to this account, whose user must first sign in by one of `providers`.
    case needsConfirmation(localID: String, providers: [String])
    /// The account decision went against the request; nothing was stored.
    case refused(ErrorCode)

    /// A session that began.
    package struct SignedIn: Sendable {
        package let account: AccountRecord
        package let isNewUser: Bool
        /// The account had another identity of the same provider, which was replaced.
        package let isEmailRecycled: Bool
        package let tokens: IssuedTokens
    }

    /// A first factor that waits for the second.
    package struct SecondFactorPending: Sendable {
        package let account: AccountRecord
        package let isEmailRecycled: Bool
        /// `mfaPendingCredential`
        package let credential: String
    }

    /// A first factor that was right: a session, or the wait for the second factor.
    package enum Accepted: Sendable {
        case signedIn(SignedIn)
        case secondFactorPending(SecondFactorPending)

        package var account: AccountRecord {
            switch self {
            case .signedIn(let session): session.account
            case .secondFactorPending(let pending): pending.account
            }
        }

        /// Whether the sign-in made the account.
        package var isNewUser: Bool { if case .signedIn(let session) = self { session.isNewUser } else { false } }
    }

    /// The outcome of a sign-in method that may ask for a second factor.
    ///
    /// - Parameter confirmation: What a demand for confirmation, which this method never meets, is refused with.
    /// - Returns: The session, or the wait for the second factor.
    /// - Throws: `APIError` where there is neither a session nor a wait for one.
    func accepted(orConfirmation confirmation: ErrorCode) throws -> Accepted {
        switch self {
        case .signedIn(let session): return .signedIn(session)
        case .secondFactorPending(let pending): return .secondFactorPending(pending)
        case .refused(let code): throw APIError(code)
        case .needsConfirmation: throw APIError(confirmation)
        }
    }

    /// The outcome of a sign-in method that never asks for a second factor.
    ///
    /// - Parameter other: What every outcome without a session and without an error of its own is refused with.
    /// - Returns: The session.
    /// - Throws: `APIError` where there is no session.
    func session(or other: ErrorCode) throws -> SignedIn {
        switch self {
        case .signedIn(let session): return session
        case .refused(let code): throw APIError(code)
        case .secondFactorPending, .needsConfirmation: throw APIError(other)
        }
    }
}
