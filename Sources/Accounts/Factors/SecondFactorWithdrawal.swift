package import Project
import Storage
import Tenancy
import Tokens

/// Withdraws second factors (`Docs/Contract/phone-and-mfa.md` §7.3).
package struct SecondFactorWithdrawal: Grounded {
    let ground: Ground
    let renewal: SessionRenewal

    /// Removes a factor from the caller's account.
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
        let mfa = try await configurations.configuration(of: token.scope).policy.mfa
        let (draft, renewal, recentLogin, mode) = (renewal.draft(context), renewal, recentLogin, mode)
        let subject = try await database.write { transaction in
            var account = try IDTokenRules.account(of: token, in: transaction)
            let index = try require(
                account.secondFactors.firstIndex { $0.enrollmentID == enrollmentID },
                .mfaEnrollmentNotFound
            )
            try recentLogin.checkSensitive(token, account, mfa, at: draft.time)
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
        return try renewal.complete(subject, draft)
    }
}
