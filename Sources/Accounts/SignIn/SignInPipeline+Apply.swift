import Federation
import Project
import Storage
import Tokens

extension SignInPipeline {
    /// The transaction of the pipeline. It is pure in its inputs, so that it may run twice.
    struct Apply: Sendable {
        let proof: SignInProof
        let policy: SignInPolicy
        let context: CallContext
        var draft: Draft
        let mint: SessionMint
        let events: EventOutbox
        /// Tells owners about changed ways to sign in; `nil` sends no notices.
        let reporter: OOBNotices.Reporter?
        /// The answer of `beforeCreate`, used when an account is created.
        var beforeCreate = Asked.never
        /// The answer of `beforeSignIn`; with `later`, the account is stored without a session.
        var beforeSignIn = Asked.never

        /// The result of the transaction.
        enum Result: Sendable {
            case stored(IDTokenSubject, isNewUser: Bool, isEmailRecycled: Bool)
            case secondFactorPending(AccountRecord, isEmailRecycled: Bool)
            case needsConfirmation(localID: String, providers: [String])
            case refused(ErrorCode)
            /// The account is stored; its session waits for `beforeSignIn`.
            case awaitingSignIn(AccountView, isNewUser: Bool, isEmailRecycled: Bool)
            /// The account is stored; a function disabled it.
            case disabled
        }

        var scope: Scope { context.scope }

        func run(in transaction: any Transaction) throws -> Result {
            switch proof.method {
            case .anonymous:
                var account = AccountRecord(localID: draft.localID, createdAt: draft.createdAt)
                account.secondFactors = proof.secondFactors
                return try store(account, isNew: true, identity: nil, in: transaction)
            case .identityProvider(let identity): return try apply(identity, in: transaction)
            case .password(let password): return try apply(password, in: transaction)
            case .newPassword(let password): return try apply(password, in: transaction)
            case .emailLink(let link): return try apply(link, in: transaction)
            case .customToken(let custom): return try apply(custom, in: transaction)
            case .secondFactor(let shown): return try apply(shown, in: transaction)
            case .passkey(let passkey): return try apply(passkey, in: transaction)
            case .phone(let phone): return try apply(phone, in: transaction)
            }
        }

        private func apply(_ identity: VerifiedIdentity, in transaction: any Transaction) throws -> Result {
            try checkUnused(identity, in: transaction)
            switch try decide(identity, in: transaction) {
            case .refuse(let code):
                if proof.usesUpRefusedCredential { try useOnce(identity, in: transaction) }
                return .refused(code)
            case .confirm(let owner, let providers):
                return .needsConfirmation(localID: owner.localID, providers: providers)
            case .signIn(let account):
                return try store(account, isNew: false, identity: identity, in: transaction)
            case .create:
                var account = AccountChange.created(identity, localID: draft.localID, policy: policy, at: draft.createdAt)
                if account.hasProvenAddress { account.emailProvenAt = draft.time }
                return try store(account, isNew: true, identity: identity, in: transaction)
            case .link(let account):
                var linked = AccountChange.linked(account, to: identity, policy: policy)
                // The user's own session proves the provider's address, as an e-mail link would, so the ways to sign in stay.
                if policy.proofsEndWhatWasPlanted, linked.hasProvenAddress, !account.hasProvenAddress {
                    try end(.ownAddress, of: &linked, in: transaction)
                }
                return try store(linked, replacing: account, isNew: false, identity: identity, in: transaction)
            case .takeOver(let owner, let recycles, let wipes):
                // A takeover does not change a disabled account.
                if owner.isDisabled { throw APIError(.userDisabled) }
                let before = wipes && events.isOn ? try transaction.identities(scope, localID: owner.localID) : nil
                var account = owner
                if wipes {
                    try end(policy.proofsEndWhatWasPlanted ? .takeover : .emulatedTakeover, of: &account, in: transaction)
                }
                account = AccountChange.takenOver(account, by: identity)
                return try store(
                    account,
                    replacing: owner,
                    isNew: false,
                    isRecycled: recycles,
                    identity: identity,
                    before: before,
                    revokesSessions: wipes,
                    in: transaction
                )
            }
        }

        private func decide(
            _ identity: VerifiedIdentity,
            in transaction: any Transaction
        ) throws -> AccountResolution.Decision {
            var matches = AccountResolution.Matches(
                holder: try transaction.account(scope, providerID: identity.providerID, rawID: identity.rawID)
            )
            if let binding = identity.binding { try check(binding, against: matches.holder) }
            // A known identity decides alone, so the usual sign-in reads nothing else.
            if matches.holder == nil, let email = identity.email {
                matches.emailOwner = try transaction.account(scope, email: email)
                if let owner = matches.emailOwner {
                    matches.emailOwnerIdentities = try transaction.identities(scope, localID: owner.localID)
                }
            }
            guard let token = proof.linkTo else {
                return AccountResolution.decideSignIn(identity, matches: matches, policy: policy, autoCreate: proof.autoCreate)
            }
            let account = try IDTokenRules.account(of: token, in: transaction)
            try proof.linkRule?.checkLink(token, to: account, at: draft.time, in: transaction)
            return AccountResolution.decideLink(identity, to: account, matches: matches, policy: policy)
        }

        /// Applies a proof of ownership.
        func end(
            _ kind: OwnershipProof.Kind,
            of account: inout AccountRecord,
            in transaction: any Transaction
        ) throws {
            try OwnershipProof(kind: kind, scope: scope, time: draft.time).apply(to: &account, in: transaction)
        }

