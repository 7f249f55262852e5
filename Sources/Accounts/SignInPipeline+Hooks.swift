import Project
import Storage
import Tokens

// The way of a sign-in that blocking functions are asked about (`contract/admin-config.md` §10.2). They are asked between
// transactions, never inside one, and each transaction decides by itself what it finds.
extension SignInPipeline {
    /// Completes a sign-in, and asks.
    ///
    /// - Parameters:
    ///   - apply: The transaction of a sign-in that nobody is asked about.
    ///   - asked: The events that there are functions for.
    /// - Returns: What came of it.
    /// - Throws: `APIError` of functions, and what the transaction throws; `StorageError`.
    func complete(_ apply: Apply, asking asked: Set<BlockingFunctions.Event>) async throws -> Apply.Result {
        var apply = apply
        if asked.contains(.beforeSignIn) {
            guard apply.proof.keepsCredentialUntilSignedIn else {
                apply.beforeSignIn = .later
                return try await finish(apply, try await create(apply, asking: asked))
            }
            guard case .stored(let subject, _, _) = try await rehearse(apply) else { return try await write(apply) }
            let view = AccountView(scope: apply.scope, account: subject.account, identities: subject.identities)
            // Judged at the time at which it was shown: a code of an authenticator app lives for seconds.
            apply.beforeSignIn = .answered(try await ask(.beforeSignIn, view, apply))
            return try await write(apply)
        }
        return try await create(apply, asking: asked)
    }

    // The account may come or go while its function is asked: then there is another decision.
    private func create(_ apply: Apply, asking asked: Set<BlockingFunctions.Event>) async throws -> Apply.Result {
        guard asked.contains(.beforeCreate) else { return try await write(apply) }
        var answer: BlockingFunctionAnswer?
        for _ in 0..<Self.maximumTries {
            var apply = apply
            if answer == nil, let view = try await rehearse(apply).createdView(in: apply.scope) {
                answer = try await ask(.beforeCreate, view, apply)
                apply.draft.time = environment.now()
            }
            apply.beforeCreate = answer.map(Apply.Asked.answered) ?? .later
            do { return try await write(apply) } catch is Apply.MustAsk { continue }
        }
        throw StorageError.busy
    }

    private func finish(_ apply: Apply, _ result: Apply.Result) async throws -> Apply.Result {
        guard case .awaitingSignIn(let view, let isNewUser, let isEmailRecycled) = result else { return result }
        let answer = try await ask(.beforeSignIn, view, apply)
        var apply = apply
        apply.draft.time = environment.now()
        let finished = try await database.write { [apply] in
            try apply.begin(view, answer, isNewUser: isNewUser, isEmailRecycled: isEmailRecycled, in: $0)
        }
        events.wake()
        return finished
    }

    private func ask(
        _ event: BlockingFunctions.Event,
        _ view: AccountView,
        _ apply: Apply
    ) async throws -> BlockingFunctionAnswer {
        let functions = apply.policy.blockingFunctions
        let claims = apply.proof.claims(of: view, for: functions)
        return try await self.functions.ask(event, of: functions, claims, context: apply.context)
    }

    // The very transaction, rolled back: no second way of deciding that could differ.
    private func rehearse(_ apply: Apply) async throws -> Apply.Result {
        struct Rehearsed: Error { let result: Apply.Result }
        do {
            return try await retryingLostRaces {
                try await database.write { transaction -> Apply.Result in
                    throw Rehearsed(result: try apply.run(in: transaction))
                }
            }
        } catch let rehearsed as Rehearsed {
            return rehearsed.result
        }
    }
}

extension SignInPipeline.Apply {
    /// What is known of a function's answer.
    enum Asked: Sendable {
        /// Nobody is to be asked.
        case never
        /// Somebody is to be asked, and has not been.
        case later
        case answered(BlockingFunctionAnswer)
    }

