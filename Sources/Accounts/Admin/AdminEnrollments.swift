package import Project
import Storage

/// A second factor as an administrator sends it (`contract/admin-accounts.md` §4 and §6.3).
package struct AdminEnrollment: Sendable {
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
}

/// Turns the enrolments of a request into the factors of an account: pure, its ids drawn before a transaction begins.
struct AdminEnrollments: Sendable {
    /// What becomes of the ids in a request.
    enum IDs: Sendable {
        /// Those of a new account are always fresh.
        case fresh
        /// An id that is there stays, others are drawn.
        case kept
        /// Each entry must have one.
        case required
    }

    private let entries: [(entry: AdminEnrollment, freshID: String)]
    private let ids: IDs
    private let mode: ModeRules

    private static let idLength = 28

    /// - Parameters:
    ///   - entries: The enrolments, as sent.
    ///   - ids: What becomes of the ids in the request.
    ///   - environment: Randomness.
    ///   - mode: In production an account with second factors needs a verified address.
    init(_ entries: [AdminEnrollment], ids: IDs, environment: ServerEnvironment, mode: ModeRules) {
        self.entries = entries.map { entry in
            var entry = entry
            if ids == .fresh || entry.enrollmentID?.isEmpty == true { entry.enrollmentID = nil }
            return (entry, environment.randomText(length: Self.idLength))
        }
        self.mode = mode
        self.ids = ids
    }

    /// The factors that replace an account's.
    ///
    /// A TOTP factor is kept when an entry without a number names it; none is ever made, as nobody would know its secret.
    ///
    /// - Parameters:
    ///   - existing: The account's factors so far.
    ///   - time: `enrolledAt` of new ones.
    /// - Returns: The factors.
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
                guard let number = entry.phoneInfo.flatMap({ PhoneNumber.canonical($0, mode: mode) }) else {
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

    /// The factors that a client asks for with a new account: development stores them, as the emulator does.
    ///
    /// - Parameters:
    ///   - entries: The enrolments, as sent.
    ///   - environment: Clock and randomness.
    ///   - mode: Production looks at nothing that a client says of its factors.
    /// - Returns: The factors.
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
    /// A verified address is a way in, by its links, so a phone number beside it is no hindrance, whichever came first. It signs
    /// nobody in while there are factors.
    ///
    /// - Parameter account: The account with its factors.
    /// - Throws: `APIError` `MISSING_EMAIL`, `UNVERIFIED_EMAIL`, `SECOND_FACTOR_LIMIT_EXCEEDED`.
    func check(_ account: AccountRecord) throws {
        guard mode.checksGivenSecondFactors, !account.secondFactors.isEmpty else { return }
        if account.email == nil { throw APIError(.missingEmail) }
        if account.emailVerified != true { throw APIError(.unverifiedEmail) }
        if account.secondFactors.count > SecondFactorRules.mostFactors { throw APIError(.secondFactorLimitExceeded) }
    }
}
