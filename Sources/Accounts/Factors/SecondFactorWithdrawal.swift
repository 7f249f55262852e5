import Messaging
package import Project
import Storage
import Tenancy
import Tokens

/// Withdraws second factors (`Docs/Contract/phone-and-mfa.md` §7.3).
package struct SecondFactorWithdrawal: Grounded {
    let ground: Ground
    let notices: OOBNotices
    let renewal: SessionRenewal

    /// Removes a factor from the caller's account, and tells the owner.
    ///
    /// - Parameters:
    ///   - enrollmentID: `mfaEnrollmentId`
    ///   - idToken: The caller's token.
    ///   - context: The call.
    /// - Returns: Tokens of a session without a second factor.
    /// - Throws: `APIError` in the contract's order; `StorageError`.
    package func run(enrollmentID: String?, idToken: String?, context: CallContext) async throws -> IssuedTokens {
        let token = try idTokens.verify(try require(idToken, .missingIDToken), scope: context.scope)
        let context = context.inScope(token.scope)
        let configuration = try await configurations.configuration(of: token.scope)
        let mfa = configuration.policy.mfa
        let reporter = notices.reporter(configuration, context: context)
        let (draft, renewal, recentLogin, mode) = (renewal.draft(context), renewal, recentLogin, mode)
        let subject = try await database.write { transaction in
            var account = try IDTokenRules.account(of: token, in: transaction)
            let index = try require(
                account.secondFactors.firstIndex { $0.enrollmentID == enrollmentID },
                .mfaEnrollmentNotFound
            )
            try recentLogin.check(token, at: draft.time)
            try recentLogin.checkSecondFactor(token, account, mfa, in: transaction)
            try reporter?.report([.secondFactorRemoved], of: account, token.scope, at: draft.time, in: transaction)
            let factor = account.secondFactors.remove(at: index)
            account.showsNoSecondFactors = mode.showsWhatWasEmptied
            let change = SessionRenewal.Change(
                token: token,
                account: account,
                name: "mfaWithdrawal",
                events: [.mfaWithdrawn(factor)]
            )
            return try renewal.store(change, draft, in: transaction)
        }
        reporter?.announce()
        return try renewal.complete(subject, draft)
    }
}
