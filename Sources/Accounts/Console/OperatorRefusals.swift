package import Project
import Storage

/// Records what the console refuses in the audit trail, whichever screen or check refused it. Records are written in the background and
/// bounded, as those of refused users (threat case RES-05).
package struct OperatorRefusals: Sendable {
    let base: OperatorServices
    let audit: RefusalAudit

    /// Records a refusal.
    ///
    /// - Parameter error: What kept the operator from what was asked for. Errors that refuse nobody in particular, and steps on
    ///   the way to what was asked for, leave no record.
    package func record(_ error: any Error, by person: ConsoleOperator?, from client: CallContext) async {
        switch error {
        case OperatorError.needsConfirmation, OperatorError.needsApproval: return
        case let error as OperatorError: await record(code: error.name, by: person, from: client)
        case let error as APIError where !error.isOverload: await record(code: error.code.rawValue, by: person, from: client)
        default: return
        }
    }

    /// Records a refusal by its code, one of a fixed set.
    package func record(code: String, by person: ConsoleOperator?, from client: CallContext) async {
        var context = client
        context.actor = await actor(person, client)
        audit.record(RefusedCall(code, subject: nil, context: context))
    }

    // Only operators who exist are named: what strangers type does not enter the trail. A store that does not answer names nobody.
    private func actor(_ person: ConsoleOperator?, _ client: CallContext) async -> String {
        if let person { return person.actor }
        guard let email = client.refusalFacts.known.claimedOperator,
            let found = try? await base.database.read({ try $0.consoleOperator(base.projectID, email: email) })
        else { return AuditEvent.unknownOperator }
        return ConsoleOperator.actor(found.email)
    }
}