    /// An account would be made that `beforeCreate` has not been asked about.
    struct MustAsk: Error {}

    /// Begins the session of an account that an earlier transaction has stored.
    ///
    /// - Throws: `APIError` `USER_NOT_FOUND`, `USER_DISABLED`, and `TOKEN_EXPIRED` when the account's sessions were ended in
    ///   between; `StorageError`.
    func begin(
        _ stored: AccountView,
        _ answer: BlockingFunctionAnswer,
        isNewUser: Bool,
        isEmailRecycled: Bool,
        in transaction: any Transaction
    ) throws -> Result {
        var account = try require(try transaction.account(scope, localID: stored.account.localID), .userNotFound)
        if account.isDisabled { throw APIError(.userDisabled) }
        guard account.validSince == stored.account.validSince,
            account.proofGeneration == stored.account.proofGeneration,
            account.passwordUpdatedAt == stored.account.passwordUpdatedAt
        else { throw APIError(.tokenExpired) }
        answer.apply(to: &account, at: draft.time)
        let identities = try transaction.identities(scope, localID: account.localID)
        if account.isDisabled { return try storeDisabled(account, in: transaction) }
        account.lastLoginAt = draft.time
        account.lastRefreshAt = draft.time
        try transaction.updateAccount(scope, account)
        let event = AuditEvent(
            eventID: draft.signInEventID,
            occurredAt: draft.time,
            event: "signIn",
            localID: account.localID,
            actor: context.actor,
            address: context.address,
            detail: ["provider": .string(proof.signInProvider)]
        )
        try transaction.insertAuditEvent(scope, event)
        let session = try begin(
            account,
            attributes: proof.signInAttributes,
            claims: answer.sessionClaims,
            secondFactor: nil,
            eventID: draft.signInEventID,
            in: transaction
        )
        let subject = IDTokenSubject(scope: scope, account: account, identities: identities, session: session)
        return .stored(subject, isNewUser: isNewUser, isEmailRecycled: isEmailRecycled)
    }

    /// Keeps an account that a function has switched off: it is stored before its user is refused.
    func storeDisabled(_ account: AccountRecord, in transaction: any Transaction) throws -> Result {
        try transaction.updateAccount(scope, account)
        try transaction.revokeSessions(scope, localID: account.localID, at: draft.time)
        let event = AuditEvent(
            eventID: draft.signInEventID,
            occurredAt: draft.time,
            event: "disabledByFunction",
            localID: account.localID,
            actor: "blockingFunction",
            address: context.address
        )
        try transaction.insertAuditEvent(scope, event)
        return .disabled
    }
}

extension SignInPipeline.Apply.Result {
    /// The account as it would be made; `nil` when none would be.
    fileprivate func createdView(in scope: Scope) -> AccountView? {
        switch self {
        case .stored(let subject, true, _):
            AccountView(scope: scope, account: subject.account, identities: subject.identities)
        case .awaitingSignIn(let view, true, _): view
        default: nil
        }
    }
}

extension SignInProof {
    /// The events that this sign-in is to be asked about, as far as there are functions. Custom tokens and anonymous users come
    /// from the project itself, or are nobody; a password that is added to an account is no sign-in.
    func askedEvents(_ functions: BlockingFunctions) -> Set<BlockingFunctions.Event> {
        var events: Set<BlockingFunctions.Event> =
            switch method {
            case .anonymous, .customToken: []
            case .newPassword where linkTo != nil: []
            case .password, .secondFactor, .passkey: [.beforeSignIn]
            case .identityProvider, .emailLink, .phone, .newPassword:
                linkTo == nil ? [.beforeCreate, .beforeSignIn] : [.beforeSignIn]
            }
        events = events.filter { functions[$0] != nil }
        return events
    }

    /// Whether the credential is used up by nothing but a session (ruling 9).
    fileprivate var keepsCredentialUntilSignedIn: Bool { if case .secondFactor = method { true } else { false } }
}
