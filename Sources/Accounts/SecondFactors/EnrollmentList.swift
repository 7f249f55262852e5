package import Project
package import Storage

/// The rule of `mfa.enrollments` in `accounts:update`: a list that replaces an account's factors
/// (`contract/admin-accounts.md` §6.3).
package struct EnrollmentList: Sendable {
    /// A factor as sent.
    package struct Entry: Sendable, Hashable {
        package var enrollmentID: String?
        package var displayName: String?
        /// A number; `nil` names a factor that the account has already.
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

    /// Checks a list. TOTP factors are kept where an entry without a number names them, and never made: nobody but their user
    /// knows the secret.
    ///
    /// - Parameters:
    ///   - entries: The list as sent.
    ///   - existing: The account's factors.
    ///   - newIDs: An id for each entry that brings none, drawn before the transaction; empty where ids must be sent.
    ///   - time: When entries that do not say were enrolled.
    /// - Returns: The account's factors from now on.
    /// - Throws: `APIError` `INVALID_MFA_ENROLLMENT_ID`, `INVALID_MFA_PHONE_NUMBER`, `DUPLICATE_MFA_ENROLLMENT_ID`,
    ///   `SECOND_FACTOR_LIMIT_EXCEEDED`.
    package static func validated(
        _ entries: [Entry],
        existing: [SecondFactor],
        newIDs: [String],
        at time: Timestamp
    ) throws -> [SecondFactor] {
        var factors: [SecondFactor] = []
        for (index, entry) in entries.enumerated() {
            let drawn = newIDs.indices.contains(index) ? newIDs[index] : nil
            guard let id = entry.enrollmentID.flatMap({ $0.isEmpty ? nil : $0 }) ?? drawn else {
                throw APIError(.invalidMFAEnrollmentID, "mfaEnrollmentId must be defined.")
            }
            let factor = try factor(entry, id: id, existing: existing, at: time)
            if let number = factor.phoneNumber, factors.contains(where: { $0.phoneNumber == number }) { continue }
            if factors.contains(where: { $0.enrollmentID == id }) { throw APIError(.duplicateMFAEnrollmentID) }
            factors.append(factor)
        }
        guard factors.count <= SecondFactorRules.mostFactors else { throw APIError(.secondFactorLimitExceeded) }
        return factors
    }

    private static func factor(
        _ entry: Entry,
        id: String,
        existing: [SecondFactor],
        at time: Timestamp
    ) throws -> SecondFactor {
        let known = existing.first { $0.enrollmentID == id }
        if entry.phoneInfo == nil, var known, known.phoneNumber == nil {
            known.displayName = entry.displayName
            return known
        }
        guard let number = entry.phoneInfo.flatMap(EnrolledNumber.canonical) else {
            throw APIError(.invalidMFAPhoneNumber, "Invalid format.")
        }
        return SecondFactor(
            enrollmentID: id,
            displayName: entry.displayName,
            enrolledAt: entry.enrolledAt ?? known?.enrolledAt ?? time,
            kind: .phone(number: number)
        )
    }
}

/// The one form of a number that is compared and stored: E.164.
enum EnrolledNumber {
    private static let separators: Set<Character> = [" ", "-", ".", "(", ")"]

    /// - Returns: `nil` for what is no international number.
    static func canonical(_ text: String) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let bare = text.filter { !separators.contains($0) }
        return bare.wholeMatch(of: /\+[1-9][0-9]{6,14}/) == nil ? nil : bare
    }
}
