import Messaging
package import Project
import Storage
import Tenancy
import Tokens

/// Withdraws second factors (`Docs/Contract/phone-and-mfa.md` §7.3).
package struct SecondFactorWithdrawal: UsesRuntime {
    let runtime: Runtime
    let idTokens: IDTokenRules
    let notices: OOBNotices
    let renewal: SessionRenewal

    /// Removes a factor from the caller's account, and tells the owner.
    ///
    /// - Returns: Tokens of a session. It keeps the second factor that its sign-in showed while the account has that one.
    package func withdraw(enrollmentID: String?, idToken: String?, context: CallContext) async throws -> IssuedTokens {
        let token = try idTokens.verify(try require(idToken, .missingIDToken), scope: context.scope)
        let context = context.inScope(token.scope)
        let configuration = try await configurations.configuration(of: token.scope)
        let mfa = configuration.policy.mfa
        let reporter = notices.reporter(configuration, context: context)
        let (draft, renewal, recentLogin, mode) = (renewal.draft(context), renewal, idTokens.recentLogin, mode)
        let subject = try await database.write { transaction in
            var account = try IDTokenRules.authorizedAccount(of: token, in: transaction)
            let index = try require(
                account.secondFactors.firstIndex { $0.enrollmentID == enrollmentID },
                .mfaEnrollmentNotFound
            )
            try recentLogin.check(token, at: draft.time)
            try recentLogin.checkSecondFactor(token, account, mfa, in: transaction)
            try reporter?.report([.secondFactorRemoved], of: account, token.scope, at: draft.time, in: transaction)
            let factor = account.secondFactors.remove(at: index)
            account.showsNoSecondFactors = mode.showsWhatWasEmptied
            let change = SessionRenewal.SignInMethodChange(
                token: token,
                account: account,
                kind: .mfaWithdrawal,
                events: [.mfaWithdrawn(factor)],
                secondFactor: mode.keepsShownSecondFactor ? token.factorLeft(of: account, without: factor) : nil,
                isRemoval: true
            )
            return try renewal.store(change, draft, in: transaction)
        }
        reporter?.announce()
        return try renewal.complete(subject, draft)
    }
}

extension VerifiedIDToken {
    /// The second factor that the session has shown and that its account still has.
    ///
    /// - Parameter removed: The factor that was removed. If the session enrolled it, its token no longer tells of the one that it
    ///   showed before.
    fileprivate func factorLeft(of account: AccountRecord, without removed: SecondFactor) -> UsedSecondFactor? {
        if showsSecondFactor(of: account) { return secondFactor }
        guard secondFactor?.enrollmentID == removed.enrollmentID, let earlier = removed.enrolledBeside,
            case .session(let id) = life, bytesEqual(id, earlier.sessionID),
            account.secondFactors.contains(where: { $0.enrollmentID == earlier.factor.enrollmentID })
        else { return nil }
        return earlier.factor
    }
}
