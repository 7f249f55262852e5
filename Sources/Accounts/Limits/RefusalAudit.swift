import Federation
import Logging
package import Project
package import Storage

/// Writes one audit record for each refused sign-in attempt.
package struct RefusalAudit: Sendable {
    private let database: any Database
    private let environment: ServerEnvironment

    // The limit protects the audit trail from being filled; the metrics count further.
    private static let perAddressPerHour = 1000

    package init(database: any Database, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    // Clients name providers, so only those of a fixed set become labels.
    private static func label(of provider: String?) -> String {
        guard let provider else { return "none" }
        if ["custom", "password", "phone", "anonymous", "emailLink", "passkey"].contains(provider) { return provider }
        guard let facts = Providers.facts(of: provider) else { return "other" }
        return facts.isFamily ? "oidc" : facts.id
    }

    /// Records a refusal. A failing store is logged and does not change the refusal.
    ///
    /// - Parameters:
    ///   - code: The error code for the client.
    ///   - provider: The identity provider that the client named.
    ///   - context: The call.
    package func record(_ code: ErrorCode, provider: String?, context: CallContext) async {
        let label = Self.label(of: provider)
        environment.count("postern_sign_in_refusals_total", [("provider", label), ("code", code.rawValue)])
        var detail: JSONObject = ["code": .string(code.rawValue)]
        detail["provider"] = provider.map { .string($0.cut(toBytes: 64)) }
        let event = AuditEvent(
            eventID: environment.newEventID(),
            occurredAt: environment.now(),
            event: "refused",
            localID: nil,
            actor: context.actor,
            address: context.address,
            detail: .object(detail)
        )
        do {
            let bucket = ThrottleBucket.refusals(from: ClientNetwork(context.address))
            // In a task of its own, because a client that hangs up must not prevent its record.
            let writing = Task { [database] in
                try await database.write { transaction throws in
                    let refusals = try transaction.countThrottle(
                        context.scope.project,
                        bucket: bucket,
                        at: event.occurredAt,
                        window: .fixed(.seconds(3600))
                    )
                    guard refusals.count <= Self.perAddressPerHour else { return }
                    try transaction.insertAuditEvent(context.scope, event)
                }
            }
            try await writing.value
        } catch {
            environment.logger.failure("a refusal could not be recorded in the audit trail", error)
        }
    }
}
