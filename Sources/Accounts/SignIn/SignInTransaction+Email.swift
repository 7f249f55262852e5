import Passwords
import Project
import Storage
import Tokens

// The account changes of a password, an e-mail link and a custom token (`Docs/Contract/client-accounts.md` §1 to §4).
extension SignInPipeline.SignInTransaction {
    /// Signs in with a checked password. The account must still have the password that was checked.
    func apply(_ password: SignInProof.CheckedPassword, in transaction: Transaction) throws -> SignInOutcome<StoredSignIn> {
        guard var account = try transaction.account(scope, localID: password.localID),
            account.passwordHash == password.storedText
        else { throw APIError(policy.hidesAccounts ? .invalidLoginCredentials : .invalidPassword) }
        guard let rehashed = password.rehashedText else {
            return try store(SignInChange(account: account, origin: .unchanged), in: transaction)
        }
        let old = account
        account.passwordHash = rehashed
        return try store(SignInChange(account: account, origin: .changed(from: old)), in: transaction)
    }

    /// Signs up with a password, or adds one to the signed-in account.
    func apply(_ password: SignInProof.NewPassword, in transaction: Transaction) throws -> SignInOutcome<StoredSignIn> {
        let holder = try transaction.account(scope, email: password.email)
        if let token = proof.linkTo {
            return try store(try adding(password, by: token, holder: holder, in: transaction), in: transaction)
        }
        if holder != nil { throw APIError(.emailExists) }
        if policy.disablesUserSignUp { throw APIError(.adminOnlyOperation) }
        var account = draft.account
        account.takeName(password)
        account.takePassword(password, at: draft.time)
        account.secondFactors = proof.secondFactors
        return try store(SignInChange(account: account, origin: .created), in: transaction)
    }

    // Adds a password to the account of a session; `holder` is the account that has its address.
    private func adding(
        _ password: SignInProof.NewPassword,
        by token: VerifiedIDToken,
        holder: AccountRecord?,
        in transaction: Transaction
    ) throws -> SignInChange {
        // The account's own address may get a password (`Docs/Contract/rulings.md` 26); an address of another account is refused.
        if let holder, !password.mayKeepAddress || holder.localID != token.localID {
            throw APIError(.emailExists).about(heldBy: holder.localID == token.localID ? nil : holder.localID)
        }
        let old = try IDTokenRules.authorizedAccount(of: token, in: transaction)
        try recentLogin.checkPassword(token, of: old, email: password.email, policy, at: draft.time, in: transaction)
        var account = old
        account.takeName(password)
        account.takePassword(password, at: draft.time)
        if !proof.secondFactors.isEmpty { account.secondFactors = proof.secondFactors }
        if policy.proofsEndUnprovenCredentials { try transaction.forgetAddressChanges(of: account, scope) }
        try transaction.revokeSessions(scope, localID: account.localID, at: draft.time)
        return SignInChange(
            account: account,
            origin: .changed(from: old),
            revokesSessions: true,
            secondFactor: password.mayKeepAddress ? token.secondFactor : nil
        )
    }

