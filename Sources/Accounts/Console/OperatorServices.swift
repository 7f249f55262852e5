import Project
import Storage
import Tenancy
import Tokens

/// What the console's use cases share.
package struct OperatorServices: UsesRuntime {
    let runtime: Runtime
    let sealer: TokenSealer
    let throttle: Throttle
    let changeLog: ChangeLog
    let projectID: String
    /// How long a session lasts without a request.
    let idleTime: Duration
    /// How long a session lasts in any case.
    let sessionTime: Duration
    /// `console.impersonationForbiddenClaim`
    let protectedClaim: String

    /// The scope of limits, challenges and records of operators.
    var scope: Scope { Scope(projectID: projectID) }

    /// A call that comes from no client: the command line's or the server's own.
    func call(by actor: String) -> CallContext { CallContext(scope: scope, actor: actor) }

    /// Changes what the store has of operators, and records it, in one transaction.
    func change(
        _ kind: AuditEvent.Kind,
        _ detail: JSONValue? = nil,
        by context: CallContext,
        _ body: @escaping @Sendable (Transaction, Timestamp) throws -> Void
    ) async throws {
        let stamp = changeLog.stamp(context)
        try await database.write { transaction throws in
            try body(transaction, stamp.time)
            try stamp.record(kind, detail, in: transaction)
        }
    }

    /// Checks, within the transaction of what an owner does to others, that the owner's session and role are still there: the
    /// owner may have been removed meanwhile.
    func requireStill(_ owner: ConsoleOperator, in transaction: Transaction) throws {
        guard try transaction.operatorSession(projectID, hash: owner.sessionHash) != nil,
            let record = try transaction.consoleOperator(projectID, id: owner.operatorID),
            record.role == owner.role.rawValue, record.tenantID == owner.tenantID
        else { throw OperatorError.signedOut }
    }

    /// Checks the tenant that an operator is to be bound to. An owner manages operators, who belong to the project.
    func checkBinding(_ tenantID: String?, of role: OperatorRole) async throws {
        guard let tenantID else { return }
        guard role != .owner else { throw OperatorError.invalidTenant }
        do {
            try await configurations.requireServed(Scope(projectID: projectID, tenantID: tenantID))
        } catch is APIError {
            throw OperatorError.invalidTenant
        }
    }

    /// Draws the token of a new session or invitation, as long as a refresh token.
    func newToken() -> (token: String, hash: [UInt8]) {
        let token = RefreshToken(environment)
        return (token.text, token.hash)
    }
}

extension OperatorRecord {
    /// Whether the operator has a password with a second factor.
    package var hasPassword: Bool { passwordHash != nil && sealedTOTP != nil }
}
