/// Why the console refuses an operator.
package enum OperatorError: Error, Sendable, Hashable {
    /// The invitation is unknown, used or too old.
    case invitationEnded
    case invalidEmail
    case invalidTenant
    /// The password has fewer than ``OperatorPassword/minimumLength`` characters, or too many bytes.
    case weakPassword
    case wrongCode
    /// The enrolment, the challenge or the offer of a secret has ended.
    case ceremonyEnded
    /// The passkey was not accepted.
    case passkeyRefused
    /// Address, password or code are wrong; which of them is not said.
    case wrongCredentials
    case tooManyAttempts(retryAfterSeconds: Int)
    /// There is no session, or it has ended.
    case signedOut
    /// The role or the operator's tenant does not allow it.
    case notAllowed
    /// A factor must be proven again first.
    case needsConfirmation
    /// One owner at least stays.
    case lastOwner
    /// One strong way to sign in stays.
    case lastFactor
    case tooMany
    /// Another operator must agree first.
    case needsApproval
    /// Nobody agrees to what they asked for themselves.
    case ownApproval
    case unknownApproval
    case unknownOperator

    /// The name of the case, one of a fixed set, as the audit trail has it.
    package var name: String {
        if case .tooManyAttempts = self { "tooManyAttempts" } else { "\(self)" }
    }
}
