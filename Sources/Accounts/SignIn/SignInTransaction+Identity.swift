import Federation
import Project
import Storage
import Tokens

// The account changes of a provider's identity (`Docs/Contract/client-accounts.md` §5.6).
extension SignInPipeline.SignInTransaction {
    /// Signs in with an identity, or links it. A refusal by the account decision is a value, because a refused link may use its
    /// credential up.
    func apply(_ identity: VerifiedIdentity, in transaction: Transaction) throws -> SignInOutcome<StoredSignIn> {
        try checkUnused(identity, in: transaction)
        switch try decide(identity, in: transaction) {
        case .refuse(let code, let heldBy):
            if proof.usesUpRefusedCredential { try useOnce(identity, in: transaction) }
            return .refused(code, heldBy: heldBy)
        case .confirm(let owner, let providers):
            return .needsConfirmation(localID: owner.localID, providers: providers)
        case .signIn(let account):
            return try store(SignInChange(account: account, origin: .unchanged, identity: identity), in: transaction)
        case .create: return try store(creating(identity), in: transaction)
        case .replace(let holder):
            try release(holder, in: transaction)
            return try store(creating(identity), in: transaction)
        case .link(let account, let holder):
            if let holder { try release(holder, in: transaction) }
            return try store(try linking(identity, to: account, in: transaction), in: transaction)
        case .takeOver(let owner, let recycles, let wipes):
            if waitsForFactor(of: owner, wipes: wipes) {
                try useOnce(identity, in: transaction)
                return try postpone(.identity(identity.withoutSecrets), of: owner, isEmailRecycled: recycles, in: transaction)
            }
            var change = try takingOver(owner, by: identity, wipes: wipes, in: transaction)
            change.isEmailRecycled = recycles
            return try store(change, in: transaction)
        }
    }

    private func creating(_ identity: VerifiedIdentity) -> SignInChange {
        var account = AccountChange.created(identity, localID: draft.localID, policy: policy, at: draft.createdAt)
        if account.hasProvenAddress { account.emailProvenAt = draft.time }
        return SignInChange(account: account, origin: .created, identity: identity)
    }

    func decide(
        _ identity: VerifiedIdentity,
        in transaction: Transaction
    ) throws -> AccountResolution.Decision {
        var matches = AccountResolution.Matches(
            holder: try transaction.account(scope, providerID: identity.providerID, rawID: identity.rawID)
        )
        if let binding = identity.binding { try check(binding, against: matches.holder) }
        let linked = try proof.linkTo.map { try account(of: $0, toLink: identity, in: transaction) }
        // A known identity decides alone, so the usual sign-in reads nothing else.
        if matches.holder == nil, let email = identity.email {
            // This comes before the address is read, so that a refusal takes the same time for each.
            if looksUp(identity, linked), !proof.mayLookUpAddress { throw MustCountLookUp() }
            matches.emailOwner = try transaction.account(scope, email: email)
            if let owner = matches.emailOwner {
                matches.emailOwnerIdentities = try transaction.identities(scope, localID: owner.localID)
            }
        }
        guard let linked else {
            return AccountResolution.decideSignIn(identity, matches: matches, policy: policy, autoCreate: proof.autoCreate)
        }
        return AccountResolution.decideLink(identity, to: linked, matches: matches, policy: policy)
    }

    /// The decision would tell who has an address for which the provider does not vouch, and the look-up has not been counted yet.
    struct MustCountLookUp: Error {}

    // Whether the decision tells its caller something new about the identity's address. Nobody has proven that it is the caller's.
    private func looksUp(_ identity: VerifiedIdentity, _ linked: AccountRecord?) -> Bool {
        !identity.isEmailVerified && !policy.allowsDuplicateEmails && (linked == nil || linked?.email != identity.email)
    }

    private func account(
        of token: VerifiedIDToken,
        toLink identity: VerifiedIdentity,
        in transaction: Transaction
    ) throws -> AccountRecord {
        let account = try IDTokenRules.authorizedAccount(of: token, in: transaction)
        let own = try transaction.identities(scope, localID: account.localID).first { $0.providerID == identity.providerID }
        let replaces = own.map { !bytesEqual($0.rawID, identity.rawID) } ?? false
        try recentLogin.checkLink(token, to: account, replaces: replaces, policy.mfa, at: draft.time, in: transaction)
        return account
    }

