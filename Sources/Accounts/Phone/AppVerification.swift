import Project
import Storage
import Tenancy

/// Checks the proof that a genuine app or page asks for an SMS (`Docs/Contract/phone-and-mfa.md` §1, rows 6 and 7).
package struct AppVerification: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    let recaptcha: RecaptchaGate
    let tokens: AppVerificationTokens

    /// Checks the proof of a call.
    func check(
        _ proof: AppProof,
        action: RecaptchaAction,
        configuration: ScopeConfiguration,
        context: CallContext
    ) async throws {
        let answer = RecaptchaAnswer(
            token: proof.captchaResponse,
            clientType: proof.clientType,
            version: proof.recaptchaVersion
        )
        switch configuration.recaptcha.phone {
        case .enforce:
            return try await recaptcha.enforce(answer, action: action, configuration: configuration, context: context)
        case .audit where answer.realToken != nil:
            do {
                return try await recaptcha.enforce(answer, action: action, configuration: configuration, context: context)
            } catch let error as APIError {
                // In audit mode this token alone refuses nothing. Without another proof the SDKs are told to send one.
                if proof.isEmpty { throw APIError(.invalidAppCredential, cause: error) }
            }
        default: break
        }
        try await checkOther(proof, configuration: configuration, context: context)
    }

    private func checkOther(_ proof: AppProof, configuration: ScopeConfiguration, context: CallContext) async throws {
        if proof.iosReceipt != nil || proof.iosSecret != nil {
            try await checkInstallation(proof, context)
        } else if let token = proof.recaptchaToken {
            if AppVerificationTokens.isOne(token) {
                try await tokens.redeem(token, context: context)
            } else {
                try await recaptcha.checkVersion2(token, configuration: configuration, context: context)
            }
        } else if proof.playIntegrityToken != nil || proof.safetyNetToken != nil {
            // Only Google can read these tokens. Android's SDK falls back to reCAPTCHA.
            throw APIError(.invalidAppCredential)
        } else {
            // A call whose reCAPTCHA Enterprise token is the marker for none, or came while the feature is off, is told to send
            // another proof: the SDKs fall back to a push or a page only after this code.
            throw APIError(proof.captchaResponse == nil ? .missingAppCredential : .invalidAppCredential)
        }
    }

    private func checkInstallation(_ proof: AppProof, _ context: CallContext) async throws {
        let bundleID = try require(proof.bundleIdentifier, .missingClientIdentifier)
        guard let receipt = proof.iosReceipt, let secret = proof.iosSecret else { throw APIError(.invalidAppCredential) }
        let scope = context.scope
        let known = try await database.read { try $0.appCredential(scope, receiptHash: sha256(receipt.utf8)) }
        guard let known, constantTimeEqual(known.secretHash, sha256(secret.utf8)), known.bundleID == bundleID,
            environment.now() < known.expiresAt
        else { throw APIError(.invalidAppCredential) }
    }
}

extension AppProof {
    /// Whether the proof has nothing but reCAPTCHA Enterprise's fields.
    fileprivate var isEmpty: Bool {
        iosReceipt == nil && iosSecret == nil && recaptchaToken == nil && playIntegrityToken == nil && safetyNetToken == nil
    }
}
