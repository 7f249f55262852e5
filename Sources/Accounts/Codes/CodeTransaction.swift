import Messaging
import Project
import Storage

extension CodeApplication {
    /// The transaction that uses a code. It is pure in its inputs, so that it may run twice.
    struct CodeTransaction: Sendable {
        let hash: [UInt8]
        let stamp: ChangeStamp
        /// Records that another account gave the address up.
        let release: ChangeStamp
        /// Leads the owner of a replaced address back to it.
        let prepared: Prepared?
        let mode: ModeRules
        let throttle: Throttle
        /// Tells the present address of a change by a code that went to another one; `nil` sends no notices.
        let reporter: OOBNotices.Reporter?

        private var scope: Scope { stamp.scope }

        /// Uses the code up and changes its account.
        ///
        /// - Returns: The changed account, or a refusal that uses the code up and changes nothing else, but for that of
        ///   ``secure(by:in:)``.
        /// - Throws: `APIError` for a refusal that leaves the code usable; ``NotImplemented`` in development.
        func perform(in transaction: Transaction) throws -> Swift.Result<Result, APIError> {
            let code = try OOBCodeRules.usable(try transaction.oobCode(scope, hash: hash), at: stamp.time)
            if code.type == .passwordReset || code.type == .emailSignIn {
                throw mode.refusesWhatEmulatorLacks
                    ? NotImplemented.byEmulator("A code of this kind") : APIError(.invalidOOBCode).about(code)
            }
            if let refusal = try secure(by: code, in: transaction) { return .failure(refusal) }
            guard try transaction.deleteOOBCode(scope, hash: hash) else { throw APIError(.invalidOOBCode) }
            guard let account = try code.account(scope, in: transaction) else {
                return .failure(APIError(.invalidOOBCode).about(code))
            }
            if let refusal = try refusal(of: code, for: account, in: transaction) {
                return .failure(APIError(refusal).about(.account(account.localID)))
            }
            var edit = try AccountEdit(of: account, stamp, in: transaction)
            try removeFactor(named: code, &edit)
            // The mailbox of the code may be one that the account has left.
            if code.type == .revertSecondFactorAddition, account.email != code.email {
                try reporter?.report([.secondFactorRemoved], of: account, scope, at: stamp.time, in: transaction)
            }
            let kind =
                mode.proofsEndUnprovenCredentials ? try code.proof(of: account, scope, at: stamp.time, in: transaction) : nil
            if let kind {
                try OwnershipProof(kind: kind, scope: scope, time: stamp.time).apply(to: &edit.account, in: transaction)
                try welcome(code, after: kind, edit.account, in: transaction)
            }
            try changeAddress(by: code, &edit)
            let view = try edit.store(as: code.event, revokesSessions: kind?.endsSessions ?? false)
            return .success(Result(view: view, newEmail: code.type == .verifyAndChangeEmail ? view.account.email : nil))
        }

        private func refusal(
            of code: OOBCodeRecord,
            for account: AccountRecord,
            in transaction: Transaction
        ) throws -> ErrorCode? {
            switch code.type {
            case .revertSecondFactorAddition:
                return account.secondFactors.contains { $0.enrollmentID == code.enrollmentID } ? nil : .invalidOOBCode
            case .verifyAndChangeEmail
            where mode.proofsEndUnprovenCredentials && code.createdAt.seconds < account.validSince ?? .min:
                // The session that asked for the change has ended since, so it may no longer change the address.
                return .invalidOOBCode
            default: break
            }
            guard let address = code.addressToSet, address != account.email,
                let holder = try transaction.account(scope, email: address)
            else { return nil }
            guard mode.proofsEndUnprovenCredentials, !holder.hasProvenAddress else { return .emailExists }
            // A stranger who took the address without proving it must not keep it from its owner (`Docs/Contract/rulings.md` 40).
            try transaction.releaseAddress(of: holder, release)
            return nil
        }

        /// Ends what came after the change that a recovery takes back, where another account has proven the address by now, and keeps
        /// the code: once the address is free again it restores it. Until then the account has no address, because the one that it has
        /// came after the change, too (`Docs/Contract/rulings.md` 41).
        private func secure(by code: OOBCodeRecord, in transaction: Transaction) throws -> APIError? {
            guard mode.proofsEndUnprovenCredentials, code.type == .recoverEmail,
                let account = try code.account(scope, in: transaction), account.email != code.email,
                let holder = try transaction.account(scope, email: code.email), holder.hasProvenAddress
            else { return nil }
            var edit = try AccountEdit(of: account, stamp, in: transaction)
            let kind = try code.recovery(of: account, scope, at: stamp.time, in: transaction)
            // What is added later is dated after the proof, and passwords that are set later have later generations.
            let firstNew = max(stamp.time, account.emailProvenAt ?? stamp.time).next
            try transaction.keepOOBCode(scope, hash: hash, usedAt: firstNew, generation: account.proofGeneration)
            try OwnershipProof(kind: kind, scope: scope, time: stamp.time).apply(to: &edit.account, in: transaction)
            try welcome(code, after: kind, edit.account, in: transaction)
            edit.account.email = nil
            edit.account.emailVerified = nil
            let detail: JSONValue = [
                "addressRestored": false, "heldBy": .string(holder.localID),
                "remains": "The account in heldBy must give the address up; then the code restores it.",
            ]
            try edit.store(as: .secureAccount, detail: detail, revokesSessions: true)
            return APIError(.emailExists).about(.account(account.localID), heldBy: holder.localID)
        }

        // A proof that ends the usual networks makes that of its owner one, as a reset does: guesses and mails that a thief uses up must
        // not keep the owner out (threat case THR-15).
        private func welcome(
            _ code: OOBCodeRecord,
            after kind: OwnershipProof.Kind,
            _ account: AccountRecord,
            in transaction: Transaction
        ) throws {
            guard kind.ends(.usual, leavingFactors: !account.secondFactors.isEmpty) else { return }
            try throttle.remember(stamp.context, of: account.localID, at: stamp.time, in: transaction)
            guard let address = code.addressToSet ?? account.email else { return }
            try transaction.forgetPasswordFailures(of: address, context: stamp.context)
        }

        // Sessions that began with the unwanted factor end with it.
        private func removeFactor(named code: OOBCodeRecord, _ edit: inout AccountEdit) throws {
            guard code.type == .revertSecondFactorAddition, let enrollmentID = code.enrollmentID,
                let index = edit.account.secondFactors.firstIndex(where: { $0.enrollmentID == enrollmentID })
            else { return }
            edit.account.secondFactors.remove(at: index)
            try edit.transaction.revokeSessions(
                scope,
                localID: edit.old.localID,
                enrollmentID: enrollmentID,
                at: stamp.time
            )
        }

        private func changeAddress(by code: OOBCodeRecord, _ edit: inout AccountEdit) throws {
            let old = edit.old
            if code.type != .revertSecondFactorAddition { edit.account.emailVerified = true }
            if let address = code.addressToSet { edit.account.email = address }
            guard code.type == .verifyAndChangeEmail else { return }
            if !mode.proofsEndUnprovenCredentials || old.hasProvenAddress {
                edit.account.initialEmail = old.initialEmail ?? old.email
            }
            if let prepared, prepared.localID == old.localID, prepared.email == old.email, old.hasProvenAddress {
                try prepared.recovery.insert(of: old, scope, in: edit.transaction)
            }
        }
    }
}
