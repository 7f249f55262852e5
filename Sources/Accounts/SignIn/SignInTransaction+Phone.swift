package import Project
import Storage

extension SignInProof {
    /// A phone number that was proven by a code, now or earlier.
    package struct ProvenPhone: Sendable {
        /// The number in E.164.
        package let number: String
        /// The temporary proof that the sign-in uses up.
        package var usedProof: UsedProof?
        /// Whether an account must already have the number.
        package var mustHaveOwner = false

        /// A proof that can be used once.
        package struct UsedProof: Sendable {
            package let hash: [UInt8]
            package let expiresAt: Timestamp
            /// See ``TemporaryProofs/mark(of:)``.
            package let ownerMark: String
        }

        /// The error for accounts with second factors, which a phone number as first factor would bypass
        /// (`Docs/Contract/phone-and-mfa.md` §1, row 4).
        static var hasSecondFactors: APIError {
            APIError(
                .unsupportedFirstFactor,
                "A phone number cannot be set as a first factor on an SMS based MFA user."
            )
        }
    }
}

// The account changes of a proven phone number (`Docs/Contract/phone-and-mfa.md` §2, rows 4 to 10).
extension SignInPipeline.SignInTransaction {
    func apply(_ phone: SignInProof.ProvenPhone, in transaction: Transaction) throws -> SignInOutcome<StoredSignIn> {
        let signedIn = try proof.linkTo.map { try IDTokenRules.authorizedAccount(of: $0, in: transaction) }
        let owner = try transaction.account(scope, phoneNumber: phone.number)
        // The number's owner may be answered with a proof of the number, so this refusal is an outcome.
        if let signedIn, let owner, owner.localID != signedIn.localID {
            return .refused(.phoneNumberExists, heldBy: owner.localID)
        }
        if phone.mustHaveOwner, owner == nil { throw APIError(.userNotFound) }
        if owner == nil, signedIn == nil, policy.disablesUserSignUp { throw APIError(.adminOnlyOperation) }
        if let target = signedIn ?? owner {
            if target.isDisabled { throw APIError(.userDisabled) }
            if !target.secondFactors.isEmpty { throw SignInProof.ProvenPhone.hasSecondFactors }
        }
        // A number that the account already has is no new way to sign in.
        if let token = proof.linkTo, signedIn?.phoneNumber != phone.number {
            let replaces = signedIn?.phoneNumber != nil
            try recentLogin.checkLink(token, to: signedIn, replaces: replaces, policy.mfa, at: draft.time, in: transaction)
        }
        if let used = phone.usedProof {
            // Without an owner there is no mark to compare.
            if let owner, used.ownerMark != TemporaryProofs.mark(of: owner) { throw APIError(.invalidTemporaryProof) }
            guard try transaction.useCredential(scope, hash: used.hash, expiresAt: used.expiresAt) else {
                throw APIError(.invalidTemporaryProof)
            }
        }
        let old = signedIn ?? owner
        var account = old ?? draft.account
        account.take(phoneNumber: phone.number, at: draft.time)
        let origin: SignInChange.Origin = old.map { $0 == account ? .unchanged : .changed(from: $0) } ?? .created
        return try store(SignInChange(account: account, origin: origin), in: transaction)
    }
}
