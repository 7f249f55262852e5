package import Project
import Storage
import Tenancy

/// Applies one-time codes that change or verify an account's address or remove a second factor
/// (`Docs/Contract/client-accounts.md` §9.3).
package struct CodeApplication: UsesRuntime {
    let runtime: Runtime
    let throttle: Throttle
    let changeLog: ChangeLog
    let credentials: CredentialChange

    /// A changed account.
    package struct Result: Sendable {
        package let view: AccountView
        /// The new address, if the code changed it.
        package let newEmail: String?
    }

    /// Applies a code. A refusal after the checks of the code itself uses it up, except when another account has proven the
    /// address that the code would restore; then it has ended what came since, but not restored the address.
    ///
    /// - Returns: The account without tokens, because a code is no sign-in.
    /// - Throws: `APIError` `INVALID_OOB_CODE`, `EXPIRED_OOB_CODE`, `EMAIL_EXISTS`; ``NotImplemented`` in development for a code
    ///   of another kind.
    package func apply(_ code: String, context: CallContext) async throws -> Result {
        let application = try await prepare(code, context: context)
        let result = try await database.write { try application.perform(in: $0) }.get()
        complete(application, result)
        return result
    }

    /// Does all slow or random work of a code's use before the transaction.
    func prepare(_ code: String, context: CallContext) async throws -> CodeTransaction {
        let hash = sha256(code.utf8)
        let stamp = changeLog.stamp(context)
        let release = changeLog.stamp(context, at: stamp.time)
        let type = try await database.read { try $0.oobCode(context.scope, hash: hash)?.type }
        return CodeTransaction(
            hash: hash,
            stamp: stamp,
            release: release,
            prepared: type == .verifyAndChangeEmail ? try await recovery(by: hash, at: stamp.time, context) : nil,
            mode: mode,
            throttle: throttle,
            reporter: type == .revertSecondFactorAddition ? try await reporter(context) : nil
        )
    }

    // What takes something back is a proof, which no number of notices holds up.
    private func reporter(_ context: CallContext) async throws -> OOBNotices.Reporter? {
        credentials.notices.reporter(
            try await configurations.configuration(of: context.scope),
            context: context,
            isProof: true
        )
    }

    /// Tells of a code's committed use.
    func complete(_ application: CodeTransaction, _ result: Result) {
        changeLog.wake()
        if result.newEmail != nil { credentials.announce(application.prepared?.recovery) }
        application.reporter?.announce()
    }

    /// A recovery code, with the account and the address that it is for.
    struct Prepared: Sendable {
        let localID: String
        let email: String?
        let recovery: OOBNotice
    }

    // The holder of the session that asked for the change need not own the address (threat case LNK-11). The message is made
    // before the transaction, which uses it only if the account is still the same.
    private func recovery(by hash: [UInt8], at time: Timestamp, _ context: CallContext) async throws -> Prepared? {
        let scope = context.scope
        let found = try await database.read { transaction -> (AccountRecord, String)? in
            guard let record = try transaction.oobCode(scope, hash: hash), record.type == .verifyAndChangeEmail,
                let email = record.newEmail, let account = try record.account(scope, in: transaction)
            else { return nil }
            return (account, email)
        }
        guard let (account, email) = found else { return nil }
        let configuration = try await configurations.configuration(of: scope)
        return try credentials.recovery(of: account, replacedBy: email, configuration, at: time, context).map {
            Prepared(localID: account.localID, email: account.email, recovery: $0)
        }
    }
}
