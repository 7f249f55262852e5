import Project
import Storage

// The account changes of a second factor and a passkey (`Docs/Contract/phone-and-mfa.md` §8.2, §9).
extension SignInPipeline.Apply {
    /// Completes a sign-in with the second factor. The pending credential is used up, and the session has both factors.
    func apply(_ shown: SignInProof.ShownFactor, in transaction: any Transaction) throws -> SignInOutcome<Admission> {
        let old = try PendingSecondFactors.account(of: shown.first, scope, in: transaction)
        var account = old
        let expiry = Timestamp(milliseconds: shown.first.expiresAt)
        guard try transaction.useCredential(scope, hash: sha256(shown.first.id), expiresAt: expiry) else {
            throw APIError(.invalidMFAPendingCredential)
        }
        let index = try require(
            account.secondFactors.firstIndex { $0.enrollmentID == shown.enrollmentID },
            .mfaEnrollmentNotFound
        )
        switch shown.evidence {
        case .number(let number):
            guard account.secondFactors[index].phoneNumber == number else { throw APIError(.mfaEnrollmentNotFound) }
        case .code(let code, let secrets, let adjacentIntervals):
            account.secondFactors[index] = try secrets.check(
                code,
                of: account.secondFactors[index],
                adjacentIntervals: adjacentIntervals,
                scope: scope,
                at: draft.time
            )
        }
        var change = Change(account: account, origin: .changed(from: old))
        change.secondFactor = UsedSecondFactor(
            kind: account.secondFactors[index].kindName,
            enrollmentID: shown.enrollmentID
        )
        return try store(change, in: transaction)
    }

    /// Signs in with a passkey, whose assertion was verified against an earlier reading of the store.
    func apply(_ passkey: SignInProof.CheckedPasskey, in transaction: any Transaction) throws -> SignInOutcome<Admission> {
        guard let stored = try transaction.passkey(scope, credentialID: passkey.credentialID),
            stored.localID == passkey.localID, stored.publicKey == passkey.publicKey,
            let account = try transaction.account(scope, localID: stored.localID)
        else { throw APIError(.passkeyCredentialNotFound) }
        if let assertion = passkey.assertion {
            guard try transaction.useCredential(scope, hash: assertion.challengeHash, expiresAt: assertion.expiresAt) else {
                throw APIError(.invalidAuthenticatorResponse, "The challenge was used before.")
            }
            // WebAuthn §7.2 step 22: a counter that does not grow indicates a copied authenticator.
            if assertion.signCount != 0 || stored.signCount != 0 {
                guard assertion.signCount > stored.signCount else {
                    throw APIError(.invalidAuthenticatorResponse, "The signature counter went back.")
                }
                try transaction.updatePasskey(scope, credentialID: stored.credentialID, signCount: assertion.signCount)
            }
        }
        return try store(Change(account: account, origin: .unchanged), in: transaction)
    }
}
