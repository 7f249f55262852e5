import Project
import Settings
import Storage

// Requests that repeat an earlier one (`Docs/Contract/phone-and-mfa.md` §1.1).
extension SMSCodeService {
    // Longer than checks of proofs and blocking functions take.
    private static let longestRequest = Duration.seconds(15)

    /// Serves a request, unless the same request has led to a code or is being served, here or on another node. Clients that
    /// received no answer repeat their request with the same proof, and most proofs are accepted only once.
    func answeringRepetitions(
        of request: SMSCodeRequest,
        to number: String,
        _ context: CallContext,
        _ serve: @escaping @Sendable () async throws -> String
    ) async throws -> String {
        if let session = try await repeated(request, to: number, context) { return session }
        guard request.proof.isGoodOnce else { return try await serve() }
        let scope = context.scope
        let mark = sha256("postern.sms-request:\(number):\(request.purpose.text):".utf8 + request.proof.hash)
        let now = environment.now()
        let isFirst = try await database.write { transaction in
            let end = try transaction.usedCredentialExpiry(scope, hash: mark)
            // An expired mark is of a node that died. The tolerance excludes a node whose clock is behind.
            if let end, end.advanced(by: ClockSkew.betweenNodes) <= now {
                try transaction.forgetCredential(scope, hash: mark)
            }
            return try transaction.useCredential(scope, hash: mark, expiresAt: now.advanced(by: Self.longestRequest))
        }
        if !isFirst {
            if let session = try await sessionOfFirst(request, to: number, mark, context) { return session }
            return try await serve()
        }
        let session: Result<String, any Error>
        // To its end, though its client should have hung up: the proof may be used up, and the client that asks again is answered with what
        // came of it.
        do { session = .success(try await FinishedWork.run(serve)) } catch { session = .failure(error) }
        // One that cannot be removed expires.
        try? await Deadline.ofCleanUp { try await database.write { try $0.forgetCredential(scope, hash: mark) } }
        return try session.get()
    }

    // Waits until the first request has stored its code; returns `nil` when it stored none.
    private func sessionOfFirst(
        _ request: SMSCodeRequest,
        to number: String,
        _ mark: [UInt8],
        _ context: CallContext
    ) async throws -> String? {
        for pause in RepeatedRequest.pauses {
            // The mark is removed after the code is stored, so the mark is read before the code.
            let isOver = try await database.read { try $0.usedCredentialExpiry(context.scope, hash: mark) == nil }
            if isOver { break }
            try await Task.sleep(for: pause)
        }
        return try await repeated(request, to: number, context)
    }

    private func repeated(_ request: SMSCodeRequest, to number: String, _ context: CallContext) async throws -> String? {
        let limitCheck = limitCheck(number, request.purpose.text, request.proof.app, at: environment.now(), context)
        guard let recent = try await database.read({ try limitCheck.recent(in: $0) }), let proof = recent.proofHash,
            constantTimeEqual(proof, request.proof.hash)
        else { return nil }
        return try session(recent.codeID, scope: context.scope)
    }

    /// Finds out whether a message would be sent, without counting it.
    ///
    /// - Returns: The recent code that can still be used; `nil` when a message would be sent.
    func rehearse(_ request: SMSCodeRequest, to number: String, _ context: CallContext) async throws -> SMSCodeRecord? {
        let limitCheck = limitCheck(number, request.purpose.text, request.proof.app, at: environment.now(), context)
        return try await database.rehearse { try limitCheck.admit(in: $0) }
    }

    /// Makes the check of a message.
    func limitCheck(
        _ number: String,
        _ purpose: String,
        _ app: String,
        at time: Timestamp,
        _ context: CallContext
    ) -> SMSLimitCheck {
        SMSLimitCheck(
            phoneNumber: number,
            purpose: purpose,
            app: app,
            time: time,
            context: context,
            throttle: throttle,
            limits: limits
        )
    }
}

/// Decides in a transaction whether a message may be sent.
struct SMSLimitCheck: Sendable {
    let phoneNumber: String
    let purpose: String
    let app: String
    let time: Timestamp
    let context: CallContext
    let throttle: Throttle
    let limits: LimitSettings.Phone

    /// Finds a code of the resend window that can still be used.
    func recent(in transaction: Transaction) throws -> SMSCodeRecord? {
        let latest = try transaction.latestSMSCode(
            context.scope,
            phoneNumber: phoneNumber,
            purpose: purpose,
            app: app,
            after: time - .seconds(limits.resendSeconds)
        )
        return latest.flatMap { $0.tries < limits.maxTries && time < $0.expiresAt ? $0 : nil }
    }

    /// Counts a message, unless a recent code can still be used.
    ///
    /// - Returns: That code; `nil` when the message was counted.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, `QUOTA_EXCEEDED`.
    func admit(in transaction: Transaction) throws -> SMSCodeRecord? {
        if let recent = try recent(in: transaction) { return recent }
        try throttle.count(messageTo: phoneNumber, context: context, at: time, in: transaction)
        return nil
    }
}
