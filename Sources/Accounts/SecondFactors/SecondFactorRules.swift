import Federation
import Project
import Storage

/// The rules that enrolment and sign-in share (`contract/phone-and-mfa.md` §5).
package enum SecondFactorRules {
    /// The most factors that an account has.
    package static let mostFactors = 5
    /// The text of `INVALID_ARGUMENT` for a factor that an endpoint does not take.
    static let unsupportedFactor = "MFA provider not supported!"

    // First factors that no second one is put behind.
    private static let ineligibleProviders = Set(
        ["anonymous", "phone", "custom"] + Providers.builtIn.filter { !$0.allowsSecondFactor }.map(\.id)
    )

    /// Whether factors of a kind may be used in a scope.
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

    /// Whether a session may enrol factors, by how it was begun.
    ///
    /// - Throws: `APIError` `UNSUPPORTED_FIRST_FACTOR`.
    static func checkFirstFactor(_ provider: String) throws {
        if ineligibleProviders.contains(provider) {
            throw APIError(.unsupportedFirstFactor, "MFA is not available for the given first factor.")
        }
    }

    /// Whether a number may become one more factor of an account.
    ///
    /// - Throws: `APIError` `SECOND_FACTOR_EXISTS`.
    static func checkIsNew(_ number: String, for account: AccountRecord) throws {
        if account.secondFactors.contains(where: { $0.phoneNumber == number }) {
            throw APIError(.secondFactorExists, "Phone number already enrolled as second factor for this account.")
        }
    }

    /// Whether an account may have one more factor.
    ///
    /// - Throws: `APIError` `SECOND_FACTOR_LIMIT_EXCEEDED`.
    static func checkCount(of account: AccountRecord) throws {
        if account.secondFactors.count >= mostFactors { throw APIError(.secondFactorLimitExceeded) }
    }
}

extension MFAPolicy {
    /// Whether an account's user must show a second factor. TOTP can be switched on by itself, without a `state` for the rest.
    func demandsSecondFactor(of account: AccountRecord) -> Bool {
        if isOn { return !account.secondFactors.isEmpty }
        return totpAdjacentIntervals != nil && account.secondFactors.contains { $0.phoneNumber == nil }
    }
}
