import Project
import Storage
import Tokens

// Sign-ins with blocking functions (`Docs/Contract/admin-config.md` §10.2). Functions are asked between transactions, never
// inside one, and each transaction decides again from what is stored.
extension SignInPipeline {
    /// Completes a sign-in and asks the functions.
    ///
    /// - Throws: `APIError` of functions, `ABORTED` when the account comes and goes too often meanwhile, and the errors of the
    ///   transaction.
    func complete(
        _ signIn: SignInTransaction,
        asking asked: Set<BlockingFunctions.Event>
    ) async throws -> SignInOutcome<SignInTransaction.StoredSignIn> {
        guard asked.contains(.beforeSignIn) else { return try await create(signIn, asking: asked) }
        if let outcome = try await askFirst(signIn) { return outcome }
        var signIn = signIn
        signIn.beforeSignIn = .later
        return try await finish(signIn, try await create(signIn, asking: asked))
    }

    // The account may appear or vanish while its function is asked. Then the decision is made again.
    private func create(
        _ signIn: SignInTransaction,
        asking asked: Set<BlockingFunctions.Event>
    ) async throws -> SignInOutcome<SignInTransaction.StoredSignIn> {
        guard asked.contains(.beforeCreate) else { return try await write(signIn) }
        var answer: BlockingFunctionAnswer?
        for _ in 0..<Self.maximumTries {
            var signIn = signIn
            if answer == nil, case .accepted(let storedSignIn) = try await rehearse(signIn), storedSignIn.isNewUser {
                // New accounts demand no second factor: the methods that create accounts with factors lead to none.
                answer = try await ask(.beforeCreate, storedSignIn.view, signIn)
                signIn.draft.time = environment.now()
            }
            signIn.beforeCreate = answer.map(SignInTransaction.Asked.answered) ?? .later
            do { return try await write(signIn) } catch is SignInTransaction.MustAsk { continue }
        }
        throw APIError(.aborted, SignInPipeline.changedMeanwhile)
    }

    // Asks about a known user before anything of the sign-in is stored, so that a refusal leaves the account as it was. Returns `nil` where
    // there is nothing to ask about yet: a new user, or a second factor that is still to come.
    private func askFirst(_ signIn: SignInTransaction) async throws -> SignInOutcome<SignInTransaction.StoredSignIn>? {
        for _ in 0..<Self.maximumTries {
            guard case .accepted(let storedSignIn) = try await rehearse(signIn), case .session = storedSignIn.stage,
                !storedSignIn.isNewUser
            else { return nil }
            var signIn = signIn
            let answer = try await ask(.beforeSignIn, storedSignIn.view, signIn)
            if answer.disables {
                signIn.draft.time = environment.now()
                return try await database.write { [signIn] in try signIn.disable(storedSignIn, answer, in: $0) }
            }
            signIn.beforeSignIn = .answered(answer)
            signIn.askedAbout = storedSignIn.view.account.localID
            // A factor is checked at the time at which it was sent, because an authenticator app's code is valid for seconds. All else is
            // checked at the time at which the function has agreed.
            if !signIn.proof.isSecondFactor { signIn.draft.time = environment.now() }
            do { return try await write(signIn) } catch is SignInTransaction.MustAsk { continue }
        }
        return nil
    }

    private func finish(
        _ signIn: SignInTransaction,
        _ stored: SignInOutcome<SignInTransaction.StoredSignIn>
    ) async throws -> SignInOutcome<SignInTransaction.StoredSignIn> {
        guard case .accepted(let storedSignIn) = stored, case .function = storedSignIn.stage else { return stored }
        let answer = try await ask(.beforeSignIn, storedSignIn.view, signIn)
        var signIn = signIn
        signIn.draft.time = environment.now()
        let finished = try await database.write { [signIn] in try signIn.begin(storedSignIn, answer, in: $0) }
        changeLog.wake()
        return finished
    }

