package import Project
import Storage

/// A second factor as an administrator sends it (`Docs/Contract/admin-accounts.md` §4 and §6.3).
package struct AdminEnrollment: Sendable, Hashable {
    package var enrollmentID: String?
    package var displayName: String?
    package var phoneInfo: String?
    package var enrolledAt: Timestamp?

    package init(
        enrollmentID: String? = nil,
        displayName: String? = nil,
        phoneInfo: String? = nil,
        enrolledAt: Timestamp? = nil
    ) {
        self.enrollmentID = enrollmentID
        self.displayName = displayName
        self.phoneInfo = phoneInfo
        self.enrolledAt = enrolledAt
    }

    /// Checks what no rule of second factors does.
    ///
    /// - Throws: `InvalidArgument` for a text that is too long, or a time outside the years 1 to 9999.
    func check(_ mode: ModeRules) throws {
        try ProfileLimits.check(displayName, named: "mfa displayName", atMost: ProfileLimits.displayName, mode)
        try ProfileLimits.check(enrollmentID, named: "mfaEnrollmentId", atMost: ProfileLimits.other, mode)
        try enrolledAt?.checkCalendar(named: "enrolledAt")
    }
}

/// Turns the enrolments of a request into the factors of an account. Pure: the ids are drawn before a transaction begins.
struct AdminEnrollments: Sendable {
    /// How the ids in a request are treated.
    enum IDs: Sendable {
        /// Every factor gets a new id.
        case fresh
        /// Ids in the request are kept; missing ones are drawn.
        case kept
        /// Each entry must have an id.
        case required
    }

    private let entries: [(entry: AdminEnrollment, freshID: String)]
    private let ids: IDs
    private let mode: ModeRules

    private static let idLength = 28

    /// - Parameter mode: In production an account with second factors needs a verified address.
    init(_ entries: [AdminEnrollment], ids: IDs, environment: ServerEnvironment, mode: ModeRules) {
        self.entries = entries.map { entry in
            var entry = entry
            if ids == .fresh || entry.enrollmentID?.isEmpty == true { entry.enrollmentID = nil }
            return (entry, environment.randomText(length: Self.idLength))
        }
        self.mode = mode
        self.ids = ids
    }

    /// Makes the factors that replace an account's.
    ///
    /// A TOTP factor is kept when an entry without a phone number names it. None can be created here, because its secret would be
    /// unknown.
    ///
    /// - Parameter time: The enrolment time of factors that bring none.
    /// - Throws: `APIError` `INVALID_MFA_ENROLLMENT_ID`, `INVALID_MFA_PHONE_NUMBER`, `DUPLICATE_MFA_ENROLLMENT_ID`.
    func factors(replacing existing: [SecondFactor], at time: Timestamp) throws -> [SecondFactor] {
        var factors: [SecondFactor] = []
        var numbers: Set<String> = []
        for (entry, freshID) in entries {
            if ids == .required, entry.enrollmentID == nil {
                throw APIError(.invalidMFAEnrollmentID, "mfaEnrollmentId must be defined.")
            }
            let named = existing.first { $0.enrollmentID == entry.enrollmentID }
            var factor: SecondFactor
            if entry.phoneInfo == nil, let named, named.phoneNumber == nil {
                factor = named
                factor.displayName = entry.displayName ?? named.displayName
            } else {
                // A number that the account has already, such as an imported one, is no new one.
                let kept = PhoneNumber.kept(entry.phoneInfo, mode: mode)
                let isKnown = existing.contains { $0.phoneNumber == kept }
                guard let number = isKnown ? kept : PhoneNumber.canonical(entry.phoneInfo, mode: mode) else {
                    throw APIError(.invalidMFAPhoneNumber, "Invalid format.")
                }
                guard numbers.insert(number).inserted else { continue }
                factor = SecondFactor(
                    enrollmentID: entry.enrollmentID ?? freshID,
                    displayName: entry.displayName,
                    enrolledAt: entry.enrolledAt ?? named?.enrolledAt ?? time,
                    kind: .phone(number: number)
                )
            }
            guard !factors.contains(where: { $0.enrollmentID == factor.enrollmentID }) else {
                throw APIError(.duplicateMFAEnrollmentID)
            }
            factors.append(factor)
        }
        return factors
    }

    /// Makes the factors that a client sends with a new account. Development stores them, as the emulator does.
    ///
    /// - Parameter mode: Production ignores factors sent by clients.
    /// - Throws: `APIError` `INVALID_MFA_PHONE_NUMBER`.
    static func ofNewAccount(
        _ entries: [AdminEnrollment],
        environment: ServerEnvironment,
        mode: ModeRules
    ) throws -> [SecondFactor] {
        guard mode.signUpTakesSecondFactors else { return [] }
        let enrollments = AdminEnrollments(entries, ids: .fresh, environment: environment, mode: mode)
        return try enrollments.factors(replacing: [], at: environment.now())
    }

    /// Checks that an account may have the factors that it now has.
    ///
    /// A verified address is a way to sign in by e-mail link, so an account may have both factors and a phone number. The phone
    /// number cannot sign in while there are factors.
    ///
    /// - Throws: `APIError` `MISSING_EMAIL`, `UNVERIFIED_EMAIL`, `SECOND_FACTOR_LIMIT_EXCEEDED`.
    func check(_ account: AccountRecord) throws {
        guard mode.checksGivenSecondFactors, !account.secondFactors.isEmpty else { return }
        if account.email == nil { throw APIError(.missingEmail) }
        if account.emailVerified != true { throw APIError(.unverifiedEmail) }
        if account.secondFactors.count > SecondFactorRules.mostFactors { throw APIError(.secondFactorLimitExceeded) }
    }
}
