import Project
import Storage

// A request that repeats another one (`contract/phone-and-mfa.md` §1.1).
extension SMSCodeService {
    // Within this time a request that came first, here or on another node, has stored its code. It has used the proof up already.
    private static let pauses: [Duration] = [.milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(400)]

    /// Judges what shows that a genuine app asks. Clients that got no answer ask again with the proof that they have, and most
    /// proofs are good once only: the same request is answered by the code that it has already led to.
    ///
    /// - Returns: A session of that code; `nil` when there is none and the proof is good.
    /// - Throws: `APIError` of bad proofs; `StorageError`.
    func verify(
        _ request: SMSCodeRequest,
        to number: String,
        configuration: ScopeConfiguration,
        context: CallContext
    ) async throws -> String? {
        if let session = try await repeated(request, to: number, context) { return session }
        do {
            try await verification.check(
                request.proof,
                action: request.purpose.recaptchaAction,
                configuration: configuration,
                context: context
            )
            return nil
        } catch let refusal as APIError where request.proof.isGoodOnce && Self.spentProof.contains(refusal.code) {
            for pause in Self.pauses {
                if let session = try await repeated(request, to: number, context) { return session }
                try await Task.sleep(for: pause)
            }
            guard let session = try await repeated(request, to: number, context) else { throw refusal }
            return session
        }
    }

    // What a proof that was used before is refused with.
    private static let spentProof: Set<ErrorCode> = [.captchaCheckFailed, .invalidRecaptchaToken, .invalidAppCredential]

    private func repeated(_ request: SMSCodeRequest, to number: String, _ context: CallContext) async throws -> String? {
        let admission = admission(number, request.purpose.text, request.proof.app, at: environment.now(), context)
        guard let recent = try await database.read({ try admission.recent(in: $0) }), let proof = recent.proofHash,
            constantTimeEqual(proof, request.proof.hash)
        else { return nil }
        return try session(recent.codeID, scope: context.scope)
    }

    /// Finds out whether a message would be sent, without counting it.
    ///
    /// - Returns: The code that is on its way already; `nil` when another would be sent.
    /// - Throws: As ``SMSAdmission/admit(in:)``.
    func rehearse(_ request: SMSCodeRequest, to number: String, _ context: CallContext) async throws -> SMSCodeRecord? {
        struct Rehearsed: Error { let recent: SMSCodeRecord? }
        let admission = admission(number, request.purpose.text, request.proof.app, at: environment.now(), context)
        do {
            // Rolled back: no second way of deciding that could differ.
            return try await database.write { throw Rehearsed(recent: try admission.admit(in: $0)) }
        } catch let rehearsed as Rehearsed {
            return rehearsed.recent
        }
    }

    /// The question whether a message may go out.
    func admission(
        _ number: String,
        _ purpose: String,
        _ app: String,
        at time: Timestamp,
        _ context: CallContext
    ) -> SMSAdmission {
        SMSAdmission(
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

/// Whether a message may go out, decided in a transaction.
struct SMSAdmission: Sendable {
    let phoneNumber: String
    let purpose: String
    let app: String
    let time: Timestamp
    let context: CallContext
    let throttle: SMSThrottle
    let limits: SMSCodeService.Limits

    /// The code that a request of the resend window has led to, if it can still be used.
    ///
    /// - Throws: `StorageError`.
    func recent(in transaction: any Transaction) throws -> SMSCodeRecord? {
        let latest = try transaction.latestSMSCode(
            context.scope,
            phoneNumber: phoneNumber,
            purpose: purpose,
            app: app,
            after: time - limits.resend
        )
        return latest.flatMap { $0.tries < limits.maxTries && time < $0.expiresAt ? $0 : nil }
    }

    /// Counts a message, unless a code is on its way.
    ///
    /// - Returns: The code that is on its way.
    /// - Throws: `APIError` `TOO_MANY_ATTEMPTS_TRY_LATER`, `QUOTA_EXCEEDED`; `StorageError`.
    func admit(in transaction: any Transaction) throws -> SMSCodeRecord? {
        if let recent = try recent(in: transaction) { return recent }
        try throttle.count(messageTo: phoneNumber, context: context, at: time, in: transaction)
        return nil
    }
}
