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

        package static let all = BlockingFunctions.Event.allCases.map(Hook.function) + [.events, .audit]
    }

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
    package func send(_ hook: Hook, context: CallContext) async throws -> Answer? {
        guard context.adminScopes.contains(.config), context.scope.tenantID == nil else {
            throw APIError(.insufficientPermission)
        }
        guard let answer = try await answer(of: hook, context) else { return nil }
        let detail: JSONValue = [
            "hook": .string(hook.word), "status": answer.status.map { .integer(Int64($0)) } ?? .null,
        ]
        try await AuditTrail(runtime: runtime).record(.hookTested, detail, context: context)
        return answer
    }

    private func answer(of hook: Hook, _ context: CallContext) async throws -> Answer? {
        switch hook {
        case .function(let event):
            let functions = try await configurations.configuration(of: context.scope).policy.blockingFunctions
            guard functions[event] != nil else { return nil }
            let (status, refusal) = try await self.functions.test(event, of: functions, context: context)
            return Answer(status: status, isGood: refusal == nil, reason: refusal?.cut(toBytes: Self.longestReason))
        case .events: return await answer(of: events) { try await $0.testEvent(projectID: context.scope.projectID) }
        case .audit: return await answer(of: audit) { try await $0.testAudit() }
        }
    }

    private func answer(of receiver: WebhookSettings.Receiver?, _ post: (Webhook) async throws -> Int) async -> Answer? {
        guard let receiver else { return nil }
        do {
            let hook = Webhook(url: receiver.url.text, secret: receiver.secret.reveal(), environment: environment)
            let status = try await post(hook)
            return Answer(status: status, isGood: (200..<300).contains(status), reason: nil)
        } catch {
            return Answer(status: nil, isGood: false, reason: "\(error)".cut(toBytes: Self.longestReason))
        }
    }
}
