package import Project
package import Storage

/// Judges what shows that a genuine app or page asks for an SMS (`contract/phone-and-mfa.md` §1, rows 6 and 7).
package struct AppVerification: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment
    private let recaptcha: RecaptchaGate
    private let tokens: AppVerificationTokens

    package init(
        database: any Database,
        environment: ServerEnvironment,
        recaptcha: RecaptchaGate,
        tokens: AppVerificationTokens
    ) {
        self.database = database
        self.environment = environment
        self.recaptcha = recaptcha
        self.tokens = tokens
    }

    /// Lets a genuine app or page through.
    ///
    /// - Parameters:
    ///   - proof: What the call brings.
    ///   - action: What a token of reCAPTCHA Enterprise must have been made for.
    ///   - configuration: The scope's rules.
    ///   - context: The call.
    /// - Throws: `APIError`; `StorageError`.
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
                // Nothing is refused for this token alone; without another proof the SDKs are told to bring one.
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
            // Only Google can read these; Android's SDK goes on with reCAPTCHA.
            throw APIError(.invalidAppCredential)
        } else {
            // Who has asked reCAPTCHA Enterprise in vain, which the marker says, or while it is off, is told to bring another proof: the
            // SDKs go on to a push or a page after this code only.
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
    /// Whether there is nothing but what reCAPTCHA Enterprise gave.
    fileprivate var isEmpty: Bool {
        iosReceipt == nil && iosSecret == nil && recaptchaToken == nil && playIntegrityToken == nil && safetyNetToken == nil
    }
}
