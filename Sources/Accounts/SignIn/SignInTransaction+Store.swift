import Project
import Storage

extension SignInPipeline.SignInTransaction {
    /// Stores a change with everything that belongs to it, and begins the session unless another step comes first.
    ///
    /// - Throws: `APIError` `USER_DISABLED` for an account that was disabled before, `MISSING_OR_INVALID_NONCE` and
    ///   `INVALID_PENDING_TOKEN` for a credential that was used before, `TOO_MANY_ATTEMPTS_TRY_LATER` for a link; ``MustAsk``.
    func store(_ change: SignInChange, in transaction: Transaction) throws -> SignInOutcome<StoredSignIn> {
        if change.account.isDisabled { throw APIError(.userDisabled).about(.account(change.account.localID)) }
        if case .identityProvider = proof.method, !proof.leadsToSecondFactor, !change.account.secondFactors.isEmpty {
            // A provider after which no factor can be asked for would be a way round the account's own, now or later.
            try SecondFactorRules.checkFirstFactor(proof.signInProvider)
        }
        if let token = proof.linkTo, !proof.countsBeforeStored {
            let localID = change.account.localID
            try throttle.count(additionTo: localID, by: token, context: context, at: draft.time, in: transaction)
        }
        if let askedAbout, change.isNew || change.account.localID != askedAbout { throw MustAsk() }
        var change = change
        try applyAnswers(to: &change)
        let next = NextStep(after: change.account, proof, policy.mfa, beforeSignIn: beforeSignIn)
        // A factor was enrolled while the function was asked. Its answer counts with the second factor.
        if askedAbout != nil, case .secondFactor = next { throw MustAsk() }
        // Until the second factor is proven, the user has not signed in.
        let isFirstOfDay = change.account.isUnseen(onDayOf: draft.time)
        if case .session = next { try noteSignIn(of: &change.account, in: transaction) }
        try write(change, next, in: transaction)
        let identities = change.isNew ? [] : try transaction.identities(scope, localID: change.account.localID)
        let before = change.identitiesBefore ?? identities
        let view = AccountView(
            scope: scope,
            account: change.account,
            identities: try storing(change, among: identities, in: transaction)
        )
        try report(change, before, view, in: transaction)
        try record(change, next, in: transaction)
        try note(change, before, view, in: transaction)
        return try proceed(to: next, change, view, isFirstOfDay: isFirstOfDay, in: transaction)
    }

    private func applyAnswers(to change: inout SignInChange) throws {
        change.compared = change.replaced ?? change.account
        if change.isNew {
            if case .later = beforeCreate { throw MustAsk() }
            if case .answered(let answer) = beforeCreate { answer.apply(to: &change.account, at: draft.time) }
        }
        if case .answered(let answer) = beforeSignIn { answer.apply(to: &change.account, at: draft.time) }
    }

    private func write(_ change: SignInChange, _ next: NextStep, in transaction: Transaction) throws {
        switch change.origin {
        case .created: try transaction.insertAccount(scope, change.account)
        case .changed: try transaction.updateAccount(scope, change.account)
        case .unchanged:
            // The function may have changed it.
            if case .answered = beforeSignIn { return try transaction.updateAccount(scope, change.account) }
            guard case .session = next else { return }
            try transaction.touchLogin(scope, localID: change.account.localID, at: draft.time)
        }
    }

    // Stores the provider's identity, and returns the account's identities with it.
    private func storing(
        _ change: SignInChange,
        among identities: [IdentityRecord],
        in transaction: Transaction
    ) throws -> [IdentityRecord] {
        guard let identity = change.identity else { return identities }
        try useOnce(identity, in: transaction)
        return try upsert(identity, into: identities, of: change.account, in: transaction)
    }

    // An e-mail link that signs in needs no notice, because it comes from the mailbox that would receive the notice.
    private func report(
        _ change: SignInChange,
        _ before: [IdentityRecord],
        _ view: AccountView,
        in transaction: Transaction
    ) throws {
        guard let reporter, let old = change.replaced, change.identity != nil || proof.linkTo != nil else { return }
        let changed = WaysIn(of: old, before).alterations(to: WaysIn(of: view.account, view.identities))
        try reporter.report(changed, of: old, scope, at: draft.time, in: transaction)
    }

    // A sign-in that waits for its function is recorded when its session begins.
    private func record(_ change: SignInChange, _ next: NextStep, in transaction: Transaction) throws {
        let event: AuditEvent.Kind
        switch next {
        case _ where change.isNew: event = .signUp
        case .secondFactor: event = .firstFactor
        case _ where proof.linkTo != nil: event = .link
        case .function, .refusal: return
        case .session: event = .signIn
        }
        try transaction.insertAuditEvent(
            scope,
            try audit(event, of: change.account, from: change.compared, id: draft.eventID),
            isFirst: change.isNew
        )
    }

