import Project
import Storage

/// The purpose of a code. A code that was sent for one purpose is invalid for another.
package enum SMSCodePurpose: Sendable, Hashable {
    /// Signing in, or linking or changing the number of an account.
    case signIn
    /// Enrolling the number as a second factor of this account in this generation.
    case enrollment(localID: String, generation: Int64)
    /// Proving this second factor of this account in this generation.
    case secondFactor(localID: String, enrollmentID: String, generation: Int64)

    /// Enrolling the number as a second factor of an account in its present generation.
    static func enrollment(of account: AccountRecord) -> SMSCodePurpose {
        .enrollment(localID: account.localID, generation: account.proofGeneration)
    }

    /// Proving a second factor of an account in its present generation.
    static func secondFactor(of account: AccountRecord, enrollmentID: String) -> SMSCodePurpose {
        .secondFactor(localID: account.localID, enrollmentID: enrollmentID, generation: account.proofGeneration)
    }
}

package struct SMSCodeRequest: Sendable {
    /// The number as sent. The receiver checks it.
    package var phoneNumber: String?
    package var purpose: SMSCodePurpose
    package var proof: AppProof
}

/// The proof that a genuine app or page asks for an SMS (`Docs/Contract/phone-and-mfa.md` §1). Empty fields count as absent.
package struct AppProof: Sendable {
    package var recaptchaToken: String?
    package var iosReceipt: String?
    package var iosSecret: String?
    package var playIntegrityToken: String?
    package var safetyNetToken: String?
    /// The reCAPTCHA Enterprise token; `NO_RECAPTCHA` stands for a missing token.
    package var captchaResponse: String?
    package var clientType: String?
    package var recaptchaVersion: String?
    /// Eleven characters that Android's SMS Retriever looks for at the end of the message.
    package var appSignatureHash: String?
    /// `X-Ios-Bundle-Identifier`
    package var bundleIdentifier: String?

    package init() {}

    /// The app's own claim of what it is; empty when it makes none.
    var app: String { bundleIdentifier ?? appSignatureHash ?? "" }

    /// Whether the proof has a token that is accepted only once.
    var isGoodOnce: Bool { recaptchaToken != nil || captchaResponse != nil }

    /// The SHA-256 of all fields, each with its length, so that two different proofs have different hashes.
    var hash: [UInt8] {
        let members = [
            recaptchaToken, iosReceipt, iosSecret, playIntegrityToken, safetyNetToken, captchaResponse, clientType,
            recaptchaVersion, appSignatureHash, bundleIdentifier,
        ]
        return sha256("postern.sms-proof".utf8 + members.flatMap { ":\($0?.utf8.count ?? 0):\($0 ?? "")".utf8 })
    }
}
