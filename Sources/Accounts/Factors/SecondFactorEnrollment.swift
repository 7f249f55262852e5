package import Project
package import Storage
import Tenancy
import Tokens

/// Enrols second factors (`Docs/Contract/phone-and-mfa.md` §7.1, §7.2).
package struct SecondFactorEnrollment: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules
    let smsCodes: SMSCodeService
    let notices: OOBNotices
    let renewal: SessionRenewal
    let secrets: TOTPSecrets

    package enum Factor: Sendable {
        case phone(number: String?, AppProof)
        case totp
    }

    /// The proof that the user has the factor.
    package enum Verification: Sendable {
        /// `hasAndroidProof`: Android's SDK sends a proof that it obtained from Google, too. Development refuses it, as the emulator
        /// does; production takes the code beside it.
        case phone(sessionInfo: String?, code: String?, hasAndroidProof: Bool)
        case totp(sessionInfo: String?, code: String?)
    }

    /// An enrolment that has begun.
    package enum Started: Sendable {
        /// `sessionInfo` of the code that was sent.
        case phone(sessionInfo: String)
        case totp(TOTPSecrets.Offer)
    }

    /// Begins an enrolment. The account does not change.
    package func start(_ factor: Factor?, idToken: String?, context: CallContext) async throws -> Started {
        let gate: SecondFactorRules.Gate = if case .totp = factor { .totp } else { .sms }
        let caller = try await caller(idToken, gate, context)
        try SecondFactorRules.checkFirstFactor(caller.token.signInProvider)
        let account = caller.account
        guard account.email != nil, account.emailVerified == true else {
            throw APIError(.unverifiedEmail, "Need to verify email first before enrolling second factors.")
        }
        try idTokens.recentLogin.check(caller.token, at: environment.now())
        switch factor {
        case nil: throw APIError(.invalidArgument, "((Missing phoneEnrollmentInfo.))")
        case .totp:
            try SecondFactorRules.checkCount(of: account)
            try idTokens.recentLogin.checkSecondFactor(caller.token, account, caller.configuration.policy.mfa, in: nil)
            return .totp(try secrets.offer(to: account, scope: caller.token.scope))
        case .phone(let text, let proof):
            guard let number = PhoneNumber.canonical(text, mode: mode) else {
                throw APIError(.invalidPhoneNumber, "Invalid format.")
            }
            try SecondFactorRules.checkIsNew(number, for: account)
            try SecondFactorRules.checkCount(of: account)
            try idTokens.recentLogin.checkSecondFactor(caller.token, account, caller.configuration.policy.mfa, in: nil)
            let request = SMSCodeRequest(
                phoneNumber: number,
                purpose: .enrollment(of: account),
                proof: proof
            )
            return .phone(sessionInfo: try await smsCodes.send(request, context: caller.context))
        }
    }

    /// Completes an enrolment: stores the factor and notifies the account's owner.
    ///
    /// - Throws: ``NotImplemented``.
    package func finalize(
        _ verification: Verification?,
        idToken: String?,
        displayName: String?,
        context: CallContext
    ) async throws -> (factor: SecondFactor, tokens: IssuedTokens) {
        let gate: SecondFactorRules.Gate = if case .totp = verification { .totp } else { .sms }
        let caller = try await caller(idToken, gate, context)
        try SecondFactorRules.checkFirstFactor(caller.token.signInProvider)
        let proven = try await proven(by: verification, caller, displayName: displayName)
        let notice = try notices.secondFactorAdded(
            to: caller.account,
            enrollmentID: proven.factor.enrollmentID,
            caller.configuration,
            context: caller.context
        )
        let (draft, renewal, recentLogin, mode) = (renewal.draft(caller.context), renewal, idTokens.recentLogin, mode)
        let subject = try await database.write { transaction in
            let change = try proven.change(caller, draft, recentLogin, mode, in: transaction)
            try notice?.insert(of: caller.account, caller.token.scope, in: transaction)
            return try renewal.store(change, draft, in: transaction)
        }
        notices.announce(notice)
        return (proven.factor, try renewal.complete(subject, draft))
    }

    private struct Caller: Sendable {
        let token: VerifiedIDToken
        let account: AccountRecord
        let configuration: ScopeConfiguration
        let context: CallContext
    }

    private func caller(
        _ idToken: String?,
        _ gate: SecondFactorRules.Gate,
        _ context: CallContext
    ) async throws -> Caller {
        // The token selects its tenant. The tenant's rules are checked before the token's own errors are reported.
        var context = context
        let token = idTokens.select(idToken, in: &context)
        let configuration = try await configurations.configuration(of: context.scope)
        try gate.check(configuration.policy.mfa)
        let verified = try require(token, .missingIDToken).get()
        let account = try await database.read { try IDTokenRules.authorizedAccount(of: verified, in: $0) }
        return Caller(token: verified, account: account, configuration: configuration, context: context)
    }

    // A factor that its user has proven.
    private struct ProvenFactor: Sendable {
        let factor: SecondFactor
        /// The session of a TOTP secret, which is used up.
        var session: TOTPSecrets.Session?

        /// Adds the factor to the caller's account as it is stored now.
        func change(
            _ caller: Caller,
            _ draft: SessionRenewal.Draft,
            _ recentLogin: RecentLoginRule,
            _ mode: ModeRules,
            in transaction: Transaction
        ) throws -> SessionRenewal.SignInMethodChange {
            var account = try IDTokenRules.authorizedAccount(of: caller.token, in: transaction)
            // A proof of ownership since the start invalidates the enrolment.
            guard account.proofGeneration == caller.account.proofGeneration else { throw APIError(.invalidSessionInfo) }
            if let session {
                let expiry = Timestamp(milliseconds: session.expiresAt)
                guard try transaction.useCredential(caller.token.scope, hash: sha256(session.id), expiresAt: expiry) else {
                    throw APIError(.invalidSessionInfo)
                }
            }
            if let number = factor.phoneNumber { try SecondFactorRules.checkIsNew(number, for: account) }
            try SecondFactorRules.checkCount(of: account)
            // Another factor may have been enrolled since the start.
            try recentLogin.checkSecondFactor(caller.token, account, caller.configuration.policy.mfa, in: transaction)
            if account.secondFactors.isEmpty, mode.forgetsAddressChanges {
                // A session without the factor could go on with them.
                try transaction.forgetAddressChanges(of: account, caller.token.scope)
            }
            var factor = factor
            factor.enrollingToken = caller.token.mark
            if let shown = caller.token.secondFactor, caller.token.showsSecondFactor(of: account) {
                factor.enrolledBeside = SecondFactor.Earlier(factor: shown, sessionID: draft.session.sessionID)
            }
            account.secondFactors.append(factor)
            return SessionRenewal.SignInMethodChange(
                token: caller.token,
                account: account,
                kind: .mfaEnrollment,
                events: [.mfaEnrolled(factor)],
                secondFactor: UsedSecondFactor(kind: factor.kindName, enrollmentID: factor.enrollmentID)
            )
        }
    }

    private func proven(
        by verification: Verification?,
        _ caller: Caller,
        displayName: String?
    ) async throws -> ProvenFactor {
        switch verification {
        case nil: throw APIError(.invalidArgument, "((Missing phoneVerificationInfo.))")
        case .phone(_, _, hasAndroidProof: true) where mode.refusesAndroidProofs:
            throw NotImplemented("androidVerificationProof")
        case .phone(let sessionInfo, let code, _):
            let code = try require(code, .missingCode)
            let number = try await smsCodes.redeem(
                sessionInfo: try require(sessionInfo, .missingSessionInfo),
                code: code,
                for: .enrollment(of: caller.account),
                context: caller.context
            )
            return ProvenFactor(factor: factor(.phone(number: number), displayName))
        case .totp(let sessionInfo, let code):
            let code = try require(code, .missingCode)
            let session = try secrets.open(
                try require(sessionInfo, .missingSessionInfo),
                of: caller.account,
                scope: caller.token.scope
            )
            let step = TOTP.acceptedStep(
                code,
                secret: session.secret,
                after: nil,
                adjacentIntervals: caller.configuration.policy.mfa.totpAdjacentIntervals ?? 0,
                at: environment.now()
            )
            let timeStep = try require(step, .invalidCode)
            let sealed = try secrets.sealed(session.secret, scope: caller.token.scope)
            var factor = factor(.totp(sealedSecret: sealed), displayName)
            factor.lastTimeStep = timeStep
            return ProvenFactor(factor: factor, session: session)
        }
    }

    private func factor(_ kind: SecondFactor.Kind, _ displayName: String?) -> SecondFactor {
        SecondFactor(
            enrollmentID: environment.newLocalID(),
            displayName: displayName,
            enrolledAt: environment.now(),
            kind: kind
        )
    }
}
