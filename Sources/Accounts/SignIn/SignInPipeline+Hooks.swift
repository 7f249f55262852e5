import Project
import Storage
import Tokens

// Sign-ins with blocking functions (`Docs/Contract/admin-config.md` §10.2). Functions are asked between transactions, never
// inside one, and each transaction decides again from what is stored.
extension SignInPipeline {
    /// Completes a sign-in and asks the functions.
    ///
    /// - Parameters:
    ///   - apply: The transaction of the sign-in.
    ///   - asked: The events that have functions.
    /// - Returns: The result.
    /// - Throws: `APIError` of functions, and the errors of the transaction; `StorageError`.
    func complete(_ apply: Apply, asking asked: Set<BlockingFunctions.Event>) async throws -> Apply.Result {
        var apply = apply
        if asked.contains(.beforeSignIn) {
            guard apply.proof.keepsCredentialUntilSignedIn else {
                apply.beforeSignIn = .later
                return try await finish(apply, try await create(apply, asking: asked))
            }
            guard case .stored(let subject, _, _) = try await rehearse(apply) else { return try await write(apply) }
            let view = AccountView(scope: apply.scope, account: subject.account, identities: subject.identities)
            // The factor is checked at the time at which it was sent, because an authenticator app's code is valid for seconds.
            apply.beforeSignIn = .answered(try await ask(.beforeSignIn, view, apply))
            return try await write(apply)
        }
        return try await create(apply, asking: asked)
    }

    // The account may appear or vanish while its function is asked. Then the decision is made again.
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

    // The real transaction runs and is rolled back, so that rehearsal and sign-in cannot differ.
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
    /// The state of a function's answer.
    enum Asked: Sendable {
        /// No function is asked.
        case never
        /// A function must be asked but has not been.
        case later
        case answered(BlockingFunctionAnswer)
    }

    /// An account would be created for which `beforeCreate` has not been asked.
    struct MustAsk: Error {}

    /// Begins the session of an account that an earlier transaction stored.
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

    /// Stores an account that a function disabled, before its user is refused.
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
    /// The account that would be created; `nil` when none would be.
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
    /// The events of this sign-in that have functions. Custom tokens come from the project itself, and anonymous users have no
    /// identity, so neither is asked about; adding a password to an account is no sign-in.
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

    /// Whether only a session uses the credential up (ruling 9).
    fileprivate var keepsCredentialUntilSignedIn: Bool { if case .secondFactor = method { true } else { false } }
}
