package import Project
package import Tenancy

/// The reCAPTCHA Enterprise fields of a call.
package struct RecaptchaAnswer: Sendable {
    /// The token; `NO_RECAPTCHA` stands for a missing token.
    package var token: String?
    package var clientType: String?
    package var version: String?

    package init(token: String?, clientType: String?, version: String?) {
        self.token = token
        self.clientType = clientType
        self.version = version
    }

    /// The token, if there is one.
    var realToken: String? { token.flatMap { $0.isEmpty || $0 == "NO_RECAPTCHA" ? nil : $0 } }
}

/// Demands reCAPTCHA Enterprise tokens when the configuration does (`Docs/Contract/client-accounts.md` §16).
package struct RecaptchaGate: Sendable {
    let mode: ModeRules
    let throttle: Throttle
    let verifier: RecaptchaVerifier
    let publicURL: @Sendable () -> String

    private static let version = "RECAPTCHA_ENTERPRISE"

    /// Whether reCAPTCHA is configured.
    var isConfigured: Bool { verifier.isConfigured }

    /// Checks a call that concerns passwords or e-mail.
    ///
    /// - Parameter context: Administrators need no token.
    package func checkEmailPassword(
        _ answer: RecaptchaAnswer,
        action: RecaptchaAction,
        configuration: ScopeConfiguration,
        context: CallContext
    ) async throws {
        // Where nothing is refused there is nothing to wait for.
        guard mode.enforcesRecaptcha, !context.isPrivileged, configuration.recaptcha.emailPassword == .enforce else { return }
        try await enforce(answer, action: action, configuration: configuration, context: context)
    }

    /// Refuses a call without a valid token. An assessment that refuses the call counts against its network. The limits of what the
    /// call asks for come later: otherwise calls without a token would use up those of an account's owner.
    ///
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, `MISSING_RECAPTCHA_TOKEN`, `MISSING_CLIENT_TYPE`,
    ///   `MISSING_RECAPTCHA_VERSION`, `INVALID_RECAPTCHA_VERSION`, `INVALID_RECAPTCHA_TOKEN`, `INVALID_RECAPTCHA_ACTION`,
    ///   `CAPTCHA_CHECK_FAILED`.
    func enforce(
        _ answer: RecaptchaAnswer,
        action: RecaptchaAction,
        configuration: ScopeConfiguration,
        context: CallContext
    ) async throws {
        let token = try require(answer.realToken, .missingRecaptchaToken)
        guard let clientType = answer.clientType, clientType != "CLIENT_TYPE_UNSPECIFIED" else {
            throw APIError(.missingClientType)
        }
        guard try require(answer.version, .missingRecaptchaVersion) == Self.version else {
            throw APIError(.invalidRecaptchaVersion)
        }
        try await throttle.outgoingCall(context: context) {
            let verdict = try await verdict(on: token, orElse: .invalidRecaptchaToken, context)
            guard verdict.action == action.rawValue else { throw APIError(.invalidRecaptchaAction) }
            guard verdict.score.map(configuration.recaptcha.accepts) ?? true, isOurs(verdict.hostname, configuration) else {
                throw APIError(.captchaCheckFailed)
            }
        }
    }

    /// Checks a reCAPTCHA version 2 token.
    ///
    /// - Throws: `APIError` `INVALID_APP_CREDENTIAL` when reCAPTCHA is not used, `CAPTCHA_CHECK_FAILED`,
    ///   `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func checkVersion2(_ token: String, configuration: ScopeConfiguration, context: CallContext) async throws {
        guard isConfigured else { throw APIError(.invalidAppCredential) }
        try await throttle.outgoingCall(context: context) {
            let verdict = try await verdict(on: token, orElse: .captchaCheckFailed, context)
            guard isOurs(verdict.hostname, configuration) else {
                throw APIError(.captchaCheckFailed, "Hostname match not found")
            }
        }
    }

    private func verdict(
        on token: String,
        orElse refusal: ErrorCode,
        _ context: CallContext
    ) async throws -> RecaptchaVerifier.Verdict {
        do { return try await verifier.verdict(on: token, address: context.address) } catch {
            throw APIError(refusal, cause: error)
        }
    }

    // Tokens of apps name no host.
    private func isOurs(_ host: String?, _ configuration: ScopeConfiguration) -> Bool {
        guard let host else { return true }
        return HostName(host).map(AuthorizedHosts(configuration.policy.authorizedDomains, publicURL: publicURL()).contains)
            ?? false
    }
}
