import Project
import Storage

// The account changes of a second factor and a passkey (`Docs/Contract/phone-and-mfa.md` §8.2, §9).
extension SignInPipeline.SignInTransaction {
    /// Completes a sign-in with the second factor. The pending credential is used up, and the session has both factors.
    func apply(_ shown: SignInProof.ShownFactor, in transaction: Transaction) throws -> SignInOutcome<StoredSignIn> {
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
        case .code(let code, let secrets, let adjacentIntervals, let sentAt):
            account.secondFactors[index] = try secrets.check(
                code,
                of: account.secondFactors[index],
                adjacentIntervals: adjacentIntervals,
                scope: scope,
                at: sentAt
            )
        }
        var change = SignInChange(account: account, origin: .changed(from: old))
        change.secondFactor = UsedSecondFactor(
            kind: account.secondFactors[index].kindName,
            enrollmentID: shown.enrollmentID
        )
        if let postponed = shown.first.postponed { change = try taking(postponed, into: change, in: transaction) }
        return try store(change, in: transaction)
    }

    /// Whether a proof that takes an account over waits for the account's second factor. A person who has only the mailbox, or the address
    /// at a provider, then leaves nothing in the account and ends nothing of its owner's.
    func waitsForFactor(of owner: AccountRecord, wipes: Bool) -> Bool {
        guard policy.proofsEndUnprovenCredentials, proof.linkTo == nil, proof.leadsToSecondFactor, !owner.isDisabled else {
            return false
        }
        var left = owner
        if wipes { left.secondFactors = owner.factorsAfterTakeover }
        return policy.mfa.demandsSecondFactor(of: left)
    }

    /// Accepts the first factor, and leaves the account as it is. The credential of the first factor keeps what it proved.
    func postpone(
        _ postponed: PostponedProof,
        of owner: AccountRecord,
        isEmailRecycled: Bool = false,
        in transaction: Transaction
    ) throws -> SignInOutcome<StoredSignIn> {
        try transaction.insertAuditEvent(scope, try audit(.firstFactor, of: owner, id: draft.eventID))
        let view = AccountView(
            scope: scope,
            account: owner,
            identities: try transaction.identities(scope, localID: owner.localID)
        )
        return .accepted(
            StoredSignIn(
                view: view,
                isNewUser: false,
                isEmailRecycled: isEmailRecycled,
                stage: .secondFactor(postponed)
            )
        )
    }

    // What the first factor proved is decided again: it must still lead to this account.
    private func taking(
        _ postponed: PostponedProof,
        into change: SignInChange,
        in transaction: Transaction
    ) throws -> SignInChange {
        let account = change.account
        var taken = change
        switch postponed {
        case .email(let email):
            guard account.email == email else { throw APIError(.invalidMFAPendingCredential) }
            taken = try proving(email, of: account, in: transaction)
        case .identity(let identity):
            switch try decide(identity, in: transaction) {
            case .signIn(let holder) where holder.localID == account.localID: taken.identity = identity
            case .takeOver(let owner, let recycles, let wipes) where owner.localID == account.localID:
                taken = try takingOver(account, by: identity, wipes: wipes, in: transaction)
                taken.isEmailRecycled = recycles
            default: throw APIError(.invalidMFAPendingCredential)
            }
        }
        taken.origin = change.origin
        taken.secondFactor = change.secondFactor
        return taken
    }

    /// Signs in with a passkey, whose assertion was verified against an earlier reading of the store.
    func apply(_ passkey: SignInProof.CheckedPasskey, in transaction: Transaction) throws -> SignInOutcome<StoredSignIn> {
        guard let stored = try transaction.passkey(scope, credentialID: passkey.credentialID),
            stored.localID == passkey.localID, stored.publicKey == passkey.publicKey,
            let account = try transaction.account(scope, localID: stored.localID)
        else { throw APIError(.passkeyCredentialNotFound) }
        if let assertion = passkey.assertion {
            try assertion.accept(after: stored.signCount, in: transaction)
            if assertion.signCount != stored.signCount {
                try transaction.updatePasskey(scope, credentialID: stored.credentialID, signCount: assertion.signCount)
            }
        }
        return try store(SignInChange(account: account, origin: .unchanged), in: transaction)
    }
}
