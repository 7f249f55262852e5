import Federation
import Project
import Storage

/// The rules that enrolment and sign-in share (`Docs/Contract/phone-and-mfa.md` §5).
package enum SecondFactorRules {
    package static let mostFactors = 5
    /// How long after a change its mailbox alone removes second factors. Mailboxes change hands, and must not defeat factors for ever
    /// (threat case LNK-10).
    static let mailboxSeconds = 259_200
    /// The text of `INVALID_ARGUMENT` for a factor of a kind that an endpoint does not support.
    static let unsupportedFactor = "MFA provider not supported!"

    // First factors that cannot have a second factor.
    private static let ineligibleProviders = Set(
        ["anonymous", "phone", "custom"] + Providers.builtIn.filter { !$0.allowsSecondFactor }.map(\.id)
    )

    /// Checks whether a kind of factor may be used in a scope.
    enum Gate {
        case sms
        case totp

        /// - Throws: `APIError` `OPERATION_NOT_ALLOWED`.
        func check(_ policy: MFAPolicy) throws {
            switch self {
            case .sms: if !policy.allowsSMS { throw APIError(.operationNotAllowed, "SMS based MFA not enabled.") }
            case .totp:
                if policy.totpAdjacentIntervals == nil { throw APIError(.operationNotAllowed, "TOTP based MFA not enabled.") }
            }
        }
    }

    /// Checks whether a session may enrol factors, by its first factor.
    ///
    /// - Throws: `APIError` `UNSUPPORTED_FIRST_FACTOR`.
    static func checkFirstFactor(_ provider: String) throws {
        if ineligibleProviders.contains(provider) {
            throw APIError(.unsupportedFirstFactor, "MFA is not available for the given first factor.")
        }
    }

    /// Checks that a number is not yet a factor of an account.
    ///
    /// - Throws: `APIError` `SECOND_FACTOR_EXISTS`.
    static func checkIsNew(_ number: String, for account: AccountRecord) throws {
        if account.secondFactors.contains(where: { $0.phoneNumber == number }) {
            throw APIError(.secondFactorExists, "Phone number already enrolled as second factor for this account.")
        }
    }

    /// Checks that an account may have one more factor.
    ///
    /// - Throws: `APIError` `SECOND_FACTOR_LIMIT_EXCEEDED`.
    static func checkCount(of account: AccountRecord) throws {
        if account.secondFactors.count >= mostFactors { throw APIError(.secondFactorLimitExceeded) }
    }
}

extension MFAPolicy {
    /// Whether the user of an account must prove a second factor. TOTP can be switched on by itself, without `state`.
    func demandsSecondFactor(of account: AccountRecord) -> Bool {
        if isOn { return !account.secondFactors.isEmpty }
        return totpAdjacentIntervals != nil && account.secondFactors.contains { $0.phoneNumber == nil }
    }
}
