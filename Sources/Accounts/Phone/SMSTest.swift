package import Project
import Settings
import Storage
import Tenancy

/// Sends a text message without a code, so that an operator sees whether messages arrive.
package struct SMSTest: UsesRuntime {
    let runtime: Runtime
    let throttle: Throttle
    let messages: SMSCodeMessages

    private static let life = Duration.seconds(600)

    /// Whether this server sends text messages at all.
    package var canSend: Bool { messages.canSend }

    /// Sends the message. It counts as any other towards `limits.phone.*`, in the transaction that stores it.
    ///
    /// - Parameter number: The number, as an operator writes it.
    /// - Throws: `APIError` `INVALID_PHONE_NUMBER`, `OPERATION_NOT_ALLOWED` for a region without messages or a server that sends
    ///   none, `TOO_MANY_ATTEMPTS_TRY_LATER`, `QUOTA_EXCEEDED`.
    package func send(to number: String, text: String, locale: String, context: CallContext) async throws {
        guard context.adminScopes.isSuperset(of: .all) else { throw APIError(.insufficientPermission) }
        let phone = try await configurations.configuration(of: context.scope).phone
        guard let number = PhoneNumber.canonical(number, mode: mode), PhoneNumber.takesMessages(number) else {
            throw APIError(.invalidPhoneNumber, "Invalid format.")
        }
        guard phone.testCodes[number] == nil else {
            throw APIError(.operationNotAllowed, "No message is sent to a fictional number.")
        }
        guard phone.allowsMessages(to: number) else {
            throw APIError(.operationNotAllowed, "SMS unable to be sent until this region enabled by the app developer.")
        }
        let now = environment.now()
        guard
            let record = try messages.testMessage(
                text,
                to: number,
                locale: locale,
                scope: context.scope,
                expiresAt: now.advanced(by: Self.life)
            )
        else { throw APIError(.operationNotAllowed, "Postern has no way to send SMS.") }
        let detail: JSONValue = ["region": .string(PhoneNumber.region(of: number) ?? "none")]
        let event = context.auditEvent(.testMessageSent, detail, by: environment, at: now)
        let throttle = throttle
        try await database.write { transaction throws in
            try throttle.count(messageTo: number, context: context, at: now, in: transaction)
            try transaction.insertOutboxMessage(record, in: .sms)
            try transaction.insertAuditEvent(context.scope, event)
        }
        messages.wake()
    }
}
