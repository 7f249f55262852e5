import Messaging
package import Project
import Settings
import Storage
import Tenancy

/// Sends a test event to one of the operator's own servers, and tells what it answered.
package struct HookTest: UsesRuntime {
    let runtime: Runtime
    let functions: BlockingFunctionCaller
    /// `webhooks.*`; `nil` without a web hook.
    let events: WebhookSettings.Receiver?
    /// `audit.webhook.*`; `nil` without one.
    let audit: WebhookSettings.Receiver?

    /// A receiver.
    package enum Hook: Sendable, Hashable {
        case function(BlockingFunctions.Event)
        /// The web hook for events about accounts.
        case events
        /// The web hook for the audit trail.
        case audit

        /// A word for forms and the audit trail.
        package var word: String {
            switch self {
            case .function(let event): event.rawValue
            case .events: "events"
            case .audit: "audit"
            }
        }

        /// All of them.
        package static let all = BlockingFunctions.Event.allCases.map(Hook.function) + [.events, .audit]
    }

    /// What a receiver answered.
    package struct Answer: Sendable {
        /// The status; `nil` when there was no answer.
        package let status: Int?
        /// Whether Postern would have taken the answer.
        package let isGood: Bool
        /// Why not.
        package let reason: String?
    }

    private static let longestReason = 500

    /// Sends a test event.
    package func run(_ hook: Hook, context: CallContext) async throws -> Answer? {
        guard context.adminScopes.contains(.config), context.scope.tenantID == nil else {
            throw APIError(.insufficientPermission)
        }
        guard let answer = try await answer(of: hook, context) else { return nil }
        let (now, scope, eventID) = (environment.now(), context.scope, environment.newEventID())
        let detail: JSONValue = [
            "hook": .string(hook.word), "status": answer.status.map { .integer(Int64($0)) } ?? .null,
        ]
        let event = context.auditEvent(.hookTested, of: nil, detail, id: eventID, at: now)
        try await database.write { try $0.insertAuditEvent(scope, event) }
        return answer
    }

    private func answer(of hook: Hook, _ context: CallContext) async throws -> Answer? {
        switch hook {
        case .function(let event):
            let functions = try await configurations.configuration(of: context.scope).policy.blockingFunctions
            guard functions[event] != nil else { return nil }
            let (status, refusal) = try await self.functions.test(event, of: functions, context: context)
            return Answer(status: status, isGood: refusal == nil, reason: refusal?.cut(toBytes: Self.longestReason))
        case .events:
            return await answer(of: events) { receiver in
                let hook = EventWebhook(url: receiver.url.text, secret: receiver.secret.reveal(), environment: environment)
                return try await hook.test(projectID: context.scope.projectID)
            }
        case .audit:
            return await answer(of: audit) { receiver in
                let hook = AuditWebhook(url: receiver.url.text, secret: receiver.secret.reveal(), environment: environment)
                return try await hook.test()
            }
        }
    }

    private func answer(
        of receiver: WebhookSettings.Receiver?,
        _ post: (WebhookSettings.Receiver) async throws -> Int
    ) async -> Answer? {
        guard let receiver else { return nil }
        do {
            let status = try await post(receiver)
            return Answer(status: status, isGood: (200..<300).contains(status), reason: nil)
        } catch {
            return Answer(status: nil, isGood: false, reason: "\(error)".cut(toBytes: Self.longestReason))
        }
    }
}