    /// Makes the audit record of a step of the sign-in.
    ///
    /// - Parameter old: The account before the step; `nil` where the step changes nothing.
    func audit(
        _ event: AuditEvent.Kind,
        of account: AccountRecord,
        from old: AccountRecord? = nil,
        id: String
    ) throws -> AuditEvent {
        let provider: JSONValue = ["provider": .string(proof.signInProvider)]
        let detail = try stamp.changes.detail(from: old ?? account, to: account, with: provider)
        return context.auditEvent(event, of: account.localID, detail, id: id, at: draft.time)
    }

    // Writes the web hook's events about the account itself.
    private func note(
        _ change: SignInChange,
        _ before: [IdentityRecord],
        _ view: AccountView,
        in transaction: Transaction
    ) throws {
        guard events.isOn else { return }
        var noted: [AccountEvent] = [.created]
        if !change.isNew {
            var old = change.replaced ?? change.account
            // A rehashed password is not a new password.
            if case .password = proof.method { old.passwordHash = change.account.passwordHash }
            noted = AccountEvent.changes(
                from: (old, before),
                to: (view.account, view.identities),
                revokesSessions: change.revokesSessions
            )
        }
        try events.note(noted, of: view.account, scope, eventID: draft.eventID, at: draft.time, in: transaction)
    }

    private func proceed(
        to next: NextStep,
        _ change: SignInChange,
        _ view: AccountView,
        isFirstOfDay: Bool,
        in transaction: Transaction
    ) throws -> SignInOutcome<StoredSignIn> {
        let stage: StoredSignIn.Stage
        switch next {
        case .refusal: return try refuseDisabled(view.account, from: change.compared, in: transaction)
        case .secondFactor: stage = .secondFactor(nil)
        case .function: stage = .function
        case .session:
            var claims = proof.sessionClaims
            if case .answered(let answer) = beforeSignIn { claims = answer.sessionClaims }
            stage = .session(
                try begin(
                    view.account,
                    claims: claims,
                    secondFactor: change.secondFactor,
                    eventID: draft.eventID,
                    in: transaction
                )
            )
        }
        let storedSignIn = StoredSignIn(
            view: view,
            isNewUser: change.isNew,
            isEmailRecycled: change.isEmailRecycled,
            isFirstOfDay: isFirstOfDay,
            stage: stage
        )
        return .accepted(storedSignIn)
    }

    /// Sets the times of a sign-in that its user has proven in full. Its network becomes usual for the account.
    ///
    /// Marks are written before their account, in the same order as a proof of ownership removes them.
    func noteSignIn(of account: inout AccountRecord, in transaction: Transaction) throws {
        account.noteSignIn(at: draft.time)
        guard proof.marksNetwork else { return }
        try throttle.remember(context, of: account.localID, at: draft.time, in: transaction)
    }

    func begin(
        _ account: AccountRecord,
        claims: String?,
        secondFactor: UsedSecondFactor?,
        eventID: String,
        in transaction: Transaction
    ) throws -> SessionRecord {
        let event = AccountEvent.signedIn(provider: proof.signInProvider, secondFactor: secondFactor?.kind)
        try events.note([event], of: account, scope, eventID: eventID, at: draft.time, in: transaction)
        var terms = SessionMint.Terms(provider: proof.signInProvider)
        terms.attributes = proof.signInAttributes
        terms.claims = claims
        terms.secondFactor = secondFactor
        return try mint.begin(draft.session, of: account, terms, context: context, at: draft.time, in: transaction)
    }

    /// Ends the sessions of an account that a function disabled, and refuses its user.
    ///
    /// - Parameters:
    ///   - account: The account, disabled.
    ///   - old: The account before the function answered.
    func refuseDisabled(
        _ account: AccountRecord,
        from old: AccountRecord?,
        in transaction: Transaction
    ) throws -> SignInOutcome<StoredSignIn> {
        try transaction.revokeSessions(scope, localID: account.localID, at: draft.time)
        try transaction.updateAccount(scope, account)
        let event = AuditEvent(
            eventID: draft.signInEventID,
            occurredAt: draft.time,
            event: .disabledByFunction,
            localID: account.localID,
            actor: "blockingFunction",
            address: context.address,
            detail: try stamp.changes.detail(from: old, to: account)
        )
        try transaction.insertAuditEvent(scope, event)
        return .refused(.userDisabled)
    }
}

extension AccountRecord {
    /// Whether the account neither signed in nor renewed its tokens on the day of a time.
    func isUnseen(onDayOf time: Timestamp) -> Bool {
        [lastLoginAt, lastRefreshAt].compactMap(\.self).allSatisfy { DailyCounts.day(of: $0) < DailyCounts.day(of: time) }
    }

    /// Sets the times of a sign-in.
    mutating func noteSignIn(at time: Timestamp) {
        lastLoginAt = time
        lastRefreshAt = time
    }
}
