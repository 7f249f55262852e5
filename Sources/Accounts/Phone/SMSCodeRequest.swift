import Project
import Storage

/// What a code is sent for: one sent for one purpose is worthless for another.
package enum SMSCodePurpose: Sendable, Hashable {
    /// Signing in, or linking or changing the number of an account.
    case signIn
    /// Enrolling the number as a second factor of this account, in this generation of it.
    case enrollment(localID: String, generation: Int64)
    /// Showing this second factor of this account, in this generation of it.
    case secondFactor(localID: String, enrollmentID: String, generation: Int64)

    /// Enrolling the number as a second factor of an account as it is.
    static func enrollment(of account: AccountRecord) -> SMSCodePurpose {
        .enrollment(localID: account.localID, generation: account.proofGeneration)
    }

    /// Showing a second factor of an account as it is.
    static func secondFactor(of account: AccountRecord, enrollmentID: String) -> SMSCodePurpose {
        .secondFactor(localID: account.localID, enrollmentID: enrollmentID, generation: account.proofGeneration)
    }
}

/// Who is to get a code.
package struct SMSCodeRequest: Sendable {
    /// The number as sent; checked by the receiver.
    package var phoneNumber: String?
    package var purpose: SMSCodePurpose
    package var proof: AppProof

    package init(phoneNumber: String?, purpose: SMSCodePurpose, proof: AppProof) {
        self.phoneNumber = phoneNumber
        self.purpose = purpose
        self.proof = proof
    }
}

/// What shows that a genuine app or page asks for an SMS (`contract/phone-and-mfa.md` §1); absent and empty are the same.
package struct AppProof: Sendable {
    package var recaptchaToken: String?
    package var iosReceipt: String?
    package var iosSecret: String?
    package var playIntegrityToken: String?
    package var safetyNetToken: String?
    /// Token of reCAPTCHA Enterprise; `NO_RECAPTCHA` says that there is none.
    package var captchaResponse: String?
    package var clientType: String?
    package var recaptchaVersion: String?
    /// Eleven characters that Android's SMS Retriever looks for at the end of the message.
    package var appSignatureHash: String?
    /// `X-Ios-Bundle-Identifier`
    package var bundleIdentifier: String?

    package init() {}

    /// Which app asks, as far as it says.
    var app: String { bundleIdentifier ?? appSignatureHash ?? "" }

    /// Whether it has a member that is refused when it comes again.
    var isGoodOnce: Bool { recaptchaToken != nil || captchaResponse != nil }

    /// SHA-256 of all members, each with its length: no two proofs share it.
    var hash: [UInt8] {
        let members = [
            recaptchaToken, iosReceipt, iosSecret, playIntegrityToken, safetyNetToken, captchaResponse, clientType,
            recaptchaVersion, appSignatureHash, bundleIdentifier,
        ]
        return sha256("postern.sms-proof".utf8 + members.flatMap { ":\($0?.utf8.count ?? 0):\($0 ?? "")".utf8 })
    }
}
