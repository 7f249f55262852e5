import Logging
import Project

/// The action that a reCAPTCHA token was made for (`Docs/Contract/client-accounts.md` §16).
package enum RecaptchaAction: String, Sendable {
    case signUpPassword
    case signInWithPassword
    case getOOBCode = "getOobCode"
    case sendVerificationCode
    case mfaSMSEnrollment = "mfaSmsEnrollment"
    case mfaSMSSignIn = "mfaSmsSignIn"
}

/// Asks reCAPTCHA about tokens (developers.google.com/recaptcha/docs/verify). The service accepts each token once.
package struct RecaptchaVerifier: Sendable {
    let environment: ServerEnvironment

    /// reCAPTCHA's verdict on a valid token.
    struct Verdict: Sendable {
        /// From 0, a robot, to 1, a person; keys of version 2 have no score.
        let score: Double?
        let action: String?
        let hostname: String?
    }

    /// The reason why there is no verdict.
    enum Failure: Error {
        /// reCAPTCHA does not accept the token.
        case refused
        /// reCAPTCHA is not configured or does not answer; the call is refused.
        case unavailable
    }

    let secret: String?
    let url: String

    private static let longestToken = 16 * 1024

    /// Whether reCAPTCHA is configured.
    var isConfigured: Bool { secret != nil }

    /// Asks about a token.
    func verdict(on token: String, address: String?) async throws -> Verdict {
        guard let secret else { throw Failure.unavailable }
        guard token.utf8.count <= Self.longestToken else { throw Failure.refused }
        let pairs = [("secret", secret), ("response", token)] + (address.map { [("remoteip", $0)] } ?? [])
        let request = OutboundHTTP.Request(
            method: "POST",
            url: url,
            headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(PercentEncoding.form(pairs).utf8)
        )
        let answer: JSONValue
        do {
            let response = try await environment.http(request, limits: .init(maximumBodyBytes: 1 << 16))
            guard response.status == 200 else { throw Failure.unavailable }
            answer = try JSONValue.parse(response.body)
        } catch {
            if !Task.isCancelled {
                environment.logger.error("reCAPTCHA gave no valid answer", metadata: ["error": "\(error.plainText)"])
            }
            throw Failure.unavailable
        }
        guard answer["success"]?.bool == true else { throw Failure.refused }
        return Verdict(
            score: answer["score"]?.double,
            action: answer["action"]?.string,
            hostname: answer["hostname"]?.string?.lowercased()
        )
    }
}