        func store(
            _ account: AccountRecord,
            replacing old: AccountRecord? = nil,
            isNew: Bool,
            isRecycled: Bool = false,
            identity: VerifiedIdentity? = nil,
            before: [IdentityRecord]? = nil,
            revokesSessions: Bool = false,
            attributes: JSONValue? = nil,
            claims: String? = nil,
            secondFactor: UsedSecondFactor? = nil,
            in transaction: any Transaction
        ) throws -> Result {
            if account.isDisabled { throw APIError(.userDisabled) }
            let isPending = proof.leadsToSecondFactor && policy.mfa.demandsSecondFactor(of: account)
            var account = account
            if isNew, case .later = beforeCreate { throw MustAsk() }
            if isNew, case .answered(let answer) = beforeCreate { answer.apply(to: &account, at: draft.time) }
            if case .answered(let answer) = beforeSignIn { answer.apply(to: &account, at: draft.time) }
            var waits = false
            if case .later = beforeSignIn { waits = !isPending && !account.isDisabled }
            // Until the second factor is proven, the user has not signed in.
            let signsIn = !isPending && !waits && !account.isDisabled
            if signsIn {
                account.lastLoginAt = draft.time
                account.lastRefreshAt = draft.time
            }
            if isNew {
                try transaction.insertAccount(scope, account)
            } else if old != nil {
                try transaction.updateAccount(scope, account)
            } else if signsIn {
                try transaction.touchLogin(scope, localID: account.localID, at: draft.time)
            }
            var identities = isNew ? [] : try transaction.identities(scope, localID: account.localID)
            let known = before ?? identities
            if let identity {
                try useOnce(identity, in: transaction)
                try upsert(identity, into: &identities, of: account, in: transaction)
            }
            // An e-mail link that signs in needs no notice, because it comes from the mailbox that would receive the notice.
            if let old, let reporter, identity != nil || proof.linkTo != nil {
                let (before, after) = (WaysIn(of: old, known), WaysIn(of: account, identities))
                try reporter.report(before.alterations(to: after), of: old, scope, at: draft.time, in: transaction)
            }
            if !waits || isNew || proof.linkTo != nil {
                try transaction.insertAuditEvent(scope, event(account, isNew: isNew, isPending: isPending))
            }
            if events.isOn {
                try note(
                    account,
                    identities,
                    replacing: isNew ? nil : (old ?? account, known),
                    revokesSessions: revokesSessions,
                    in: transaction
                )
            }
            if account.isDisabled { return try storeDisabled(account, in: transaction) }
            if isPending { return .secondFactorPending(account, isEmailRecycled: isRecycled) }
            if waits {
                let view = AccountView(scope: scope, account: account, identities: identities)
                return .awaitingSignIn(view, isNewUser: isNew, isEmailRecycled: isRecycled)
            }
            var claims = claims
            if case .answered(let answer) = beforeSignIn { claims = answer.sessionClaims }
            let session = try begin(
                account,
                attributes: identity?.signInAttributes ?? attributes,
                claims: claims,
                secondFactor: secondFactor,
                eventID: draft.eventID,
                in: transaction
            )
            let subject = IDTokenSubject(scope: scope, account: account, identities: identities, session: session)
            return .stored(subject, isNewUser: isNew, isEmailRecycled: isRecycled)
        }

        // A sealed credential is refused when its account or the account's generation has changed since.
        private func check(_ binding: VerifiedIdentity.Binding, against holder: AccountRecord?) throws {
            guard let holder, holder.localID == binding.localID, holder.proofGeneration == binding.generation else {
                throw APIError(.invalidPendingToken)
            }
        }

        // This error comes before all errors about accounts (`Docs/Contract/client-accounts.md` §5.3, rows 5 and 8b).
        private func checkUnused(_ identity: VerifiedIdentity, in transaction: any Transaction) throws {
            for singleUse in identity.singleUses where try transaction.usedCredentialExpiry(scope, hash: singleUse.hash) != nil {
                throw usedBefore
            }
        }

        private var usedBefore: APIError {
            proof.isPendingCredential
                ? APIError(.invalidPendingToken)
                : APIError(.missingOrInvalidNonce, "Duplicate credential received. Please try again with a new credential.")
        }

        private func useOnce(_ identity: VerifiedIdentity, in transaction: any Transaction) throws {
            for singleUse in identity.singleUses {
                let expiry = Timestamp(milliseconds: singleUse.expiresAt)
                guard try transaction.useCredential(scope, hash: singleUse.hash, expiresAt: expiry) else {
                    throw usedBefore
                }
            }
        }

        // Profile members that the provider left out this time are kept, because Apple sends the name only once
        // (threat case APL-06).
        private func upsert(
            _ identity: VerifiedIdentity,
            into identities: inout [IdentityRecord],
            of account: AccountRecord,
            in transaction: any Transaction
        ) throws {
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
            if let index { identities[index] = entry } else { identities.append(entry) }
            if entry != old { try transaction.upsertIdentity(scope, localID: account.localID, entry, at: time) }
        }

        private func event(_ account: AccountRecord, isNew: Bool, isPending: Bool) -> AuditEvent {
            AuditEvent(
                eventID: draft.eventID,
                occurredAt: draft.time,
                event: isNew ? "signUp" : isPending ? "firstFactor" : proof.linkTo == nil ? "signIn" : "link",
                localID: account.localID,
                actor: context.actor,
                address: context.address,
                detail: ["provider": .string(proof.signInProvider)]
            )
        }
    }
}