    private func ask(
        _ event: BlockingFunctions.Event,
        _ view: AccountView,
        _ signIn: SignInTransaction
    ) async throws -> BlockingFunctionAnswer {
        let functions = signIn.policy.blockingFunctions
        let claims = signIn.proof.claims(of: view, for: functions)
        let answer = try await self.functions.ask(event, of: functions, claims, context: signIn.context)
        signIn.context.refusalFacts.pass(.functionsAgreed)
        return answer
    }

    private func rehearse(_ signIn: SignInTransaction) async throws -> SignInOutcome<SignInTransaction.StoredSignIn> {
        try await retryingLostRaces { try await database.rehearse { try signIn.perform(in: $0) } }
    }
}

extension SignInPipeline.SignInTransaction {
    /// The state of a function's answer.
    enum Asked: Sendable {
        /// No function is asked.
        case never
        /// A function must be asked but has not been.
        case later
        case answered(BlockingFunctionAnswer)
    }

    /// A function must be asked first: an account would be created for which `beforeCreate` has not been asked, or another account
    /// would be signed in than the one that `beforeSignIn` was asked about.
    struct MustAsk: Error {}

    /// Switches an account off as its function wants, and stores nothing else of the sign-in.
    ///
    /// - Throws: `APIError` `USER_NOT_FOUND`, `USER_DISABLED`.
    func disable(
        _ rehearsed: StoredSignIn,
        _ answer: BlockingFunctionAnswer,
        in transaction: Transaction
    ) throws -> SignInOutcome<StoredSignIn> {
        let localID = rehearsed.view.account.localID
        var account = try require(try transaction.account(scope, localID: localID), .userNotFound)
        if account.isDisabled { throw APIError(.userDisabled).about(.account(localID)) }
        let unanswered = account
        answer.apply(to: &account, at: draft.time)
        return try refuseDisabled(account, from: unanswered, in: transaction)
    }

    /// Begins the session of an account that an earlier transaction stored.
    ///
    /// - Throws: `APIError` `USER_NOT_FOUND`, `USER_DISABLED`, and `TOKEN_EXPIRED` when the account's sessions were ended in
    ///   between.
    func begin(
        _ stored: StoredSignIn,
        _ answer: BlockingFunctionAnswer,
        in transaction: Transaction
    ) throws -> SignInOutcome<StoredSignIn> {
        let old = stored.view.account
        var account = try require(try transaction.account(scope, localID: old.localID), .userNotFound)
        if account.isDisabled { throw APIError(.userDisabled).about(.account(account.localID)) }
        guard account.validSince == old.validSince, account.proofGeneration == old.proofGeneration,
            account.passwordUpdatedAt == old.passwordUpdatedAt
        else { throw APIError(.tokenExpired) }
        let unanswered = account
        answer.apply(to: &account, at: draft.time)
        let identities = try transaction.identities(scope, localID: account.localID)
        if account.isDisabled { return try refuseDisabled(account, from: unanswered, in: transaction) }
        let isFirstOfDay = account.isUnseen(onDayOf: draft.time)
        try noteSignIn(of: &account, in: transaction)
        try transaction.updateAccount(scope, account)
        let event = try audit(.signIn, of: account, from: unanswered, id: draft.signInEventID)
        try transaction.insertAuditEvent(scope, event)
        let session = try begin(
            account,
            claims: answer.sessionClaims,
            secondFactor: nil,
            eventID: draft.signInEventID,
            in: transaction
        )
        return .accepted(
            StoredSignIn(
                view: AccountView(scope: scope, account: account, identities: identities),
                isNewUser: stored.isNewUser,
                isEmailRecycled: stored.isEmailRecycled,
                isFirstOfDay: isFirstOfDay,
                stage: .session(session)
            )
        )
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

    fileprivate var isSecondFactor: Bool { if case .secondFactor = method { true } else { false } }
}
