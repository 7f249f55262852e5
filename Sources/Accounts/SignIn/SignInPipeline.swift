import Federation
package import Project
import Storage
package import Tenancy
import Tokens

/// The steps after a verified credential, the same for every sign-in method: resolve the account, check that it is not disabled,
/// demand a second factor if needed, begin a session, record it, and mint tokens.
///
/// Resolving and writing are one transaction, so concurrent sign-ins of one identity lead to one account.
package struct SignInPipeline: Sendable {
    let database: any Database
    let environment: ServerEnvironment
    /// How recent the sign-in of a session must be to which a proof is linked.
    let recentLogin: RecentLoginRule
    let throttle: Throttle
    let changeLog: ChangeLog
    let dailyCounts: DailyCounts
    let notices: OOBNotices
    let mint: SessionMint
    let pendingFactors: PendingSecondFactors
    let functions: BlockingFunctionCaller

    // Concurrent writers on different nodes may violate each other's unique constraints; the next try finds the other's rows.
    static let maximumTries = 3

    /// Completes a sign-in that may change the ways to sign in to an account, and notifies the owner of changes.
    package func complete(
        _ proof: SignInProof,
        configuration: ScopeConfiguration,
        context: CallContext
    ) async throws -> SignInOutcome<AcceptedSignIn> {
        let reporter = notices.reporter(configuration, context: context, isProof: proof.linkTo == nil)
        let outcome = try await complete(proof, policy: configuration.policy, reporter: reporter, context: context)
        reporter?.announce()
        return outcome
    }

    /// Completes a sign-in that does not change the ways to sign in.
    package func complete(_ proof: SignInProof, policy: SignInPolicy, context: CallContext) async throws -> SignInOutcome<
        AcceptedSignIn
    > {
        try await complete(proof, policy: policy, reporter: nil, context: context)
    }

    /// Completes a sign-in.
    ///
    /// - Throws: `APIError` `USER_DISABLED`, `MISSING_OR_INVALID_NONCE` for a credential that was used before, and the errors of
    ///   the ID token rules when linking.
    private func complete(
        _ proof: SignInProof,
        policy: SignInPolicy,
        reporter: OOBNotices.Reporter?,
        context: CallContext
    ) async throws -> SignInOutcome<AcceptedSignIn> {
        let signIn = SignInTransaction(
            proof: proof,
            policy: policy,
            context: context,
            draft: draft(),
            stamp: changeLog.stamp(context),
            recentLogin: recentLogin,
            mint: mint,
            throttle: throttle,
            events: changeLog.events,
            reporter: reporter
        )
        let asked = proof.askedEvents(policy.blockingFunctions)
        let stored = asked.isEmpty ? try await write(signIn) : try await complete(signIn, asking: asked)
        // The transaction has kept that a function disabled the account. To callers it is disabled like any other: they must not
        // answer with a credential for another attempt.
        if case .refused(.userDisabled, _) = stored { throw APIError(.userDisabled) }
        return try stored.map { try accepted($0, by: signIn) }
    }

    private func draft() -> Draft {
        let time = environment.now()
        return Draft(
            localID: environment.newLocalID(),
            eventID: environment.newEventID(),
            signInEventID: environment.newEventID(),
            session: mint.draft(),
            createdAt: time,
            time: time
        )
    }

    // Signing and sealing come after the transaction.
    private func accepted(_ storedSignIn: SignInTransaction.StoredSignIn, by signIn: SignInTransaction) throws -> AcceptedSignIn {
        switch storedSignIn.stage {
        case .session(let session): return .signedIn(try signedIn(storedSignIn, session, by: signIn))
        case .secondFactor(let postponed):
            let credential = try pendingFactors.seal(
                storedSignIn.view.account,
                provider: signIn.proof.signInProvider,
                attributes: signIn.proof.signInAttributes,
                postponed: postponed,
                scope: signIn.scope
            )
            return .secondFactorPending(
                AcceptedSignIn.Pending(
                    account: storedSignIn.view.account,
                    isEmailRecycled: storedSignIn.isEmailRecycled,
                    credential: credential
                )
            )
        // A sign-in whose function was not asked has no session.
        case .function: throw APIError(.userDisabled)
        }
    }

    private func signedIn(
        _ storedSignIn: SignInTransaction.StoredSignIn,
        _ session: SessionRecord,
        by signIn: SignInTransaction
    ) throws -> AcceptedSignIn.Session {
        let provider = signIn.proof.signInProvider
        environment.count("postern_sign_ins_total", [("provider", provider)])
        dailyCounts.note(.signIns, provider, in: signIn.scope)
        if storedSignIn.isNewUser { dailyCounts.note(.newUsers, provider, in: signIn.scope) }
        if storedSignIn.isFirstOfDay { dailyCounts.note(.active, in: signIn.scope) }
        let view = storedSignIn.view
        let subject = IDTokenSubject(
            scope: view.scope,
            account: view.account,
            identities: view.identities,
            session: session
        )
        return AcceptedSignIn.Session(
            account: view.account,
            isNewUser: storedSignIn.isNewUser,
            isEmailRecycled: storedSignIn.isEmailRecycled,
            tokens: try mint.tokens(subject, refreshToken: signIn.draft.session.refreshToken, at: session.createdAt)
        )
    }

    /// Runs the transaction of a sign-in.
    func write(_ signIn: SignInTransaction) async throws -> SignInOutcome<SignInTransaction.StoredSignIn> {
        let result = try await retryingLostRaces { try await database.write { try signIn.perform(in: $0) } }
        changeLog.wake()
        return result
    }

    /// Runs a transaction again after a lost race.
    ///
    /// - Throws: `APIError` `ABORTED` when each try loses one, and the errors of the transaction.
    func retryingLostRaces(
        _ run: () async throws -> SignInOutcome<SignInTransaction.StoredSignIn>
    ) async throws -> SignInOutcome<SignInTransaction.StoredSignIn> {
        for _ in 0..<Self.maximumTries {
            do { return try await run() } catch StorageError.uniqueViolation { continue }
        }
        throw APIError(.aborted, Self.changedMeanwhile)
    }

    /// Why a call ends with `ABORTED`: other calls were faster each time. The store itself is well.
    static let changedMeanwhile = "The account was changed by others at the same time; try again."

    /// The values drawn before the transaction.
    struct Draft: Sendable {
        let localID: String
        let eventID: String
        /// The id for the audit record of the session, when the account's change has a record of its own.
        let signInEventID: String
        let session: SessionMint.Draft
        /// The creation time of a new account, as `beforeCreate` is told.
        let createdAt: Timestamp
        /// The time of the transaction; renewed after a function was asked.
        var time: Timestamp

        /// A new account, still without any way to sign in.
        var account: AccountRecord { AccountRecord(localID: localID, createdAt: createdAt) }
    }
}
