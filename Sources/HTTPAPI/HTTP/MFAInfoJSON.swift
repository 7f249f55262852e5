import Project
import Storage

/// The wire form of an enrolled second factor (`Docs/Contract/phone-and-mfa.md` §5.1). SDKs recognize the kind of a factor by its
/// members.
struct MFAInfoJSON: Codable {
    private let mfaEnrollmentId: String
    private let displayName: String?
    private let enrolledAt: String
    private let phoneInfo: String?
    private let unobfuscatedPhoneInfo: String?
    private let totpInfo: Nothing?

    private struct Nothing: Codable {}

    /// - Parameter isObfuscated: Whether all but the last four digits of a number are hidden, as before the factor is proven.
    init(_ factor: SecondFactor, isObfuscated: Bool) {
        mfaEnrollmentId = factor.enrollmentID
        displayName = factor.displayName
        enrolledAt = factor.enrolledAt.rfc3339
        switch factor.kind {
        case .phone(let number):
            phoneInfo = isObfuscated ? PhoneNumberText.obfuscated(number) : number
            unobfuscatedPhoneInfo = isObfuscated ? nil : number
            totpInfo = nil
        case .totp:
            phoneInfo = nil
            unobfuscatedPhoneInfo = nil
            totpInfo = Nothing()
        }
    }
}