    private func linking(
        _ identity: VerifiedIdentity,
        to account: AccountRecord,
        in transaction: Transaction
    ) throws -> SignInChange {
        var linked = AccountChange.linked(account, to: identity, policy: policy)
        // The user's own session proves the provider's address, as an e-mail link would, so the ways to sign in stay.
        if policy.proofsEndUnprovenCredentials, linked.hasProvenAddress, !account.hasProvenAddress {
            try end(.ownAddress, of: &linked, in: transaction)
        }
        return SignInChange(account: linked, origin: .changed(from: account), identity: identity)
    }

    func takingOver(
        _ owner: AccountRecord,
        by identity: VerifiedIdentity,
        wipes: Bool,
        in transaction: Transaction
    ) throws -> SignInChange {
        // A takeover does not change a disabled account.
        if owner.isDisabled { throw APIError(.userDisabled) }
        let before = wipes && events.isOn ? try transaction.identities(scope, localID: owner.localID) : nil
        var account = owner
        if wipes {
            try end(policy.proofsEndUnprovenCredentials ? .takeover : .emulatedTakeover, of: &account, in: transaction)
        }
        return SignInChange(
            account: AccountChange.takenOver(account, by: identity),
            origin: .changed(from: owner),
            identity: identity,
            identitiesBefore: before,
            revokesSessions: wipes
        )
    }

    // A sealed credential is refused when its account or the account's generation has changed since.
    private func check(_ binding: VerifiedIdentity.Binding, against holder: AccountRecord?) throws {
        guard let holder, holder.localID == binding.localID, holder.proofGeneration == binding.generation else {
            throw APIError(.invalidPendingToken)
        }
    }

    // This error comes before all errors about accounts (`Docs/Contract/client-accounts.md` §5.3, rows 5 and 8b).
    private func checkUnused(_ identity: VerifiedIdentity, in transaction: Transaction) throws {
        if proof.isRepeatedAnswer { return }
        let entries = identity.singleUses + [identity.refusedAfter].compactMap { $0 }
        for entry in entries where try transaction.usedCredentialExpiry(scope, hash: entry.hash) != nil {
            throw usedBefore(identity)
        }
    }

    private func usedBefore(_ identity: VerifiedIdentity) -> APIError {
        if proof.isPendingCredential { return APIError(.invalidPendingToken) }
        return Providers.facts(of: identity.providerID)?.repeatedCredential ?? APIError(.missingOrInvalidNonce)
    }

    /// Uses up what is good once in an identity.
    ///
    /// - Throws: `APIError` `INVALID_PENDING_TOKEN`, or as the provider refuses repeated credentials.
    func useOnce(_ identity: VerifiedIdentity, in transaction: Transaction) throws {
        for singleUse in identity.singleUses {
            let expiry = Timestamp(milliseconds: singleUse.expiresAt)
            guard try transaction.useCredential(scope, hash: singleUse.hash, expiresAt: expiry) || proof.isRepeatedAnswer else {
                throw usedBefore(identity)
            }
        }
    }

    /// Stores an identity among those of its account. Profile members that the provider left out this time are kept, because Apple
    /// sends the name only once (threat case APL-06).
    func upsert(
        _ identity: VerifiedIdentity,
        into identities: [IdentityRecord],
        of account: AccountRecord,
        in transaction: Transaction
    ) throws -> [IdentityRecord] {
        let index = identities.firstIndex { $0.providerID == identity.providerID }
        let old = index.map { identities[$0] }.flatMap { bytesEqual($0.rawID, identity.rawID) ? $0 : nil }
        // The identity that proved the address is as old as the proof; every other one is newer.
        let isProof = account.emailProvenAt == draft.time && identity.isEmailVerified && identity.email == account.email
        let time = isProof ? draft.time : account.timeOfAddition(draft.time)
        let kept = policy.keepsProviderProfiles ? old : nil
        let entry = IdentityRecord(
            providerID: identity.providerID,
            rawID: identity.rawID,
            email: identity.email ?? kept?.email,
            displayName: identity.displayName ?? kept?.displayName,
            photoURL: identity.photoURL ?? kept?.photoURL,
            screenName: identity.screenName ?? kept?.screenName,
            linkedAt: old?.linkedAt
        )
        if entry != old { try transaction.upsertIdentity(scope, localID: account.localID, entry, at: time) }
        var identities = identities
        if let index { identities[index] = entry } else { identities.append(entry) }
        return identities
    }
}
