import Messaging
import Passwords
package import Project
package import Storage
import Tenancy

/// The facts of a one-time code that its holder may know (`Docs/Contract/client-accounts.md` §11).
package struct OOBCodeInfo: Sendable {
    package let type: OOBRequestType
    package let email: String
    package let newEmail: String?
    /// The factor that `REVERT_SECOND_FACTOR_ADDITION` removes.
    package let secondFactor: SecondFactor?
    /// What a reset removed besides the password: ids of providers, `passkey` and `phone`.
    package let removed: [String]
    /// Whether a `RECOVER_EMAIL` code came with a notice of changed ways to sign in, not with that of a changed address.
    package let securesAccount: Bool

    init(_ record: OOBCodeRecord, secondFactor: SecondFactor? = nil, removed: [String] = []) {
        self.secondFactor = secondFactor
        self.removed = removed
        securesAccount = record.type == .recoverEmail && record.newEmail == nil
        type = record.type
        email = record.email
        newEmail = record.newEmail
    }
}

/// Checks one-time codes, and sets new passwords with them (`Docs/Contract/client-accounts.md` §11).
package struct PasswordReset: UsesRuntime {
    let runtime: Runtime
    let throttle: Throttle
    let changeLog: ChangeLog
    let functions: BlockingFunctionCaller
    let hasher: PasswordHasher
    let notices: OOBNotices

    /// Looks at a code, or sets a new password with it.
    ///
    /// - Throws: `APIError` `PASSWORD_LOGIN_DISABLED`, `MISSING_OOB_CODE`, and as ``check(_:context:)``.
    package func reset(_ code: String?, newPassword: String?, context: CallContext) async throws -> OOBCodeInfo {
        guard try await configurations.configuration(of: context.scope).policy.allowsPassword else {
            throw APIError(.passwordLoginDisabled)
        }
        let code = try require(code, .missingOOBCode)
        guard let newPassword else { return try await check(code, context: context) }
        return try await confirm(code, password: newPassword, context: context)
    }

    /// Looks at a code without using it.
    ///
    /// - Throws: `APIError` `INVALID_OOB_CODE`, `EXPIRED_OOB_CODE`, in production `USER_DISABLED`.
    func check(_ code: String, context: CallContext) async throws -> OOBCodeInfo {
        let scope = context.scope
        let time = environment.now()
        let hash = sha256(code.utf8)
        let refusesDisabled = mode.resetsRefuseDisabledAccounts
        return try await database.read { transaction in
            let record = try OOBCodeRules.usable(try transaction.oobCode(scope, hash: hash), at: time)
            if refusesDisabled, let holder = try transaction.account(scope, email: record.email), holder.isDisabled,
                record.isFor(holder)
            {
                throw APIError(.userDisabled).about(record)
            }
            guard record.type == .revertSecondFactorAddition else { return OOBCodeInfo(record) }
            let account = try record.localID.flatMap { try transaction.account(scope, localID: $0) }
            let factor = account?.secondFactors.first { $0.enrollmentID == record.enrollmentID }
            return OOBCodeInfo(record, secondFactor: try require(factor, .invalidOOBCode))
        }
    }

    /// Sets a new password. A password that is too weak does not use the code up.
    func confirm(_ code: String, password: String, context: CallContext) async throws -> OOBCodeInfo {
        let scope = context.scope
        let configuration = try await configurations.configuration(of: scope)
        let info = try await check(code, context: context)
        guard info.type == .passwordReset else { throw APIError(.invalidOOBCode).about(.email(info.email)) }
        try configuration.passwordPolicy.check(password)
        try await throttle.newPassword(by: nil, context: context)
        let storedText = try await hasher.hash(password, for: throttle.share(of: context)).text
        for _ in 0..<SignInPipeline.maximumTries {
            do {
                return try await apply(sha256(code.utf8), storedText, configuration, context)
            } catch is NeedsSuccessor { continue }
        }
        throw APIError(.aborted, SignInPipeline.changedMeanwhile)
    }

    /// The account has become one that a takeover would not free of strangers, since it was read.
    private struct NeedsSuccessor: Error {}

    private func apply(
        _ hash: [UInt8],
        _ storedText: String,
        _ configuration: ScopeConfiguration,
        _ context: CallContext
    ) async throws -> OOBCodeInfo {
        let (scope, mode, throttle) = (context.scope, mode, throttle)
        let successor = try await successor(of: hash, storedText, configuration.policy, context)
        let stamp = changeLog.stamp(context)
        let reporter = notices.reporter(configuration, context: context, isProof: true)
        let used = try await database.write { transaction -> OOBCodeInfo? in
            let stored = try transaction.oobCode(scope, hash: hash)
            let record = try OOBCodeRules.usable(stored, as: .passwordReset, at: stamp.time)
            guard try transaction.deleteOOBCode(scope, hash: hash) else { throw APIError(.invalidOOBCode) }
            // The code is used up even if the account no longer exists.
            guard let account = try transaction.account(scope, email: record.email) else { return nil }
            if mode.proofsEndUnprovenCredentials, account.outlivesTakeover {
                guard let successor else { throw NeedsSuccessor() }
                try successor.replace(account, stamp, in: transaction)
                try throttle.remember(context, of: successor.account.localID, at: stamp.time, in: transaction)
                try transaction.forgetPasswordFailures(of: record.email, context: context)
                return OOBCodeInfo(record)
            }
            if mode.resetsRefuseDisabledAccounts, account.isDisabled {
                throw APIError(.userDisabled).about(.account(account.localID))
            }
            var edit = try AccountEdit(of: account, stamp, in: transaction)
            let proof = OwnershipProof(kind: Self.proof(of: account, mode), scope: scope, time: stamp.time)
            let removed = try proof.apply(to: &edit.account, in: transaction)
            edit.account.setPassword(storedText, at: stamp.time)
            try throttle.remember(context, of: account.localID, at: stamp.time, in: transaction)
            try edit.store(as: .passwordReset, revokesSessions: true)
            try reporter?.report(
                [.passwordReset] + removed.alterations,
                of: account,
                scope,
                at: stamp.time,
                in: transaction
            )
            try transaction.forgetPasswordFailures(of: record.email, context: context)
            return OOBCodeInfo(record, removed: removed.names)
        }
        changeLog.wake()
        reporter?.announce()
        return try require(used, .invalidOOBCode)
    }

    private static func proof(of account: AccountRecord, _ mode: ModeRules) -> OwnershipProof.Kind {
        guard mode.proofsEndUnprovenCredentials else { return .emulatedReset }
        return account.hasProvenAddress ? .reset : .takeover
    }
}