    /// Signs in with an e-mail link. The code is used up before the account of the address is checked, so a refusal of the account
    /// is a value.
    func apply(_ link: SignInProof.EmailLink, in transaction: Transaction) throws -> SignInOutcome<StoredSignIn> {
        let signedIn = try proof.linkTo.map { try IDTokenRules.authorizedAccount(of: $0, in: transaction) }
        if let token = proof.linkTo, let signedIn, signedIn.email != link.email {
            let replaces = signedIn.email != nil
            try recentLogin.checkLink(token, to: signedIn, replaces: replaces, policy.mfa, at: draft.time, in: transaction)
        }
        try useUp(link, in: transaction)
        let holder = try transaction.account(scope, email: link.email)
        let givesUp =
            policy.proofsEndUnprovenCredentials && holder?.outlivesTakeover == true && holder?.localID != signedIn?.localID
        let owner = givesUp ? nil : holder
        if (signedIn ?? owner)?.isDisabled == true { return .refused(.userDisabled) }
        if let signedIn, let owner, owner.localID != signedIn.localID {
            return .refused(.emailExists, heldBy: owner.localID)
        }
        // A proven address changes only by a change code, which notifies its owner (`Docs/Contract/rulings.md` 36). The refusal
        // keeps the code.
        if policy.proofsEndUnprovenCredentials, let signedIn, signedIn.email != link.email, signedIn.hadProvenAddress {
            throw RecentLoginRule.unverifiedAddress
        }
        if signedIn == nil, owner == nil, policy.disablesUserSignUp { return .refused(.adminOnlyOperation) }
        if let holder, givesUp { try release(holder, in: transaction) }
        if let old = signedIn ?? owner {
            if !old.hasProvenAddress, waitsForFactor(of: old, wipes: true) {
                return try postpone(.email(link.email), of: old, in: transaction)
            }
            return try store(try proving(link.email, of: old, in: transaction), in: transaction)
        }
        var account = draft.account
        account.proveEmail(link.email)
        account.emailProvenAt = draft.time
        return try store(SignInChange(account: account, origin: .created), in: transaction)
    }

    private func useUp(_ link: SignInProof.EmailLink, in transaction: Transaction) throws {
        let code = try OOBCodeRules.usable(
            try transaction.oobCode(scope, hash: link.codeHash),
            as: .emailSignIn,
            at: draft.time
        )
        guard code.email == link.email else {
            throw APIError(.invalidEmail, "The email provided does not match the sign-in email address.").about(code)
        }
        guard try transaction.deleteOOBCode(scope, hash: code.hash) else { throw APIError(.invalidOOBCode) }
    }

    func proving(_ email: String, of old: AccountRecord, in transaction: Transaction) throws -> SignInChange {
        var account = old
        let proves = policy.proofsEndUnprovenCredentials && (!old.hasProvenAddress || old.email != email)
        // A session and the mailbox together prove one owner; the mailbox alone does not prove who set the account up.
        let wipes = proves && proof.linkTo == nil
        let before = wipes && events.isOn ? try transaction.identities(scope, localID: old.localID) : nil
        if proves { try end(wipes ? .takeover : .ownAddress, of: &account, in: transaction) }
        account.proveEmail(email)
        return SignInChange(account: account, origin: .changed(from: old), identitiesBefore: before, revokesSessions: wipes)
    }

    /// Signs in with a custom token. A missing account is created.
    func apply(_ custom: SignInProof.CustomIdentity, in transaction: Transaction) throws -> SignInOutcome<StoredSignIn> {
        let old = try transaction.account(scope, localID: custom.localID)
        if old == nil, policy.disablesUserSignUp { throw APIError(.adminOnlyOperation) }
        var account = old ?? AccountRecord(localID: custom.localID, createdAt: draft.createdAt)
        // An operator's session leaves no trace in the account.
        if old == nil || !ActorClaim.isIn(custom.claims) { account.hasCustomAuth = true }
        return try store(SignInChange(account: account, origin: old.map { .changed(from: $0) } ?? .created), in: transaction)
    }
}

extension AccountRecord {
    fileprivate mutating func takePassword(_ password: SignInProof.NewPassword, at time: Timestamp) {
        if !password.mayKeepAddress || email != password.email {
            email = password.email
            emailVerified = false
        }
        setPassword(password.storedText, at: time)
    }

    fileprivate mutating func takeName(_ password: SignInProof.NewPassword) {
        if let name = password.displayName { displayName = name.isEmpty ? nil : name }
    }

    fileprivate mutating func proveEmail(_ email: String) {
        self.email = email
        emailVerified = true
        hasEmailLinkSignIn = true
    }

    /// Sets a password and invalidates all earlier tokens.
    mutating func setPassword(_ storedText: String, at time: Timestamp) {
        passwordHash = storedText
        passwordUpdatedAt = time
        endTokens(at: time)
        passwordGeneration = proofGeneration
    }
}
