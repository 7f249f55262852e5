package import Project
import Storage
import Tenancy

/// Completes sign-ins with a second factor (`Docs/Contract/phone-and-mfa.md` §8).
package struct SecondFactorSignIn: UsesRuntime {
    let runtime: Runtime
    let throttle: Throttle
    let smsCodes: SMSCodeService
    let pipeline: SignInPipeline
    let secrets: TOTPSecrets

    package enum Verification: Sendable {
        case phone(sessionInfo: String?, code: String?)
        case totp(enrollmentID: String?, code: String?)
    }

    /// Sends a code to an enrolled number.
    ///
    /// - Returns: `sessionInfo`
    package func start(
        credential: String?,
        enrollmentID: String?,
        proof: AppProof,
        context: CallContext
    ) async throws -> String {
        let policy = try await configurations.configuration(of: context.scope).policy
        try SecondFactorRules.Gate.sms.check(policy.mfa)
        guard let credential else {
            throw APIError(.missingMFAPendingCredential, "Request does not have MFA pending credential.")
        }
        guard let enrollmentID else { throw Self.missingEnrollment }
        let first = try pipeline.pendingFactors.open(credential, scope: context.scope)
        let account = try await database.read { transaction in
            // A credential that was used up sends no more messages.
            if try transaction.usedCredentialExpiry(context.scope, hash: sha256(first.id)) != nil {
                throw APIError(.invalidMFAPendingCredential)
            }
            return try PendingSecondFactors.account(of: first, context.scope, in: transaction)
        }
        let factor = try require(account.secondFactors.first { $0.enrollmentID == enrollmentID }, .mfaEnrollmentNotFound)
        guard let number = factor.phoneNumber else {
            throw APIError(.invalidArgument, SecondFactorRules.unsupportedFactor)
        }
        let purpose = SMSCodePurpose.secondFactor(of: account, enrollmentID: enrollmentID)
        let request = SMSCodeRequest(phoneNumber: number, purpose: purpose, proof: proof)
        return try await smsCodes.send(request, context: context)
    }

    /// Completes the sign-in.
    ///
    /// - Parameter credential: `mfaPendingCredential`; only success uses it up.
    package func finalize(
        credential: String?,
        _ verification: Verification?,
        context: CallContext
    ) async throws -> AcceptedSignIn.Session {
        // Errors of the configuration and of the form come before the credential's.
        let first = credential.map { text in Result { try pipeline.pendingFactors.open(text, scope: context.scope) } }
        context.refusalFacts.note(provider: "secondFactor", localID: try? first?.get().localID)
        let configuration = try await configurations.configuration(of: context.scope)
        let policy = configuration.policy
        let gate: SecondFactorRules.Gate = if case .totp = verification { .totp } else { .sms }
        try gate.check(policy.mfa)
        guard let first else { throw APIError(.missingCredential, "Please set MFA Pending Credential.") }
        switch verification {
        case nil: throw APIError(.invalidArgument, SecondFactorRules.unsupportedFactor)
        case .phone(let sessionInfo, let code):
            let code = try require(code, .missingCode)
            let sessionInfo = try require(sessionInfo, .missingSessionInfo)
            let shown = try await shownNumber(sessionInfo, code, after: first, context)
            return try await complete(shown, configuration, context)
        case .totp(let enrollmentID, let code):
            let shown = try await shownCode(code, of: enrollmentID, after: first.get(), policy.mfa, context)
            // The code counts as a wrong guess from before it is checked until it has proven right.
            let attempt = try await throttle.secondFactorAttempt(localID: shown.first.localID, context: context)
            return try await throttle.checking(attempt, outcome: Self.outcome) {
                try await complete(shown, configuration, context)
            }
        }
    }

    private func shownNumber(
        _ sessionInfo: String,
        _ code: String,
        after opened: Result<PendingSecondFactor, any Error>,
        _ context: CallContext
    ) async throws -> SignInProof.ShownFactor {
        let (first, account): (PendingSecondFactor, AccountRecord)
        do {
            first = try opened.get()
            account = try await holder(of: first, context)
        } catch let refusal as APIError {
            // Errors of session and code come before the credential's.
            try await smsCodes.checkSecondFactor(sessionInfo: sessionInfo, code: code, context: context)
            throw refusal
        }
        return try await redeem(sessionInfo, code, first, account, context)
    }

    private func shownCode(
        _ code: String?,
        of enrollmentID: String?,
        after first: PendingSecondFactor,
        _ mfa: MFAPolicy,
        _ context: CallContext
    ) async throws -> SignInProof.ShownFactor {
        guard let enrollmentID else { throw Self.missingEnrollment }
        try await checkTOTP(enrollmentID, first, context)
        return SignInProof.ShownFactor(
            first: first,
            enrollmentID: enrollmentID,
            evidence: .code(
                try require(code, .missingCode),
                secrets,
                adjacentIntervals: mfa.totpAdjacentIntervals ?? 0,
                sentAt: environment.now()
            )
        )
    }

    private static func outcome(of error: any Error) -> Throttle.GuessOutcome {
        switch error {
        // The code was right, so the function's refusal does not count as a wrong guess.
        case let error as APIError where error.code == .blockingFunctionErrorResponse: .right
        case let error as APIError where !error.isOverload: .wrong
        case StorageError.busy, is APIError, is CancellationError: .unchecked
        default: .unknown
        }
    }

    private func holder(of first: PendingSecondFactor, _ context: CallContext) async throws -> AccountRecord {
        try await database.read { try PendingSecondFactors.account(of: first, context.scope, in: $0) }
    }

    // The request names no enrolment, but a code is valid for one only, so each phone factor is tried.
    private func redeem(
        _ sessionInfo: String,
        _ code: String,
        _ first: PendingSecondFactor,
        _ account: AccountRecord,
        _ context: CallContext
    ) async throws -> SignInProof.ShownFactor {
        for factor in account.secondFactors where factor.phoneNumber != nil {
            let purpose = SMSCodePurpose.secondFactor(of: account, enrollmentID: factor.enrollmentID)
            do {
                let number = try await smsCodes.redeem(sessionInfo: sessionInfo, code: code, for: purpose, context: context)
                return SignInProof.ShownFactor(first: first, enrollmentID: factor.enrollmentID, evidence: .number(number))
            } catch let error as APIError where error.code == .invalidSessionInfo {
                // The session is of another factor.
                continue
            }
        }
        // The session may be of a factor that was removed. Then a right code must not be reported as wrong.
        try await smsCodes.checkSecondFactor(sessionInfo: sessionInfo, code: code, context: context)
        throw APIError(.mfaEnrollmentNotFound)
    }

    private func checkTOTP(_ enrollmentID: String, _ first: PendingSecondFactor, _ context: CallContext) async throws {
        let account = try await holder(of: first, context)
        let factor = try require(account.secondFactors.first { $0.enrollmentID == enrollmentID }, .mfaEnrollmentNotFound)
        if factor.phoneNumber != nil { throw APIError(.invalidArgument, SecondFactorRules.unsupportedFactor) }
    }

    private func complete(
        _ shown: SignInProof.ShownFactor,
        _ configuration: ScopeConfiguration,
        _ context: CallContext
    ) async throws -> AcceptedSignIn.Session {
        let proof = SignInProof(method: .secondFactor(shown))
        return try await pipeline.complete(proof, configuration: configuration, context: context).session()
    }

    private static let missingEnrollment = APIError(.missingMFAEnrollmentID, "No second factor identifier is provided.")
}
