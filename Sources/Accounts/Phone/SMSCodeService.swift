import Foundation
import Logging
package import Project
import Settings
import Storage
import Tenancy
import Tokens

/// One-time codes by SMS. They are kept in the store, so they outlive restarts and work on every node.
///
/// A `sessionInfo` seals the id of a code. Within the resend window a repeated request gets another session of the same code. All
/// sessions of a code share its tries, and it can be used once.
package struct SMSCodeService: UsesRuntime {
    let runtime: Runtime
    let sealer: TokenSealer
    let throttle: Throttle
    let dailyCounts: DailyCounts
    let limits: LimitSettings.Phone
    let verification: AppVerification
    let messages: SMSCodeMessages
    let functions: BlockingFunctionCaller

    static let codeIDLength = 26
    // This makes a session 226 characters long, like the emulator's (`Docs/Contract/phone-and-mfa.md` §1).
    private static let sessionLength = 133

    /// Sends a code, or answers with one that was sent a moment ago (`Docs/Contract/phone-and-mfa.md` §1.1). A repetition of the
    /// same request needs no new proof; any other request does.
    ///
    /// - Returns: `sessionInfo`
    /// - Throws: `APIError` by rows 3 and 5 to 8 of `Docs/Contract/phone-and-mfa.md` §1.
    package func send(_ request: SMSCodeRequest, context: CallContext) async throws -> String {
        let configuration = try await configurations.configuration(of: context.scope)
        guard let number = configuration.phone.canonical(request.phoneNumber, mode: mode) else {
            throw APIError(.invalidPhoneNumber, "Invalid format.")
        }
        guard mode.checksTextMessages, configuration.phone.testCodes[number] == nil else {
            return try await send(request, to: number, configuration: configuration, context: context)
        }
        guard PhoneNumber.takesMessages(number) else { throw APIError(.invalidPhoneNumber, "Invalid format.") }
        return try await answeringRepetitions(of: request, to: number, context) {
            try await send(request, to: number, configuration: configuration, context: context)
        }
    }

    private func send(
        _ request: SMSCodeRequest,
        to number: String,
        configuration: ScopeConfiguration,
        context: CallContext
    ) async throws -> String {
        let testCode = configuration.phone.testCodes[number]
        let isReal = mode.checksTextMessages && testCode == nil
        if isReal { try await checkMayBeSent(request, to: number, configuration, context) }
        // No message is sent to a fictional number.
        if testCode == nil {
            if isReal, let session = try await sessionOfRecent(request, to: number, configuration.policy, context) {
                return session
            }
            try await functions.askBeforeSMS(request.purpose, to: number, policy: configuration.policy, context: context)
        }
        let code = testCode ?? Self.drawCode(environment)
        let proofHash = isReal ? request.proof.hash : nil
        let draft = try self.draft(code, to: number, request, proofHash: proofHash, scope: context.scope)
        let message =
            testCode == nil
            ? try messages.message(
                code,
                to: number,
                request,
                configuration: configuration,
                context: context,
                expiresAt: draft.record.expiresAt
            ) : nil
        let codeID = try await store(draft.record, message, isReal: isReal, context)
        guard codeID == draft.record.codeID else { return try session(codeID, scope: context.scope) }
        if message != nil {
            messages.wake()
            note(.smsSent, number, in: context.scope)
        }
        if mode.showsCodes { logger.notice("To verify the phone number \(number), use the code \(code).") }
        return draft.session
    }

    private func checkMayBeSent(
        _ request: SMSCodeRequest,
        to number: String,
        _ configuration: ScopeConfiguration,
        _ context: CallContext
    ) async throws {
        try await verification.check(
            request.proof,
            action: request.purpose.recaptchaAction,
            configuration: configuration,
            context: context
        )
        guard configuration.phone.allowsMessages(to: number) else {
            throw APIError(.operationNotAllowed, "SMS unable to be sent until this region enabled by the app developer.")
        }
        guard messages.canSend else { throw APIError(.operationNotAllowed, "Postern has no way to send SMS.") }
    }

    // The function is not asked about a request that is answered with a recent code.
    private func sessionOfRecent(
        _ request: SMSCodeRequest,
        to number: String,
        _ policy: SignInPolicy,
        _ context: CallContext
    ) async throws -> String? {
        guard policy.blockingFunctions[.beforeSendSMS] != nil else { return nil }
        return try await rehearse(request, to: number, context).map { try session($0.codeID, scope: context.scope) }
    }

    // Toll fraud shows as a region to which many codes are sent and from which few come back. Operators set an alarm on this
    // ratio.
    func note(_ metric: DailyCounts.Metric, _ number: String, in scope: Scope) {
        dailyCounts.note(metric, PhoneNumber.region(of: number) ?? "none", in: scope)
    }

    private func store(
        _ record: SMSCodeRecord,
        _ message: OutboxRecord?,
        isReal: Bool,
        _ context: CallContext
    ) async throws -> String {
        let scope = context.scope
        let event = AuditEvent(
            eventID: environment.newEventID(),
            occurredAt: record.createdAt,
            event: .sendVerificationCode,
            localID: nil,
            actor: "user",
            address: context.address
        )
        let (mode, throttle, limitCheck) = (
            mode, throttle, limitCheck(record.phoneNumber, record.purpose, record.app, at: record.createdAt, context)
        )
        return try await database.write { transaction in
            var record = record
            if isReal {
                if let recent = try limitCheck.admit(in: transaction) { return recent.codeID }
            } else if mode.throttles {
                try throttle.count(.testMessages, context, at: record.createdAt, in: transaction)
            }
            // Tests take the last code that is listed, also of two that were asked for in one millisecond.
            if mode.spacesCodes, let last = try transaction.smsCodes(scope).last, last.createdAt >= record.createdAt {
                record.createdAt = last.createdAt.advanced(by: .milliseconds(1))
            }
            try transaction.insertSMSCode(scope, record)
            if let message { try transaction.insertOutboxMessage(message, in: .sms) }
            try transaction.insertAuditEvent(scope, event)
            return record.codeID
        }
    }

    private func draft(
        _ code: String,
        to number: String,
        _ request: SMSCodeRequest,
        proofHash: [UInt8]?,
        scope: Scope
    ) throws -> (record: SMSCodeRecord, session: String) {
        let now = environment.now()
        let codeID = environment.randomText(length: Self.codeIDLength)
        let session = try session(codeID, scope: scope)
        var record = SMSCodeRecord(
            codeID: codeID,
            purpose: request.purpose.text,
            app: request.proof.app,
            phoneNumber: number,
            codeMAC: try sealer.authenticationCode(of: Self.hashed(code, codeID), for: .smsCode),
            createdAt: now,
            expiresAt: now.advanced(by: codesExpire ? .seconds(limits.codeSeconds) : .forEver),
            proofHash: proofHash
        )
        if mode.showsCodes {
            record.sealedCode = try sealer.seal(Data((code + session).utf8), for: .shownSMSCode, scope: scope)
        }
        return (record, session)
    }

    func session(_ codeID: String, scope: Scope) throws -> String {
        let padding = Array(repeating: UInt8(ascii: " "), count: Self.sessionLength - codeID.utf8.count)
        return try sealer.seal(Data(codeID.utf8 + padding), for: .smsSession, scope: scope)
    }

    // The code's id is part of the hash, so that equal codes have different hashes.
    static func hashed(_ code: String, _ codeID: String) -> [UInt8] { Array("\(codeID):\(code)".utf8) }

    /// Draws six decimal digits, each code with equal probability.
    static func drawCode(_ environment: ServerEnvironment) -> String {
        // The largest multiple of a million in 32 bits. Values above it are drawn again.
        let bound: UInt32 = 4_294_000_000
        while true {
            let value = environment.random(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard value < bound else { continue }
            let digits = String(value % 1_000_000)
            return String(repeating: "0", count: 6 - digits.count) + digits
        }
    }
}
